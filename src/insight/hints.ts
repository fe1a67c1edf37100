/**
 * Commands that show details of a problem or resolve it.
 */
import type { AbsentComponents } from './absent-components.ts';
import type { FleetStatus } from './fleet-status.ts';
import type { NodeSummary } from './node-summary.ts';
import type { PoolSummary } from './pool-summary.ts';

type Hint = { readonly command: string; readonly why: string };

/** At most one of each kind. */
export function hintsOf({ pools, absent, failing, cause }: FleetStatus): readonly Hint[] {
  const nodes = pools.flatMap((pool) => pool.nodes);
  return [
    cause === undefined ? firstOf(pools, causeHint) : doctorHint(cause),
    absent === undefined ? undefined : absentHint(absent),
    failing === undefined ? undefined : FAILING_HINT,
    firstOf(nodes, blockageHint),
    firstOf(nodes, failureHint),
    firstOf(nodes, overdueHint),
    firstOf(pools, renderHint),
    firstOf(pools, pauseHint),
    firstOf(nodes, withoutDaemonHint),
  ].flatMap((hint) => (hint === undefined ? [] : [hint]));
}

/** The condition names the first object alone; all of them have events. */
const FAILING_HINT: Hint = {
  command: 'kubectl -n default get events --field-selector reason=ReconcileFailed',
  why: 'which objects, and why',
};

function firstOf<T>(all: readonly T[], hintOf: (one: T) => Hint | undefined): Hint | undefined {
  for (const one of all) {
    const hint = hintOf(one);
    if (hint !== undefined) return hint;
  }
  return undefined;
}

function causeHint({ cause, name }: PoolSummary): Hint | undefined {
  return cause === undefined ? undefined : doctorHint(cause, ` ${name}`);
}

function doctorHint(cause: string, subject = ''): Hint {
  return { command: `millwright doctor${subject}`, why: `${cause}: the evidence, and what to do` };
}

function absentHint({ namespace, components, daemons, isNotInstalled }: AbsentComponents): Hint | undefined {
  if (isNotInstalled === true) return undefined;
  const names = components.map(({ name }) => name).join(' ');
  if (names === '') {
    const command = `kubectl -n ${namespace} get pods -o wide -l k8s-app=machine-config-daemon`;
    return daemons === undefined ? undefined : { command, why: 'where it runs' };
  }
  return {
    command: `kubectl -n ${namespace} get deployment ${names}`,
    why: 'installed and available?',
  };
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

function overdueHint({ overdue, name }: NodeSummary): Hint | undefined {
  if (overdue === undefined) return undefined;
  return { command: `kubectl describe node ${name}`, why: 'when it was last seen' };
}

function renderHint({ state, name }: PoolSummary): Hint | undefined {
  if (state !== 'broken-render' && state !== 'misconfigured') return undefined;
  return { command: `kubectl describe mcp ${name}`, why: 'details of the pool' };
}

function withoutDaemonHint({ state, name }: NodeSummary): Hint | undefined {
  if (state !== 'without-daemon') return undefined;
  return {
    command: `kubectl get pods -A -o wide -l k8s-app=machine-config-daemon --field-selector spec.nodeName=${name}`,
    why: 'none: see daemon.nodeSelector',
  };
}

function pauseHint({ isPaused, counts, name }: PoolSummary): Hint | undefined {
  if (!isPaused || counts.waiting === 0) return undefined;
  return { command: `millwright resume ${name}`, why: 'lets its nodes be updated' };
}
