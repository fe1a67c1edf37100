/**
 * Commands that show details of a problem or resolve it.
 */
import type { FleetStatus } from './fleet-status.ts';
import type { NodeSummary } from './node-summary.ts';
import type { PoolSummary } from './pool-summary.ts';

type Hint = { readonly command: string; readonly why: string };

/** At most one of each kind. */
export function hintsOf({ pools }: FleetStatus): readonly Hint[] {
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

function blockageHint({ blockage }: NodeSummary): Hint | undefined {
  if (blockage?.pod === undefined || blockage.budget === undefined) return undefined;
  const budgets = blockage.budget.replaceAll(/,\s*/g, ' ');
  return {
    command: `kubectl -n ${blockage.pod.namespace} describe pdb ${budgets}`,
    why: 'details of the budget',
  };
}

function failureHint({ failure, name }: NodeSummary): Hint | undefined {
  if (failure === undefined) return undefined;
  return { command: `kubectl describe machineconfignode ${name}`, why: 'details of the node' };
}

function renderHint({ state, name }: PoolSummary): Hint | undefined {
  if (state !== 'broken-render' && state !== 'misconfigured') return undefined;
  return { command: `kubectl describe mcp ${name}`, why: 'details of the pool' };
}

function pauseHint({ isPaused, counts, name }: PoolSummary): Hint | undefined {
  if (!isPaused || counts.waiting === 0) return undefined;
  const patch = `'{"spec":{"paused":false}}'`;
  return { command: `kubectl patch mcp ${name} --type merge -p ${patch}`, why: 'unpauses the pool' };
}
