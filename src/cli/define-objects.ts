/**
 * Flags and help of the kubectl-like commands: `get`, `apply`, `delete`, `wait` and `logs`.
 */
import { Command, InvalidArgumentError, Option } from 'commander';
import { withClusterOptions } from './cluster-options.ts';
import type { Context } from './command-context.ts';
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
      'Prints objects like `kubectl get`. KIND is any name of a resource (mcp, machineconfigpool, machineconfigpools.machineconfiguration.openshift.io), a comma-separated list, or a category such as all.',
    )
    .usage('[OPTIONS] (KIND[,KIND...] [NAME...] | KIND/NAME...)')
    .argument('<KIND...>')
    .addOption(orEquals(new Option('-o, --output <FORMAT>', 'instead of a table').choices(GET_FORMATS)))
    .option('-w, --watch', 'print changes until Ctrl-C')
    .addOption(namespaceOption())
    .option('-A, --all-namespaces', 'list objects in all namespaces')
    .addOption(orEquals(new Option('-l, --selector <SELECTOR>', 'label selector: app=web,tier!=db')))
    .option('--field-selector <SELECTOR>', 'field selector: spec.nodeName=worker-0')
    .option('--show-labels', 'add a column with labels')
    .option('--show-managed-fields', 'with yaml and json: include managedFields')
    .option('--no-headers', 'omit column headings')
    .option('--ignore-not-found', 'ignore objects that do not exist');
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
    .summary('without kubectl: apply manifests')
    .description(
      'Applies YAML or JSON manifests by server-side apply. FILE is a file, a directory (*.yaml, *.yml and *.json, recursively) or - for stdin. An object with field conflicts is rejected, with the fields and their managers, and the remaining objects are still applied.',
    )
    .usage('[OPTIONS] -f FILE...')
    .requiredOption('-f, --filename <FILE...>', 'manifests to apply; may be repeated')
    .addOption(namespaceOption())
    .option('--force-conflicts', 'take over fields owned by other field managers')
    .option('--dry-run', 'server-side dry run: change nothing');
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
    .description('Deletes objects by name or from manifests, and waits until they are gone.')
    .usage('[OPTIONS] (KIND NAME... | KIND/NAME... | -f FILE...)')
    .argument('[KIND...]')
    .option('-f, --filename <FILE...>', 'objects in these manifests, - for stdin; may be repeated')
    .addOption(namespaceOption())
    .option('--ignore-not-found', 'ignore objects that do not exist')
    .option('--dry-run', 'server-side dry run: change nothing')
    .option('--no-wait', 'return without waiting for the objects to be gone')
    .option('--timeout <DURATION>', 'time limit for the wait; 0 for none', '0');
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
    .summary('without kubectl: wait for a condition of objects')
    .description('Waits until all selected objects meet the condition.')
    .usage('[OPTIONS] --for=WHAT (KIND/NAME... | KIND NAME... | KIND --all | KIND -l SELECTOR)')
    .argument('<KIND...>')
    .requiredOption('--for <WHAT>', 'condition=TYPE (status True), condition=TYPE=STATUS, create or delete')
    .option('--timeout <DURATION>', '30s, 5m, 1h30m; 0 checks once, negative waits for a week', '30s')
    .addOption(namespaceOption())
    .option('-A, --all-namespaces', 'with --all and -l: objects in all namespaces')
    .addOption(orEquals(new Option('-l, --selector <SELECTOR>', 'objects that match the label selector')))
    .option('--all', 'all objects of the resource');
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
    .summary('without kubectl: print the logs of containers')
    .description(
      'Prints the logs of a container of a pod, of the first pod of a workload, or of all selected pods.',
    )
    .usage('[OPTIONS] (POD | KIND/NAME | -l SELECTOR)')
    .argument('[POD]')
    .addOption(orEquals(new Option('-c, --container <NAME>', 'name of the container (default: the first)')))
    .addOption(namespaceOption())
    .option('-f, --follow', 'stream the logs until Ctrl-C')
    .option('--tail <N>', 'number of most recent lines (default: all; with -l: 10)', parseLines)
    .option('--since <DURATION>', 'only logs newer than 30s, 5m, 1h30m')
    .option('-p, --previous', 'logs of the previous instance of the container')
    .option('--timestamps', 'prefix each line with its timestamp')
    .addOption(orEquals(new Option('-l, --selector <SELECTOR>', 'pods that match the label selector')))
    .option('--prefix', 'prefix each line with its pod and container');
  return withClusterOptions(command)
    .addHelpText('after', LOGS_EXAMPLES)
    .action(async (name: string | undefined, options: LogsOptions) => {
      const { logsCommand } = await import('./objects/logs-command.ts');
      exit(await logsCommand(name, options, ports));
    });
}

function namespaceOption(): Option {
  const what = 'namespace (default: that of the kubeconfig context, else "default")';
  return orEquals(new Option('-n, --namespace <NS>', what).argParser(parseNamespace));
}

/** Accepts `-o=yaml` for `-o yaml`, like kubectl. */
function orEquals(option: Option): Option {
  const { parseArg } = option;
  return option.argParser((text: string, before: unknown) => {
    const value = text.replace(/^=/, '');
    return parseArg === undefined ? value : parseArg(value, before);
  });
}

function parseNamespace(text: string): string {
  if (text === '') throw new InvalidArgumentError('Must not be empty.');
  return text;
}

function parseLines(text: string): number {
  if (!/^(-1|\d{1,9})$/.test(text))
    throw new InvalidArgumentError('Must be a number of lines, or -1 for all.');
  return Number(text);
}

const EXIT_CODES = `
Exit codes: 0 success; 1 the server rejected a request, or the wait timed out; 2 invalid command line,
or the server is unreachable; 70 internal error.
`;

const GET_EXAMPLES = `${EXIT_CODES}
Examples:
  millwright get mcp
  millwright get mcp worker -w
  millwright get nodes,machineconfignodes -o wide
  millwright get mc 00-worker -o yaml
  millwright get pods -A --field-selector spec.nodeName=worker-0`;

const APPLY_EXAMPLES = `${EXIT_CODES}
If any manifest cannot be read or parsed, nothing is applied.

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
