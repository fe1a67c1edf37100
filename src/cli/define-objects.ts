/**
 * The commands for people without kubectl: their flags and their help.
 */
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Context } from './command-context.ts';
import { withClusterOptions } from './embedded-access.ts';
import type { ApplyOptions } from './objects/apply-command.ts';
import type { DeleteOptions } from './objects/delete-command.ts';
import { GET_FORMATS } from './objects/get-format.ts';
import type { GetOptions } from './objects/get-options.ts';
import type { LogsOptions } from './objects/logs-command.ts';
import type { WaitOptions } from './objects/wait-command.ts';

export function createObjectCommands(program: Command, context: Context): readonly Command[] {
  return [
    createGetCommand(program, context),
    createApplyCommand(program, context),
    createDeleteCommand(program, context),
    createWaitCommand(program, context),
    createLogsCommand(program, context),
  ];
}

function createGetCommand(program: Command, { ports, exit }: Context): Command {
  const command = new Command('get')
    .copyInheritedSettings(program)
    .summary('without kubectl: print objects of any kind')
    .description(
      'Prints objects as `kubectl get` does. KIND is a name of the kind in any of its forms (mcp,\nmachineconfigpool, machineconfigpools.machineconfiguration.openshift.io), several with commas, or a\ncategory such as all.',
    )
    .usage('[OPTIONS] (KIND[,KIND...] [NAME...] | KIND/NAME...)')
    .argument('<KIND...>')
    .addOption(orEquals(new Option('-o, --output <FORMAT>', 'instead of a table').choices(GET_FORMATS)))
    .option('-w, --watch', 'go on with what changes, until Ctrl-C')
    .addOption(namespaceOption())
    .option('-A, --all-namespaces', 'look in all namespaces')
    .addOption(
      orEquals(new Option('-l, --selector <SELECTOR>', 'only objects with these labels: app=web,tier!=db')),
    )
    .option('--field-selector <SELECTOR>', 'only objects with these fields: spec.nodeName=worker-0')
    .option('--show-labels', 'add a column with the labels')
    .option('--show-managed-fields', 'with yaml and json: also who owns which field')
    .option('--no-headers', 'no headings')
    .option('--ignore-not-found', 'say nothing of objects that are not there');
  return withClusterOptions(command)
    .addHelpText('after', GET_EXAMPLES)
    .action(async (args: readonly string[], options: GetOptions) => {
      const { getCommand } = await import('./objects/get-command.ts');
      exit(await getCommand(args, options, ports));
    });
}

function createApplyCommand(program: Command, { ports, exit }: Context): Command {
  const command = new Command('apply')
    .copyInheritedSettings(program)
    .summary('without kubectl: make objects as files say')
    .description(
      'Makes the objects of YAML or JSON files so in the cluster (server-side apply). FILE is a file, a\nfolder (*.yaml, *.yml and *.json in it and below) or - for stdin. Fields that others own are left\nto them: the object is refused, with the fields and their owners, and the others are still applied.',
    )
    .usage('[OPTIONS] -f FILE...')
    .requiredOption('-f, --filename <FILE...>', 'what to apply; may be repeated')
    .addOption(namespaceOption())
    .option('--force-conflicts', 'take over fields that others own')
    .option('--dry-run', 'ask the server what would come of it; change nothing');
  return withClusterOptions(command)
    .addHelpText('after', APPLY_EXAMPLES)
    .action(async (options: ApplyOptions) => {
      const { applyCommand } = await import('./objects/apply-command.ts');
      exit(await applyCommand(options, ports));
    });
}

function createDeleteCommand(program: Command, { ports, exit }: Context): Command {
  const command = new Command('delete')
    .copyInheritedSettings(program)
    .summary('without kubectl: delete objects')
    .description('Asks objects to go, by name or as files name them, and waits until they are gone.')
    .usage('[OPTIONS] (KIND NAME... | KIND/NAME... | -f FILE...)')
    .argument('[KIND...]')
    .option('-f, --filename <FILE...>', 'the objects of files and folders, - for stdin; may be repeated')
    .addOption(namespaceOption())
    .option('--ignore-not-found', 'say nothing of objects that are not there')
    .option('--dry-run', 'ask the server what would come of it; change nothing')
    .option('--no-wait', 'end once they are asked to go')
    .option('--timeout <DURATION>', 'how long to wait; 0 for as long as it takes', '0');
  return withClusterOptions(command)
    .addHelpText('after', DELETE_EXAMPLES)
    .action(async (args: readonly string[], options: DeleteOptions) => {
      const { deleteCommand } = await import('./objects/delete-command.ts');
      exit(await deleteCommand(args, options, ports));
    });
}

