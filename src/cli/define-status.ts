/**
 * `millwright status`: its flags and its help.
 */
import { Command, Option } from 'commander';
import type { Context } from './command-context.ts';
import { withClusterOptions } from './embedded-access.ts';
import type { StatusOptions } from './status-command.ts';

export function createStatusCommand(program: Command, { ports, exit }: Context): Command {
  const command = new Command('status')
    .copyInheritedSettings(program)
    .summary('show pools and nodes at a glance: what moves, what is blocked, and why')
    .description(
      'Shows a bar for each pool, what each moving node is doing and for how long, what is blocked and why,\nwhat is degraded, and what waits in paused pools. POOL names pools; without it all are shown.',
    )
    .usage('[OPTIONS] [POOL...]')
    .argument('[POOL...]')
    .option('-w, --watch', 'go on, and show every change, until Ctrl-C')
    .addOption(new Option('-o, --output <FORMAT>', 'how to print').choices(['text', 'json']).default('text'));
  return withClusterOptions(command)
    .addHelpText('after', STATUS_EXAMPLES)
    .action(async (names: readonly string[], options: StatusOptions) => {
      const { statusCommand } = await import('./status-command.ts');
      exit(await statusCommand(names, options, ports));
    });
}

const STATUS_EXAMPLES = `
In a bar # is updated, > moving, ! degraded, . waiting. A terminal shows colours and a finer bar; a
pipe, and a terminal with NO_COLOR set, get plain text. With --watch a terminal is drawn anew each
second; a pipe gets the whole picture again whenever something changed, below the time of the change,
and with -o json one line for each.

Exit codes: 0 shown, also where something is degraded; 1 the server refused; 2 the command line is
wrong, there is no such pool, or the cluster is not running; 70 an internal error.

Examples:
  millwright status
  millwright status --watch worker
  millwright status -o json | jq '.pools[].nodes[] | select(.state == "moving")'
  millwright status --kubeconfig ~/.kube/config`;
