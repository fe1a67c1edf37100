/**
 * Flags and help of `millwright install`.
 */
import { Command, Option } from 'commander';
import { NAMESPACE } from '../../api/index.ts';
import type { Context } from '../command-context.ts';
import type { InstallOptions } from './install-command.ts';

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
    .option('--namespace <NAME>', 'no other one is supported', NAMESPACE)
    .option('--crds-only', 'print only the CRDs: before an upgrade with Helm, which does not upgrade them')
    .addHelpText('after', INSTALL_EXAMPLES)
    .action(async (options: InstallOptions) => {
      const { installCommand } = await import('./install-command.ts');
      exit(await installCommand(options, { ports, version }));
    });
}

const INSTALL_EXAMPLES = `
A Helm chart with the same values is in charts/millwright, a kustomize base in kustomize/.

Exit codes: 0 success; 1 invalid values; 2 invalid command line or unreadable file; 70 internal error.

Examples:
  millwright install | kubectl apply -f -
  millwright install --image registry.example/millwright:1.0 --builder-image registry.example/builder:1.0
  millwright install --values values.yaml | kubectl diff -f -
  millwright install --crds-only | kubectl apply --server-side -f -`;