function createWaitCommand(program: Command, { ports, exit }: Context): Command {
  const command = new Command('wait')
    .copyInheritedSettings(program)
    .summary('without kubectl: wait until objects are ready, or gone')
    .description('Waits until all objects that are named have what is waited for.')
    .usage('[OPTIONS] --for=WHAT (KIND/NAME... | KIND NAME... | KIND --all | KIND -l SELECTOR)')
    .argument('<KIND...>')
    .requiredOption(
      '--for <WHAT>',
      'condition=TYPE (that it is true), condition=TYPE=STATUS, create or delete',
    )
    .option('--timeout <DURATION>', '30s, 5m, 1h30m; 0 looks once, negative for a week', '30s')
    .addOption(namespaceOption())
    .option('-A, --all-namespaces', 'with --all and -l: look in all namespaces')
    .addOption(orEquals(new Option('-l, --selector <SELECTOR>', 'all objects with these labels')))
    .option('--all', 'all objects of the kind');
  return withClusterOptions(command)
    .addHelpText('after', WAIT_EXAMPLES)
    .action(async (args: readonly string[], options: WaitOptions) => {
      const { waitCommand } = await import('./objects/wait-command.ts');
      exit(await waitCommand(args, options, ports));
    });
}

function createLogsCommand(program: Command, { ports, exit }: Context): Command {
  const command = new Command('logs')
    .copyInheritedSettings(program)
    .summary('without kubectl: print what the containers of pods have written')
    .description(
      'Prints the log of a container of a pod, of the first pod of a workload, or of all pods with a label.',
    )
    .usage('[OPTIONS] (POD | KIND/NAME | -l SELECTOR)')
    .argument('[POD]')
    .addOption(orEquals(new Option('-c, --container <NAME>', 'which container (default: the first)')))
    .addOption(namespaceOption())
    .option('-f, --follow', 'go on with what is written, until Ctrl-C')
    .option('--tail <N>', 'the last lines only (default: all; with -l: 10)', parseLines)
    .option('--since <DURATION>', 'only what is younger: 30s, 5m, 1h30m')
    .option('-p, --previous', 'of the container that ran before the last restart')
    .option('--timestamps', 'each line with its time')
    .addOption(orEquals(new Option('-l, --selector <SELECTOR>', 'of all pods with these labels')))
    .option('--prefix', 'each line with its pod and container');
  return withClusterOptions(command)
    .addHelpText('after', LOGS_EXAMPLES)
    .action(async (name: string | undefined, options: LogsOptions) => {
      const { logsCommand } = await import('./objects/logs-command.ts');
      exit(await logsCommand(name, options, ports));
    });
}

function namespaceOption(): Option {
  const what = 'where to look (default: as the kubeconfig says, else "default")';
  return orEquals(new Option('-n, --namespace <NS>', what).argParser(parseNamespace));
}

/** Who knows kubectl writes `-o=yaml` for `-o yaml` too. */
function orEquals(option: Option): Option {
  const { parseArg } = option;
  return option.argParser((text: string, before: unknown) => {
    const value = text.replace(/^=/, '');
    return parseArg === undefined ? value : parseArg(value, before);
  });
}

function parseNamespace(text: string): string {
  if (text === '') throw new InvalidArgumentError('Name a namespace.');
  return text;
}

function parseLines(text: string): number {
  if (!/^(-1|\d{1,9})$/.test(text)) throw new InvalidArgumentError('Give a number of lines, or -1 for all.');
  return Number(text);
}

const EXIT_CODES = `
Exit codes: 0 fine; 1 the server refused something, or it did not come to pass in time; 2 the command
line is wrong, or there is no way to a server; 70 an internal error.
`;

const GET_EXAMPLES = `${EXIT_CODES}
Examples:
  millwright get mcp
  millwright get mcp worker -w
  millwright get nodes,machineconfignodes -o wide
  millwright get mc 00-worker -o yaml
  millwright get pods -A --field-selector spec.nodeName=worker-0`;

const APPLY_EXAMPLES = `${EXIT_CODES}
If a file cannot be read as objects, nothing is applied.

Examples:
  millwright apply -f 99-worker-chrony.yaml
  millwright apply -f pools/ -f configs/ --dry-run
  kustomize build overlay | millwright apply -f -`;

const DELETE_EXAMPLES = `${EXIT_CODES}
Examples:
  millwright delete mc 99-worker-chrony
  millwright delete -f configs/ --ignore-not-found --no-wait`;

const WAIT_EXAMPLES = `${EXIT_CODES}
Examples:
  millwright wait mcp/worker --for=condition=Updated --timeout=30m
  millwright wait mcp --all --for=condition=Degraded=False
  millwright wait pod/web-1 --for=delete`;

const LOGS_EXAMPLES = `${EXIT_CODES}
Examples:
  millwright logs -n openshift-machine-config-operator -l k8s-app=machine-config-daemon --prefix
  millwright logs -n openshift-machine-config-operator deploy/machine-config-controller -f --tail 20`;
