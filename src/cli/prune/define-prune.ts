/**
 * Flags and help of `millwright prune`.
 */
import { Command, Option } from 'commander';
import { withClusterOptions } from '../cluster-options.ts';
import type { Context } from '../command-context.ts';
import type { PruneCommandOptions } from './prune-command.ts';

export function createPruneCommand(program: Command, { ports, version, exit }: Context): Command {
  const command = new Command('prune')
    .copyInheritedSettings(program)
    .summary('delete rendered configs that nothing refers to')
    .description(
      'Deletes rendered MachineConfigs that no pool, node, MachineConfigNode, build or disk of a node refers to, except for the newest of each pool and those that were the target of a pool until recently. Prints what it deletes, what it keeps, and why.',
    )
    .usage('[OPTIONS]')
    .option('--dry-run', 'delete nothing')
    .option('--keep <N>', 'how many of the newest of each pool to keep', '5')
    .option('--pool <POOL>', 'only those of this pool')
    .option('--min-age <DURATION>', 'keep those that were a target less than this ago', '24h')
    .addOption(
      new Option('-o, --output <FORMAT>', 'output format').choices(['text', 'json']).default('text'),
    );
  return withClusterOptions(command)
    .addHelpText('after', PRUNE_EXAMPLES)
    .action(async (options: PruneCommandOptions) => {
      const { pruneCommand } = await import('./prune-command.ts');
      exit(await pruneCommand(options, { ports, version }));
    });
}

const PRUNE_EXAMPLES = `
A machine that boots for the first time has a rendered config before it is a Node: --min-age is for it.
With 0s such a machine may have to be installed again. A node whose daemon has not reported what its
disk refers to keeps all of its pool's configs. What changes while the command runs is kept.

Let the controller do it: kubectl annotate mcp worker millwright.dev/prune-rendered-configs=5
(on the MachineConfiguration cluster: for all pools).

Exit codes: 0 success; 1 the server rejected a request; 2 invalid command line, unknown pool, or the
cluster is not running; 70 internal error.

Examples:
  millwright prune --dry-run
  millwright prune --pool worker --keep 2
  millwright prune --dry-run -o json | jq -r '.configs[] | select(.action == "delete") | .name'`;
