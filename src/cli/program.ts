/**
 * The program: its commands, their flags, and the help that teaches them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { ApiserverOptions } from './apiserver-command.ts';
import type { ComponentName, ComponentOptions } from './component-command.ts';
import type { DaemonOptions } from './daemon-command.ts';
import { FINE, UNUSABLE } from './exit-code.ts';
import type { MachineOptions } from './machine.ts';
import { OUTPUT_FORMATS } from './output-format.ts';
import type { Ports } from './ports.ts';
import { printableLine } from './printable.ts';
import type { RenderOptions } from './render-command.ts';

/** Runs one command line (without the program's own name) and returns the exit code. */
export async function runProgram(args: readonly string[], ports: Ports): Promise<number> {
  let exitCode = FINE;
  const program = createProgram(ports, (code) => {
    exitCode = code;
  });
  if (args.length === 0) {
    program.outputHelp();
    return FINE;
  }
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? FINE : UNUSABLE;
  }
  return exitCode;
}

/** Help is written for this width, whatever the terminal: it is part of the documentation. */
const HELP_WIDTH = 100;

function createProgram(ports: Ports, exit: (code: number) => void): Command {
  const version = versionOf(ports.packageRoot);
  const program = new Command('millwright')
    .description('A machine config operator for any Kubernetes cluster.')
    .usage('COMMAND [OPTIONS]')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [COMMAND]', 'print the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: ports.stdout,
      writeErr: ports.stderr,
      outputError: (text, write) => write(oneLine(text)),
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText('after', PROGRAM_EXAMPLES);
  program.addCommand(createRenderCommand(program, { ports, version, exit }));
  program.addCommand(createApiserverCommand(program, { ports, version, exit }));
  program.addCommand(createComponentCommand(program, { ports, version, exit }, 'operator'));
  program.addCommand(createComponentCommand(program, { ports, version, exit }, 'controller'));
  program.addCommand(createDaemonCommand(program, { ports, version, exit }));
  program.addCommand(createPivotCommand(program, { ports, version, exit }));
  return program;
}

type Context = {
  readonly ports: Ports;
  readonly version: string;
  readonly exit: (code: number) => void;
};

function createRenderCommand(program: Command, { ports, version, exit }: Context): Command {
  return new Command('render')
    .copyInheritedSettings(program)
    .summary('print the rendered MachineConfigs of a folder, offline')
    .description(
      'Reads MachineConfigs, MachineConfigPools and settings from YAML or JSON files and prints what each\npool is rendered to. Needs no cluster. PATH is a file, a folder (*.yaml, *.yml and *.json in it and\nbelow) or - for stdin.',
    )
    .usage('[OPTIONS] PATH...')
    .argument('<PATH...>')
    .addOption(new Option('-o, --output <FORMAT>', 'how to print').choices(OUTPUT_FORMATS).default('yaml'))
    .option('--pool <NAME>', 'render this pool only; may be repeated', collect)
    .option('--with-base', 'add the base configs, and the pools master and worker where there are none')
    .option('--check', 'only look for problems; print nothing on stdout')
    .addHelpText('after', RENDER_EXAMPLES)
    .action(async (paths: readonly string[], options: RenderOptions) => {
      // Each command loads what it needs, so that others start without it.
      const { renderCommand } = await import('./render-command.ts');
      exit(await renderCommand(paths, options, { ports, version }));
    });
}

function createApiserverCommand(program: Command, { ports, exit }: Context): Command {
  return new Command('apiserver')
    .copyInheritedSettings(program)
    .summary('run an API server of its own, with the CRDs installed, for kubectl')
    .description(
      'Runs an API server on this machine, with the CRDs of Millwright installed and nothing that acts on\nthem. Works with kubectl as it is, and needs neither a cluster nor root. Stays in the foreground;\nCtrl-C stops it, and the next start goes on with what was there.',
    )
    .usage('[OPTIONS]')
    .option(
      '--data-dir <DIR>',
      'where objects, keys and the kubeconfig are kept: new, empty, or of an earlier start',
      parseFolder,
      '.millwright',
    )
    .option('--port <N>', 'of 127.0.0.1; 0 for any (default: 6443 or the next that is free)', parsePort)
    .option(
      '--token-auth-file <FILE>',
      'users beside the administrator, one a line: token,user,uid,"group,group"; whoever shows the token is that user, and has no rights until RBAC gives some to the user or a group',
    )
    .addHelpText('after', APISERVER_EXAMPLES)
    .action(async (options: ApiserverOptions) => {
      const { apiserverCommand } = await import('./apiserver-command.ts');
      exit(await apiserverCommand(options, ports));
    });
}

