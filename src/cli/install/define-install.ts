/**
 * Flags and help of `millwright install` and `millwright uninstall`.
 */
import { Command, Option } from 'commander';
import { NAMESPACE } from '../../api/index.ts';
import { withClusterOptions } from '../cluster-options.ts';
import type { Context } from '../command-context.ts';
import { installedNamespaceOption } from '../namespace-option.ts';
import type { InstallOptions } from './install-command.ts';
import type { UninstallOptions } from './uninstall-command.ts';

export function createInstallCommand(program: Command, { ports, version, exit }: Context): Command {
  return new Command('install')
    .copyInheritedSettings(program)
    .summary('print the manifests that install Millwright on a cluster')
    .description(
      'Prints CRDs, namespaces, RBAC, admission policies, NetworkPolicies, Deployments and the DaemonSet. Contacts no cluster; kubectl applies what it prints. Installing changes no node: nothing is drained, rebooted or written until you declare a config. docs/install.md says more.',
    )
    .usage('[OPTIONS]')
    .option('--image <IMAGE>', `image of Millwright (default: registry.millwright.dev/millwright:${version})`)
    .option(
      '--builder-image <IMAGE>',
      `image of the builder (default: registry.millwright.dev/millwright-builder:${version})`,
    )
    .addOption(
      new Option(
        '--base <BASE>',
        'configs that nodes get before anything is declared; coreos only for nodes of CoreOS (default: none)',
      ).choices(['none', 'coreos']),
    )
    .option('--values <FILE>', 'YAML file with values, - for stdin; docs/install-values.md lists them')
    .option('-n, --namespace <NAME>', `namespace of the components (default: ${NAMESPACE})`)
    .option('--crds-only', 'print only the CRDs: before an upgrade with Helm, which does not upgrade them')
    .addHelpText('after', INSTALL_EXAMPLES)
    .action(async (options: InstallOptions) => {
      const { installCommand } = await import('./install-command.ts');
      exit(await installCommand(options, { ports, version }));
    });
}

const INSTALL_EXAMPLES = `
No registry has the default images yet: make them with npm run image (docs/images.md), push them, and
name them with --image and --builder-image, or in the values.

A Helm chart with the same values is in charts/millwright, a kustomize base in kustomize/.

Exit codes: 0 success; 1 invalid values; 2 invalid command line or unreadable file; 70 internal error.

Examples:
  millwright install --image registry.example/millwright:1.0 \\
    --builder-image registry.example/builder:1.0 | kubectl apply -f -
  millwright install --values values.yaml | kubectl diff -f -
  millwright install --namespace millwright | kubectl apply -f -
  millwright install --crds-only | kubectl apply --server-side -f -`;

export function createUninstallCommand(program: Command, { ports, version, exit }: Context): Command {
  const command = new Command('uninstall')
    .copyInheritedSettings(program)
    .summary('remove Millwright from a cluster, also in the middle of a rollout')
    .description(
      'Stops the controllers, then the daemons, each of which ends the step that it is in; removes permissions, policies and builds; and makes the nodes schedulable that Millwright had cordoned. A cordon of a person stays, and no file of any node is changed. Prints what remains. An interrupted run is completed by the next one.',
    )
    .usage('[OPTIONS] (--dry-run | --yes)')
    .option('--yes', 'remove it')
    .option('--dry-run', 'print what would be removed, and change nothing')
    .addOption(installedNamespaceOption())
    .option('--delete-crds', 'delete the CRDs too, with all MachineConfigs, pools and settings')
    .option('--timeout <DURATION>', 'how long pods may take to end their work', '15m');
  return withClusterOptions(command)
    .addHelpText('after', UNINSTALL_EXAMPLES)
    .action(async (options: UninstallOptions) => {
      const { uninstallCommand } = await import('./uninstall-command.ts');
      exit(await uninstallCommand(options, { ports, version }));
    });
}

const UNINSTALL_EXAMPLES = `
Without --delete-crds, installing Millwright again continues where it stopped: an update that was
interrupted is completed, after the node was drained again.

Exit codes: 0 removed, or not installed; 1 the server rejected a request; 2 invalid command line, no
cluster, pods still run, or OpenShift's own operator; 70 internal error.

Examples:
  millwright uninstall --kubeconfig ~/.kube/config --dry-run
  millwright uninstall --kubeconfig ~/.kube/config --yes
  millwright uninstall --kubeconfig ~/.kube/config --yes --delete-crds`;
