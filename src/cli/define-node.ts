/**
 * `millwright node`: its flags and its help.
 */
import { Argument, Command } from 'commander';
import type { Context } from './command-context.ts';
import { withClusterOptions } from './embedded-access.ts';
import type { NodeAction, NodeOptions } from './node-command.ts';

const ACTIONS: readonly NodeAction[] = ['status', 'ls', 'cat', 'touch', 'pull', 'reboot'];

export function createNodeCommand(program: Command, { ports, exit }: Context): Command {
  const command = new Command('node')
    .copyInheritedSettings(program)
    .summary('look into a sandbox node: its OS, its files, its mirrors')
    .description(
      'What `oc debug node/NAME -- chroot /host …` is for elsewhere, on a node of `millwright up`:\n\n  status        the OS images on its disk, as rpm-ostree status prints them\n  ls PATH       a folder or a file, as ls -l, with the owners that the node knows\n  cat PATH      the bytes of a file\n  touch PATH    makes an empty file\n  pull IMAGE    pulls an image through the mirrors of the node, and tells of each that it tries\n  reboot        reboots it at once, without moving its pods first',
    )
    .usage('[OPTIONS] NAME (status | ls PATH | cat PATH | touch PATH | pull IMAGE | reboot)')
    .argument('<NAME>')
    .addArgument(new Argument('<ACTION>').choices(ACTIONS))
    .argument('[WHAT]')
    .option('--dry-run', 'of touch and reboot: say what would be done');
  return withClusterOptions(command)
    .addHelpText('after', NODE_EXAMPLES)
    .action(async (name: string, action: NodeAction, what: string | undefined, options: NodeOptions) => {
      const { nodeCommand } = await import('./node-command.ts');
      exit(await nodeCommand({ name, action, what }, options, ports));
    });
}

const NODE_EXAMPLES = `
A node whose daemon says that a file is not as it should be, and that nobody wants to mend by hand,
takes its config anew once this file is there:
  millwright node worker-0 touch /run/machine-config-daemon-force

A pull reads /etc/containers/registries.conf and registries.conf.d of that node each time, so it
shows what an ImageTagMirrorSet has come to. What is pulled is checked, and not kept.

A node that is down answers nothing; DIR/nodes/NAME/rootfs shows its files all the same.

Exit codes: 0 done; 1 the node refused: no such file, no such image; 2 the command line is wrong, or
there is no such node, or no way to it; 70 an internal error.

Examples:
  millwright node worker-0 status
  millwright node worker-0 ls /etc/containers
  millwright node worker-0 cat /etc/containers/registries.conf
  millwright node worker-0 pull nginx:1.25
  millwright node worker-0 reboot --dry-run`;
