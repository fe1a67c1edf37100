/**
 * Flags and help of the commands that run in a cluster and on its nodes.
 */
import { Command, Option } from 'commander';
import type { Base } from '../config/render/index.ts';
import {
  addMetricsOptions,
  type Context,
  healthAddressOption,
  parseBool,
  parseDomain,
  parseHttpsUrl,
  parseIpAddress,
  parsePid,
} from './command-context.ts';
import type { ComponentOptions } from './component-command.ts';
import type { DaemonOptions } from './daemon-command.ts';
import { featureGatesOption } from './feature-gates.ts';
import type { MachineOptions } from './machine-host.ts';
import { ownNamespaceOption } from './namespace-option.ts';

const COMPONENT_HELP = {
  operator: {
    summary: 'in a cluster: manage the pools, the ControllerConfig and MachineConfigNodes',
    lease: 'machine-config',
  },
  controller: {
    summary: 'in a cluster: render pools, roll out configs, drain nodes',
    lease: 'machine-config-controller',
  },
} as const;

export function createComponentCommand(
  program: Command,
  context: Context,
  name: keyof typeof COMPONENT_HELP,
): Command {
  const { ports, version, exit } = context;
  const { summary, lease } = COMPONENT_HELP[name];
  const command = new Command(name)
    .copyInheritedSettings(program)
    .summary(summary)
    .description(
      `Runs in the Deployment machine-config-${name} of manifests/workloads.yaml. Uses the ServiceAccount of its pod, or --kubeconfig. Replicas elect a leader: only the holder of the Lease ${lease} in the namespace of Millwright is active. Logs to stderr; Ctrl-C or SIGTERM stops it.`,
    )
    .usage('[OPTIONS]')
    .option('--kubeconfig <FILE>', 'use the current context of this kubeconfig (default: in-cluster config)')
    .addOption(ownNamespaceOption())
    .addOption(healthAddressOption())
    .addOption(baseOption())
    .addHelpText('after', componentExamples(name))
    .action(async (options: ComponentOptions) => {
      const { componentCommand } = await import('./component-command.ts');
      exit(await componentCommand(name, options, { ports, version }));
    });
  addMetricsOptions(command);
  return name === 'controller'
    ? command.addOption(approvalOption()).addOption(clientApprovalOption()).addOption(featureGatesOption())
    : command
        .option('--pause-master', 'where the pool master does not exist yet, create it paused')
        .addOption(clusterDnsOption())
        .addOption(clusterDomainOption())
        .option(
          '--config-server',
          'make the Secrets of the machine config server: certificates, token, pointers',
        )
        .addOption(configServerUrlOption())
        .addOption(configServerTokenOption());
}

function configServerUrlOption(): Option {
  const what =
    'how machines reach the machine config server (default: port 22623 of the API server for nodes, else of a control plane node)';
  return new Option('--config-server-url <URL>', what).argParser(parseHttpsUrl);
}

function configServerTokenOption(): Option {
  const what = 'whether machines have to show a token to it; pointer configs have it then (default: false)';
  return new Option('--config-server-token <BOOL>', what).argParser(parseBool);
}

function clusterDnsOption(): Option {
  const what =
    'address of the cluster DNS for the kubelets of the base coreos (default: of the Service in kube-system with the label k8s-app=kube-dns)';
  return new Option('--cluster-dns <IP>', what).argParser(parseIpAddress);
}

function clusterDomainOption(): Option {
  const what =
    "domain of the cluster for the same (default: from kubeadm's ConfigMap, else from CoreDNS, else cluster.local)";
  return new Option('--cluster-domain <DOMAIN>', what).argParser(parseDomain);
}

function approvalOption(): Option {
  const what =
    'approve serving certificates of kubelets, for the addresses of their own Node only (default: true with the base coreos)';
  return new Option('--approve-serving-certificates <BOOL>', what).argParser(parseBool);
}

