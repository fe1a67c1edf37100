/**
 * Flags and help of the commands by which an administrator intervenes: `pause`, `resume`, `retry` and `uncordon`.
 */
import { Command } from 'commander';
import { withClusterOptions } from '../cluster-options.ts';
import type { Context } from '../command-context.ts';
import type { HandOptions, RetryOptions } from './hand-commands.ts';

export function createHandCommands(program: Command, context: Context): readonly Command[] {
  return [
    createPauseCommand(program, context),
    createResumeCommand(program, context),
    createRetryCommand(program, context),
    createUncordonCommand(program, context),
  ];
}

function createPauseCommand(program: Command, { ports, version, exit }: Context): Command {
  const command = new Command('pause')
    .copyInheritedSettings(program)
    .summary('stop sending nodes of a pool to new configs')
    .description(
      'Pauses a pool (spec.paused). No further node is sent to another config; nodes in the middle of an update finish it. Says which these are, and which nodes wait.',
    )
    .usage('[OPTIONS] POOL')
    .argument('<POOL>')
    .option('--dry-run', 'only say what would happen');
  return withClusterOptions(command)
    .addHelpText('after', PAUSE_EXAMPLES)
    .action(async (pool: string, options: HandOptions) => {
      const { pauseCommand } = await import('./hand-commands.ts');
      exit(await pauseCommand(pool, options, { ports, version }));
    });
}

function createResumeCommand(program: Command, { ports, version, exit }: Context): Command {
  const command = new Command('resume')
    .copyInheritedSettings(program)
    .summary('let the nodes of a paused pool be updated again')
    .description(
      'Resumes a paused pool. Says which nodes go to which config, how many at a time, whether they are drained and rebooted as far as the configs tell, and what else holds them.',
    )
    .usage('[OPTIONS] POOL')
    .argument('<POOL>')
    .option('--dry-run', 'only say what would happen');
  return withClusterOptions(command)
    .addHelpText('after', RESUME_EXAMPLES)
    .action(async (pool: string, options: HandOptions) => {
      const { resumeCommand } = await import('./hand-commands.ts');
      exit(await resumeCommand(pool, options, { ports, version }));
    });
}

function createRetryCommand(program: Command, { ports, version, exit }: Context): Command {
  const command = new Command('retry')
    .copyInheritedSettings(program)
    .summary('have a node that fails try again at once')
    .description(
      'Asks the daemon of a node to try again what fails, at once and from the beginning. With --force it applies the whole config again, whatever is on its disk, and reboots: what the file /run/machine-config-daemon-force on the node does. Each request is followed once.',
    )
    .usage('[OPTIONS] NODE')
    .argument('<NODE>')
    .option('--force', 'drain the node, write everything again and reboot, also if nothing fails')
    .option('--dry-run', 'only say what would happen');
  return withClusterOptions(command)
    .addHelpText('after', RETRY_EXAMPLES)
    .action(async (node: string, options: RetryOptions) => {
      const { retryCommand } = await import('./hand-commands.ts');
      exit(await retryCommand(node, options, { ports, version }));
    });
}

function createUncordonCommand(program: Command, { ports, version, exit }: Context): Command {
  const command = new Command('uncordon')
    .copyInheritedSettings(program)
    .summary('remove a cordon that Millwright left on a node')
    .description(
      'Makes a node schedulable that Millwright has cordoned, where no update of it is in progress. A cordon of a person or of another program is not touched.',
    )
    .usage('[OPTIONS] NODE')
    .argument('<NODE>')
    .option('--dry-run', 'only say what would happen');
  return withClusterOptions(command)
    .addHelpText('after', UNCORDON_EXAMPLES)
    .action(async (node: string, options: HandOptions) => {
      const { uncordonCommand } = await import('./hand-commands.ts');
      exit(await uncordonCommand(node, options, { ports, version }));
    });
}

const EXIT_CODES = `
Exit codes: 0 done, or it was so already; 1 refused, or the server rejected the request; 2 invalid
command line, no such pool or node, or no cluster; 70 internal error.
`;

const PAUSE_EXAMPLES = `
A paused pool misses OS, kubelet and other updates. Certificates, credentials of the node and pinned
images still reach its nodes, new configs are rendered, and OS images are built.
${EXIT_CODES}
Examples:
  millwright pause worker
  millwright pause worker --dry-run`;

const RESUME_EXAMPLES = `
All changes since the pause are applied in one step.
${EXIT_CODES}
Examples:
  millwright resume worker --dry-run
  millwright resume worker && millwright status --watch worker`;

const RETRY_EXAMPLES = `
A node that fails tries again by itself, after growing waits of up to a minute; this is for the person
who has mended the cause. It is refused where the node does not fail (unless forced), while it is
being drained, while its pool is paused, and where the pool would have more nodes out of service than
its maxUnavailable.

Files that were changed by hand are only overwritten with --force.
${EXIT_CODES}
Examples:
  millwright retry worker-0
  millwright retry worker-0 --force --dry-run`;

const UNCORDON_EXAMPLES = `
Nodes are uncordoned at the end of their update; this is for one that was left behind.
${EXIT_CODES}
Examples:
  millwright uncordon worker-0
  kubectl uncordon worker-0                     any cordon, also one of yours`;
