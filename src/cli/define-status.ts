/**
 * Flags and help of `millwright status`.
 */
import { Command, Option } from 'commander';
import { withClusterOptions } from './cluster-options.ts';
import type { Context } from './command-context.ts';
import type { StatusOptions } from './status-command.ts';

export function createStatusCommand(program: Command, { ports, exit }: Context): Command {
  const command = new Command('status')
    .copyInheritedSettings(program)
    .summary('show the status of pools and nodes: what is updating, what is blocked, and why')
    .description(
      'Shows the progress of each pool, the current step of each updating node and for how long it has taken, what is blocked or degraded and why, and what is pending in paused pools. Shows all pools unless POOL is given.',
    )
    .usage('[OPTIONS] [POOL...]')
    .argument('[POOL...]')
    .option('-w, --watch', 'show every change until Ctrl-C')
    .addOption(
      new Option('-o, --output <FORMAT>', 'output format').choices(['text', 'json']).default('text'),
    );
  return withClusterOptions(command)
    .addHelpText('after', STATUS_EXAMPLES)
    .action(async (names: readonly string[], options: StatusOptions) => {
      const { statusCommand } = await import('./status-command.ts');
      exit(await statusCommand(names, options, ports));
    });
}

const STATUS_EXAMPLES = `
Progress bars show nodes as # updated, > updating, ! degraded, . waiting. Terminals get colours and a
finer bar; pipes, and terminals with NO_COLOR set, get plain text. With --watch a terminal is redrawn
every second; a pipe gets the full status with a timestamp after every change, or one line of JSON per
change with -o json.

A code behind the state of a pool, such as DrainBlocked, is what \`millwright doctor\` names as the cause
that holds it up.

Exit codes: 0 success, even if something is degraded; 1 the server rejected a request; 2 invalid
command line, unknown pool, or the cluster is not running; 70 internal error.

Examples:
  millwright status
  millwright status --watch worker
  millwright status -o json | jq '.pools[].nodes[] | select(.state == "moving")'
  millwright status --kubeconfig ~/.kube/config`;
