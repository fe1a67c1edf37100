/**
 * Flags and help of `millwright apiserver`.
 */
import { Command } from 'commander';
import type { ApiserverOptions } from './apiserver-command.ts';
import { type Context, parseFolder, parsePort } from './command-context.ts';

export function createApiserverCommand(program: Command, { ports, exit }: Context): Command {
  return new Command('apiserver')
    .copyInheritedSettings(program)
    .summary('run the embedded API server alone, with the CRDs installed')
    .description(
      'Runs an API server on this machine, with the Millwright CRDs installed and no controllers. Works with unmodified kubectl and needs neither a cluster nor root. Stays in the foreground; Ctrl-C stops it, and the next start continues with the stored objects.',
    )
    .usage('[OPTIONS]')
    .option(
      '--data-dir <DIR>',
      'directory for objects, keys and the kubeconfig: new, empty, or from an earlier start',
      parseFolder,
      '.millwright',
    )
    .option(
      '--port <N>',
      'port on 127.0.0.1; 0 for any free one (default: 6443 or the next free port)',
      parsePort,
    )
    .option(
      '--token-auth-file <FILE>',
      'additional users, one per line: token,user,uid,"group,group"; they have no permissions until RBAC grants them to the user or a group',
    )
    .addHelpText('after', APISERVER_EXAMPLES)
    .action(async (options: ApiserverOptions) => {
      const { apiserverCommand } = await import('./apiserver-command.ts');
      exit(await apiserverCommand(options, ports));
    });
}

const APISERVER_EXAMPLES = `
When ready it prints exactly one line on stdout, such as
  ready kubeconfig=.millwright/kubeconfig server=https://127.0.0.1:6443
Everything else goes to stderr.

The kubeconfig may be edited (kubectl config …): only the entries of this cluster and its
administrator are updated. Unrelated directories and kubeconfigs are never overwritten.

Exit codes: 0 stopped on request; 2 invalid command line, port in use, or data directory unusable
(in use by another process, or unexpected content); 70 internal error.

Examples:
  millwright apiserver
  kubectl --kubeconfig .millwright/kubeconfig get machineconfigpools
  millwright apiserver --data-dir /tmp/try --port 0
  rm -r .millwright                             deletes all data`;
