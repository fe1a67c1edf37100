/**
 * `millwright apiserver`: its flags and its help.
 */
import { Command } from 'commander';
import type { ApiserverOptions } from './apiserver-command.ts';
import { type Context, parseFolder, parsePort } from './command-context.ts';

export function createApiserverCommand(program: Command, { ports, exit }: Context): Command {
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

const APISERVER_EXAMPLES = `
Once it can be used it prints one line on stdout, such as
  ready kubeconfig=.millwright/kubeconfig server=https://127.0.0.1:6443
and nothing else there. All else goes to stderr.

The kubeconfig may be changed (kubectl config …): only the entries of this cluster and its
administrator are brought up to date. A folder or kubeconfig that is something else is left alone.

Exit codes: 0 stopped as asked; 2 the command line is wrong, the port is taken, or the folder cannot
be used, because of another process or of what is in it; 70 an internal error.

Examples:
  millwright apiserver
  kubectl --kubeconfig .millwright/kubeconfig get machineconfigpools
  millwright apiserver --data-dir /tmp/try --port 0
  rm -r .millwright                             forgets everything`;