const COMPONENT_WORDS = {
  operator: {
    summary: 'in a cluster: keep the pools, the ControllerConfig and a MachineConfigNode per node',
    lease: 'machine-config',
  },
  controller: {
    summary: 'in a cluster: render pools, roll out to nodes, drain them',
    lease: 'machine-config-controller',
  },
} as const;

function createComponentCommand(program: Command, context: Context, name: ComponentName): Command {
  const { ports, version, exit } = context;
  const { summary, lease } = COMPONENT_WORDS[name];
  return new Command(name)
    .copyInheritedSettings(program)
    .summary(summary)
    .description(
      `What the Deployment machine-config-${name} of manifests/workloads.yaml runs. Talks to the API\nserver as its pod's ServiceAccount, or as --kubeconfig says. Of several only one works: the one that\nholds the Lease ${lease} of openshift-machine-config-operator. Logs to stderr;\nCtrl-C or SIGTERM stops it.`,
    )
    .usage('[OPTIONS]')
    .option('--kubeconfig <FILE>', 'talk to the server of its current context (default: as the pod we are)')
    .addHelpText('after', componentExamples(name))
    .action(async (options: ComponentOptions) => {
      const { componentCommand } = await import('./component-command.ts');
      exit(await componentCommand(name, options, { ports, version }));
    });
}

function createDaemonCommand(program: Command, { ports, version, exit }: Context): Command {
  return new Command('daemon')
    .copyInheritedSettings(program)
    .summary('on a node: bring the machine to the config that its Node asks for')
    .description(
      'What the DaemonSet machine-config-daemon of manifests/workloads.yaml runs. Changes files, units,\nusers, kernel arguments and the OS of the machine, drains and reboots it, and tells of every\nstep in the MachineConfigNode of its name. Needs root on the machine.',
    )
    .usage('[OPTIONS]')
    .option('--kubeconfig <FILE>', 'talk to the server of its current context (default: as the pod we are)')
    .option('--node-name <NAME>', 'the Node that this machine is (default: $NODE_NAME)')
    .addOption(rootMount('/rootfs'))
    .addOption(hostPid())
    .option('--metrics-url <HOST:PORT>', 'where /metrics and /health are served', '127.0.0.1:8797')
    .option('--kubelet-healthz-enabled <BOOL>', 'look after the kubelet', parseBool, 'true')
    .option('--kubelet-healthz-endpoint <URL>', 'where it is asked', 'http://localhost:10248/healthz')
    .option('--feature-gates <GATES>', 'ImageModeStatusReporting=true adds its conditions')
    .addHelpText('after', DAEMON_EXAMPLES)
    .action(async (options: DaemonOptions) => {
      const { daemonCommand } = await import('./daemon-command.ts');
      exit(await daemonCommand(options, { ports, version }));
    });
}

function rootMount(usual: string): Option {
  return new Option(
    '--root-mount <DIR>',
    "where the machine's root is mounted; / to run on it directly",
  ).default(usual);
}

function hostPid(): Option {
  const what = 'instead: the machine is where this process lives; its namespaces are entered';
  return new Option('--host-pid <PID>', what).argParser(parsePid);
}

function createPivotCommand(program: Command, { ports, exit }: Context): Command {
  return new Command('pivot')
    .copyInheritedSettings(program)
    .summary('on a node: stage another OS image for the next boot')
    .description(
      'Rebases the OS of this machine to a container image, without asking the cluster. The image is\nused from the next boot on. The config of the node is left as it is: its pool then tells that\nthe image is not the expected one, until you pivot back and reboot, or the config names it.',
    )
    .usage('[OPTIONS] IMAGE')
    .argument('<IMAGE>')
    .addOption(rootMount('/'))
    .addOption(hostPid())
    .addHelpText('after', PIVOT_EXAMPLES)
    .action(async (image: string, options: MachineOptions) => {
      const { pivotCommand } = await import('./pivot-command.ts');
      exit(await pivotCommand(image, options, ports));
    });
}

