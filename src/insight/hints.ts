/**
 * Commands that show more of what is wrong, or set free what waits.
 */
import type { FleetOverview } from './fleet-overview.ts';
import type { NodeOverview } from './node-overview.ts';
import type { PoolOverview } from './pool-overview.ts';

type Hint = { readonly command: string; readonly why: string };

/** One of each kind is enough to learn from. */
export function hintsOf({ pools }: FleetOverview): readonly Hint[] {
  const nodes = pools.flatMap((pool) => pool.nodes);
  return [
    firstOf(nodes, blockageHint),
    firstOf(nodes, failureHint),
    firstOf(pools, renderHint),
    firstOf(pools, pauseHint),
  ].flatMap((hint) => (hint === undefined ? [] : [hint]));
}

function firstOf<T>(all: readonly T[], hintOf: (one: T) => Hint | undefined): Hint | undefined {
  for (const one of all) {
    const hint = hintOf(one);
    if (hint !== undefined) return hint;
  }
  return undefined;
}

function blockageHint({ blockage }: NodeOverview): Hint | undefined {
  if (blockage?.pod === undefined || blockage.budget === undefined) return undefined;
  const budgets = blockage.budget.replaceAll(/,\s*/g, ' ');
  return {
    command: `kubectl -n ${blockage.pod.namespace} describe pdb ${budgets}`,
    why: 'what the budget allows',
  };
}

function failureHint({ failure, name }: NodeOverview): Hint | undefined {
  if (failure === undefined) return undefined;
  return { command: `kubectl describe machineconfignode ${name}`, why: 'all that the node says' };
}

function renderHint({ state, name }: PoolOverview): Hint | undefined {
  if (state !== 'broken-render' && state !== 'misconfigured') return undefined;
  return { command: `kubectl describe mcp ${name}`, why: 'all that the pool says' };
}

function pauseHint({ isPaused, counts, name }: PoolOverview): Hint | undefined {
  if (!isPaused || counts.waiting === 0) return undefined;
  const patch = `'{"spec":{"paused":false}}'`;
  return { command: `kubectl patch mcp ${name} --type merge -p ${patch}`, why: 'lets them go' };
}
