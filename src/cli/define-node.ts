/**
 * Flags and help of `millwright node`.
 */
import { Argument, Command } from 'commander';
import { withClusterOptions } from './cluster-options.ts';
import type { Context } from './command-context.ts';
import type { AddNodeOptions, RemoveNodeOptions } from './fleet-commands.ts';
import type { NodeAction, NodeOptions } from './node-command.ts';

const ACTIONS: readonly NodeAction[] = ['status', 'ls', 'cat', 'touch', 'pull', 'pivot', 'reboot'];

export function createNodeCommand(program: Command, context: Context): Command {
  const { ports, exit } = context;
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
    .option('--dry-run', 'with touch and reboot: print what would be done')
    .addCommand(createAddCommand(program, context))
    .addCommand(createRemoveCommand(program, context));
  return withClusterOptions(command)
    .addHelpText('after', NODE_EXAMPLES)
    .action(async (name: string, action: NodeAction, what: string | undefined, options: NodeOptions) => {
      const { nodeCommand } = await import('./node-command.ts');
      exit(await nodeCommand({ name, action, what }, options, ports));
    });
}

function createAddCommand(program: Command, { ports, exit }: Context): Command {
  const command = new Command('add')
    .copyInheritedSettings(program)
    .summary('add a sandbox machine, which joins through the machine config server')
    .description(
      'Adds a machine to a running cluster of `millwright up`. It joins as a new machine of a platform does: it boots with the pointer config of its pool, fetches its Ignition from the machine config server, applies it, and reboots once if OS image or kernel arguments differ; then its Node appears, and its daemon takes over. Each step is printed. Ends when the node is Updated; in a paused pool, when it has the config that the pool gives meanwhile.',
    )
    .usage('[OPTIONS]')
    .option('--pool <POOL>', 'the pool whose config it boots with', 'worker')
    .option(
      '--name <NAME>',
      'worker-NUMBER, or master-NUMBER for the pool master (default: the next free one)',
    );
  return withClusterOptions(command)
    .addHelpText('after', ADD_EXAMPLES)
    .action(async (_: unknown, self: Command) => {
      const { addNodeCommand } = await import('./fleet-commands.ts');
      // Also those that were given before the name of the command.
      exit(await addNodeCommand(self.optsWithGlobals<AddNodeOptions>(), ports));
    });
}

function createRemoveCommand(program: Command, { ports, exit }: Context): Command {
  const command = new Command('remove')
    .copyInheritedSettings(program)
    .summary('drain and remove a sandbox machine')
    .description(
      'Removes a machine from a running cluster of `millwright up`: cordons it, evicts its pods within their disruption budgets, switches it off, deletes its Node and MachineConfigNode, and its directory with everything on its disk.',
    )
    .usage('[OPTIONS] NAME')
    .argument('<NAME>')
    .option('--force', 'without draining: its pods are lost');
  return withClusterOptions(command)
    .addHelpText('after', REMOVE_EXAMPLES)
    .action(async (name: string, _: unknown, self: Command) => {
      const { removeNodeCommand } = await import('./fleet-commands.ts');
      exit(await removeNodeCommand(name, self.optsWithGlobals<RemoveNodeOptions>(), ports));
    });
}

const REMOVE_EXAMPLES = `
Ctrl-C during the drain keeps the machine, and makes it schedulable again. The only machine of the
control plane is not removed.

Exit codes: 0 the machine is removed; 1 it cannot be; 2 invalid command line, the cluster is not
running, or none of its nodes is Ready; 70 internal error.

Examples:
  millwright node remove worker-3
  millwright node remove worker-3 --force`;

const ADD_EXAMPLES = `
A machine that is being added belongs to the cluster: Ctrl-C ends the output alone, and the machine
continues to join, also after a restart of \`millwright up\`. Where something is missing, the command
prints what the machine waits for.

Exit codes: 0 the node has joined; 1 it cannot join, or pool or name cannot be used; 2 invalid command
line, the cluster is not running, or none of its nodes is Ready; 70 internal error.

Examples:
  millwright node add
  millwright node add --pool infra --name worker-7`;

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
