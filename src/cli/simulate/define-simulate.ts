/**
 * Flags and help of `millwright simulate`.
 */
import { Command, InvalidArgumentError, Option } from 'commander';
import { withClusterOptions } from '../cluster-options.ts';
import { type Context, collect } from '../command-context.ts';
import { installedNamespaceOption } from '../namespace-option.ts';
import type { SimulateOptions } from './simulate-command.ts';

export function createSimulateCommand(program: Command, { ports, version, exit }: Context): Command {
  const command = new Command('simulate')
    .copyInheritedSettings(program)
    .summary('rehearse a change on a copy of the cluster: how long, in what order, what blocks')
    .description(
      'Rehearses a change on a copy of the cluster in memory and in virtual time: with the real operator, controllers and daemons, on modelled machines, with the pods and disruption budgets of the cluster. Says how long it takes, in what order nodes go and what blocks, with a chart. Without a change: the rollout that is under way. The cluster itself is only read.',
    )
    .usage('[OPTIONS] [-f FILE...]')
    .option(
      '-f, --filename <FILE>',
      'manifests to apply: a file, a directory or - for stdin; may be repeated',
      collect,
    )
    .option('--delete <KIND/NAME>', 'an object to delete; may be repeated', collect)
    .option(
      '--from <PATH>',
      'simulate on a dump (folder or archive), a must-gather, or manifests with Nodes, instead of a cluster; may be repeated for manifests',
      collect,
    )
    .option(
      '--max-unavailable <N|P%>',
      'what if pools allowed so many nodes at a time (the control plane keeps its quorum)',
      parseMaxUnavailable,
    )
    .option(
      '--node-minutes <M>',
      'how long the reboot of a node takes (default: as in the last updates of the nodes, else 5)',
      parseMinutes,
    )
    .option('--fault <KIND[=VALUE]>', 'what if something goes wrong, see below; may be repeated', collect)
    .option(
      '--seeds <N>',
      'how many runs, for the bands p10 to p90 (default: 5; 3 above 100 nodes, 1 above 400)',
      parseSeeds,
    )
    .option('-v, --verbose', 'show every node in the chart')
    .addOption(new Option('-o, --output <FORMAT>', 'output format').choices(['text', 'json']).default('text'))
    .addOption(installedNamespaceOption());
  return withClusterOptions(command)
    .addHelpText('after', SIMULATE_EXAMPLES)
    .action(async (options: SimulateOptions) => {
      // A dynamic import: production never loads the simulator.
      const { simulateCommand } = await import('./simulate-command.ts');
      exit(await simulateCommand(options, { ports, version }));
    });
}

const MAX_MINUTES = 24 * 60;
const MAX_SEEDS = 1000;

function parseMaxUnavailable(text: string): number | string {
  const [, digits = '', percent] = /^(\d{1,6})(%?)$/.exec(text) ?? [];
  const count = Number(digits || Number.NaN);
  if (!(count >= 1) || (percent === '%' && count > 100)) {
    throw new InvalidArgumentError('Must be a number from 1, or a percentage such as 10%.');
  }
  return percent === '%' ? text : count;
}

function parseMinutes(text: string): number {
  const minutes = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(minutes > 0 && minutes <= MAX_MINUTES)) {
    throw new InvalidArgumentError(`Must be a number of minutes, at most ${MAX_MINUTES}.`);
  }
  return minutes;
}

function parseSeeds(text: string): number {
  const seeds = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(seeds >= 1 && seeds <= MAX_SEEDS)) {
    throw new InvalidArgumentError(`Must be a number from 1 to ${MAX_SEEDS}.`);
  }
  return seeds;
}

const SIMULATE_EXAMPLES = `
Faults, each at a fixed moment:
  node-lost=NODE            it does not come back from its reboot
  node-down=NODE            it is down before the change, and stays so
  slow-node=NODE[:FACTOR]   boots and downloads take 3 times as long, or FACTOR times
  disk-full=NODE            from the change on nothing can be written on it
  registry-down=10m         no image can be pulled for so long after the change
  controller-crash[=10m]    the controllers are killed when the first node is sent, and are back at
                            once, or after so long

Runs differ in what nobody can know: how long each reboot takes, when pods have ended and where they
come back. The same seed gives the same run. The form of -o json is docs/schemas/simulate.schema.json;
what is modelled and what is not is in docs/simulate.md.

Exit codes: 0 it comes to its end, or no node moves; 3 something blocks: nodes are left behind; 1 the
change is invalid; 2 invalid command line, unreadable input, or no cluster; 70 internal error.

Examples:
  millwright simulate -f 99-worker-chrony.yaml
  millwright simulate -f 99-worker-chrony.yaml --max-unavailable 10% --node-minutes 12
  millwright simulate -f os-update.yaml --fault node-lost=worker-3 --fault registry-down=10m
  millwright simulate --delete machineconfig/99-worker-motd --seeds 50 -o json
  millwright simulate --from incident.tar.gz -f fix.yaml
  millwright simulate                                       how long the present rollout still takes`;
