/**
 * Flags and help of `millwright node`.
 */
import { Argument, Command } from 'commander';
import { withClusterOptions } from './cluster-options.ts';
import type { Context } from './command-context.ts';
import type { NodeAction, NodeOptions } from './node-command.ts';

const ACTIONS: readonly NodeAction[] = ['status', 'ls', 'cat', 'touch', 'pull', 'pivot', 'reboot'];

export function createNodeCommand(program: Command, { ports, exit }: Context): Command {
  const command = new Command('node')
    .copyInheritedSettings(program)
    .summary('inspect a sandbox node: its OS, files and mirrors')
    .description(
      'The equivalent of `oc debug node/NAME -- chroot /host …` for nodes of `millwright up`:\n\n  status        print its OS deployments like rpm-ostree status\n  ls PATH       list a directory or file like ls -l, with the recorded owners\n  cat PATH      print the content of a file\n  touch PATH    create an empty file\n  pull IMAGE    pull an image through the mirrors of the node, and report each attempt\n  pivot IMAGE   stage an OS image for the next boot, as machine-config-daemon pivot does\n  reboot        reboot immediately, without draining',
    )
    .usage('[OPTIONS] NAME (status | ls PATH | cat PATH | touch PATH | pull IMAGE | pivot IMAGE | reboot)')
    .argument('<NAME>')
    .addArgument(new Argument('<ACTION>').choices(ACTIONS))
    .argument('[WHAT]')
    .option('--dry-run', 'with touch and reboot: print what would be done');
  return withClusterOptions(command)
    .addHelpText('after', NODE_EXAMPLES)
    .action(async (name: string, action: NodeAction, what: string | undefined, options: NodeOptions) => {
      const { nodeCommand } = await import('./node-command.ts');
      exit(await nodeCommand({ name, action, what }, options, ports));
    });
}

const NODE_EXAMPLES = `
When the daemon reports config drift, create this file to make it apply the whole config again:
  millwright node worker-0 touch /run/machine-config-daemon-force

A pull reads /etc/containers/registries.conf, registries.conf.d and the CAs in /etc/docker/certs.d
of the node each time, so it shows the effect of an ImageTagMirrorSet and of additionalTrustedCA.
Pulled content is verified, then discarded.

A pivot changes the OS by hand and leaves the config of the node as it is: after a reboot the pool
reports "expected target osImageURL", until the node is pivoted back or the config names the image.

A node that is down does not respond; its files are still visible in DIR/nodes/NAME/rootfs.

Exit codes: 0 success; 1 the node rejected the request (no such file, no such image); 2 invalid
command line, or the node does not exist or is unreachable; 70 internal error.

Examples:
  millwright node worker-0 status
  millwright node worker-0 ls /etc/containers
  millwright node worker-0 cat /etc/containers/registries.conf
  millwright node worker-0 pull nginx:1.25
  millwright node worker-0 pivot registry.example/os@sha256:...
  millwright node worker-0 reboot --dry-run`;
