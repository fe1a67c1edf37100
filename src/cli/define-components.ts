/**
 * The commands that run in a cluster and on its nodes: their flags and their help.
 */
import { Command, Option } from 'commander';
import type { ComponentName } from '../processes/component-process.ts';
import { type Context, parseBool, parsePid } from './command-context.ts';
import type { ComponentOptions } from './component-command.ts';
import type { DaemonOptions } from './daemon-command.ts';
import type { MachineOptions } from './machine.ts';

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

export function createComponentCommand(program: Command, context: Context, name: ComponentName): Command {
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

export function createDaemonCommand(program: Command, { ports, version, exit }: Context): Command {
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

export function createPivotCommand(program: Command, { ports, exit }: Context): Command {
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

const PIVOT_EXAMPLES = `
Exit codes: 0 staged; 2 the image cannot be had, or the OS of this machine cannot be exchanged.

Examples:
  millwright pivot registry.example/os@sha256:…
  systemctl reboot`;

const DAEMON_EXAMPLES = `
What it is about to do stands in /etc/machine-config-daemon/journal.json of the machine: after a
crash or a power cut the next start goes on from there, or takes it back.

Exit codes: 0 stopped as asked; 2 the command line is wrong, or there is no way to a server;
70 an internal error.

Examples:
  millwright daemon                                          in a pod, with the root at /rootfs
  millwright daemon --root-mount / --node-name worker-0 --kubeconfig daemon.kubeconfig`;

function componentExamples(name: ComponentName): string {
  return `
Exit codes: 0 stopped as asked; 2 there is no way to a server, or the Lease was lost and work did not
end in time: whoever runs it starts it again; 70 an internal error.

Examples:
  millwright ${name}                                          in a pod
  millwright ${name} --kubeconfig .millwright/kubeconfig      beside \`millwright apiserver\``;
}