function clientApprovalOption(): Option {
  const what =
    'approve client certificates of kubelets that join with the token of node-bootstrapper, and renewals (default: false)';
  return new Option('--approve-client-certificates <BOOL>', what).argParser(parseBool);
}

/** The same for both: the operator fills the ControllerConfig, from which the controllers generate the base configs. */
function baseOption(): Option {
  const what =
    'what nodes get besides what is declared: nothing, or the base configs for CoreOS (kubelet, CRI-O, sysctls)';
  return new Option('--base <BASE>', what).choices(BASES).default('none' satisfies Base);
}

const BASES: readonly Base[] = ['none', 'coreos'];

export function createDaemonCommand(program: Command, { ports, version, exit }: Context): Command {
  const command = new Command('daemon')
    .copyInheritedSettings(program)
    .summary('on a node: apply the desired config of the Node')
    .description(
      'Runs in the DaemonSet machine-config-daemon of manifests/workloads.yaml. Changes files, units, users, kernel arguments and the OS of the machine, drains and reboots it, and reports every step in the MachineConfigNode of the same name. Needs root on the machine.',
    )
    .usage('[OPTIONS]')
    .option('--kubeconfig <FILE>', 'use the current context of this kubeconfig (default: in-cluster config)')
    .option('--node-name <NAME>', 'name of the Node of this machine (default: $NODE_NAME)')
    .addOption(ownNamespaceOption())
    .addOption(rootMount('/rootfs'))
    .addOption(hostPid())
    .option('--kubelet-healthz-enabled <BOOL>', 'check the health of the kubelet', parseBool, 'true')
    .option(
      '--kubelet-healthz-endpoint <URL>',
      'health endpoint of the kubelet',
      'http://localhost:10248/healthz',
    )
    .addOption(featureGatesOption())
    .addHelpText('after', DAEMON_EXAMPLES)
    .action(async (options: DaemonOptions) => {
      const { daemonCommand } = await import('./daemon-command.ts');
      exit(await daemonCommand(options, { ports, version }));
    });
  return addMetricsOptions(command, '127.0.0.1:8797');
}

function rootMount(usual: string): Option {
  return new Option(
    '--root-mount <DIR>',
    "mount point of the machine's root file system; / to run on it directly",
  ).default(usual);
}

function hostPid(): Option {
  const what = 'instead of --root-mount: enter the namespaces of this process of the machine';
  return new Option('--host-pid <PID>', what).argParser(parsePid);
}

export function createPivotCommand(program: Command, { ports, exit }: Context): Command {
  return new Command('pivot')
    .copyInheritedSettings(program)
    .summary('on a node: stage an OS image for the next boot')
    .description(
      'Rebases the OS of this machine to a container image, without contacting the cluster. The image takes effect at the next boot. The config of the node does not change: its pool reports an unexpected OS image until you pivot back and reboot, or the config names the image.',
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
Exit codes: 0 staged; 2 the image cannot be pulled, or the OS of this machine is not image-based.

Examples:
  millwright pivot registry.example/os@sha256:…
  systemctl reboot`;

const DAEMON_EXAMPLES = `
Progress is recorded in /etc/machine-config-daemon/journal.json on the machine: after a crash or a
power cut the next start resumes the update, or rolls it back.

Exit codes: 0 stopped on request; 2 invalid command line, or no API server configured or reachable;
70 internal error.

Examples:
  millwright daemon                                          in a pod, with the root at /rootfs
  millwright daemon --root-mount / --node-name worker-0 --kubeconfig daemon.kubeconfig`;

function componentExamples(name: string): string {
  return `
Exit codes: 0 stopped on request; 2 no API server configured or reachable, or leadership was lost and
work did not end in time (the Deployment restarts the container); 70 internal error.

Examples:
  millwright ${name}                                          in a pod
  millwright ${name} --kubeconfig .millwright/kubeconfig      beside \`millwright apiserver\``;
}