function parseBool(text: string): 'true' | 'false' {
  if (text === 'true' || text === 'false') return text;
  throw new InvalidArgumentError('Say true or false.');
}

function parsePid(text: string): number {
  const pid = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(pid)) throw new InvalidArgumentError('Give the number of a process.');
  return pid;
}

const MAX_PORT = 65_535;

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= MAX_PORT)) throw new InvalidArgumentError(`Give a number from 0 to ${MAX_PORT}.`);
  return port;
}

function parseFolder(text: string): string {
  if (text === '') throw new InvalidArgumentError('Name a folder.');
  return text;
}

const PROGRAM_EXAMPLES = `
Exit codes: 0 fine; 1 something in the input is wrong; 2 the command line is wrong, or something it
names cannot be used; 70 a mistake of Millwright itself, which is worth a bug report.

Examples:
  millwright render ./machineconfigs            what each pool would be given
  millwright render --check ./machineconfigs    in a pull request: is it all right?
  millwright apiserver                          an API server for kubectl, on this machine
  millwright controller --kubeconfig FILE       renders and rolls out, on that cluster
  millwright help render                        flags, formats and exit codes`;

const RENDER_EXAMPLES = `
Formats: yaml, json (several pools as a List), name, summary (for people: sources and overrides).

Exit codes: 0 fine; 1 something in the input is wrong; 2 the command line is wrong or the input
cannot be used; 70 a mistake of Millwright itself. Unless all is fine nothing is printed on stdout.

Examples:
  millwright render .
  millwright render -o summary --pool worker configs/ pools.yaml
  millwright render --with-base -o name 99-worker-chrony.yaml
  kustomize build overlay | millwright render --check -`;

const APISERVER_EXAMPLES = `
Once it can be used it prints one line on stdout, such as
  ready kubeconfig=.millwright/kubeconfig server=https://127.0.0.1:6443
and nothing else there. All else goes to stderr.

The kubeconfig may be changed (kubectl config …): only the entries of this cluster and its
administrator are brought up to date. A folder or kubeconfig that is something else is left alone.

Exit codes: 0 stopped as asked; 2 the command line is wrong, the port is taken, or the folder cannot
be used, because of another process or of what is in it; 70 a mistake of Millwright itself.

Examples:
  millwright apiserver
  kubectl --kubeconfig .millwright/kubeconfig get machineconfigpools
  millwright apiserver --data-dir /tmp/try --port 0
  rm -r .millwright                             forgets everything`;

const PIVOT_EXAMPLES = `
Exit codes: 0 staged; 2 the image cannot be had, or the OS of this machine cannot be exchanged.

Examples:
  millwright pivot registry.example/os@sha256:…
  systemctl reboot`;

const DAEMON_EXAMPLES = `
What it is about to do stands in /etc/machine-config-daemon/journal.json of the machine: after a
crash or a power cut the next start goes on from there, or takes it back.

Exit codes: 0 stopped as asked; 2 the command line is wrong, or there is no way to a server;
70 a mistake of Millwright itself.

Examples:
  millwright daemon                                          in a pod, with the root at /rootfs
  millwright daemon --root-mount / --node-name worker-0 --kubeconfig daemon.kubeconfig`;

function componentExamples(name: ComponentName): string {
  return `
Exit codes: 0 stopped as asked; 2 there is no way to a server, or the Lease was lost and work did not
end in time: whoever runs it starts it again; 70 a mistake of Millwright itself.

Examples:
  millwright ${name}                                          in a pod
  millwright ${name} --kubeconfig .millwright/kubeconfig      beside \`millwright apiserver\``;
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** `error: unknown option '--foo'` and the suggestion below it, as one line in our name. */
function oneLine(text: string): string {
  return `millwright: ${printableLine(text.trim().replace(/^error: /, ''))}\n`;
}

function versionOf(packageRoot: string): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
  return String(version);
}
