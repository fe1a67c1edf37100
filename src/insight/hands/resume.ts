/**
 * `millwright resume`: which nodes move then, where to, how many at a time, and what it costs them.
 */
import type { MachineConfigPool } from '../../api/index.ts';
import { formatProblem } from '../../base/errors.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import { maxUnavailable, poolGate, selectCandidates } from '../../rollout/index.ts';
import { nodesText } from '../messages.ts';
import { disruptionText, type KnownConfigs } from './expected-disruption.ts';
import { type HandDecision, nameList } from './hand-decision.ts';
import type { PoolView } from './pool-view.ts';

export function decideResume(view: PoolView, known: KnownConfigs): HandDecision {
  const name = nameOf(view.pool);
  if (!view.summary.isPaused) {
    return { kind: 'unchanged', lines: [`pool ${name} is not paused`] };
  }
  return {
    kind: 'change',
    lines: movingLines(view, known),
    patch: { spec: { paused: false } },
    done: 'resumed',
    planned: 'would be resumed',
  };
}

function movingLines(view: PoolView, known: KnownConfigs): readonly string[] {
  const { pool, tally, summary, nodes } = view;
  const name = nameOf(pool);
  const { config } = tally.target;
  const isCandidate = ({ metadata }: (typeof nodes)[number]) =>
    ['candidate', 'retryable'].includes(tally.contribution(metadata.name)?.part ?? '');
  const candidates = nodes.filter(isCandidate);
  const left = heldLines(view);
  if (candidates.length === 0) return [`pool ${name}: no node waits for an update`, ...left];
  const moved = nodesText(candidates.length);
  const of = `${moved} of ${summary.counts.machines}`;
  return [
    `pool ${name}: ${of} ${candidates.length === 1 ? 'goes' : 'go'} to ${config}: ${nameList(candidates.map(nameOf))}`,
    `  ${limitText(view)}; ${disruptionText(candidates, tally.target, known)}`,
    ...gateLines(view, known),
    ...left,
  ];
}

function limitText({ pool, tally }: PoolView): string {
  const limit = maxUnavailable(pool, tally.counts.machineCount);
  if (limit.kind === 'invalid') return `none of them moves: ${limit.problems.map(formatProblem).join('; ')}`;
  const { capacity } = selectCandidates(tally.availability, limit.value);
  const atOnce = limit.value === 1 ? 'one at a time' : `at most ${limit.value} at a time (maxUnavailable)`;
  if (capacity > 0) return atOnce;
  const { unavailable, failing } = tally.availability;
  return `${atOnce}, once fewer nodes are unavailable or failing than the ${unavailable + failing} now`;
}

/** Why none moves although the pool is not paused any more. */
function gateLines(view: PoolView, known: KnownConfigs): readonly string[] {
  const { pool, layering } = view;
  // Only the controllers know the topology of the control plane.
  if (nameOf(pool) === 'arbiter') return [];
  const gate = poolGate({
    pool: resumed(pool),
    topology: '',
    machineConfigExists: (name) => known.machineConfig(name) !== undefined,
    ...(layering === undefined ? {} : { layering }),
  });
  return gate.kind === 'open' ? [] : [`  none of them moves yet: ${gate.message}`];
}

function resumed(pool: MachineConfigPool): MachineConfigPool {
  return { ...pool, spec: { ...pool.spec, paused: false } };
}

/** Nodes that wait, and are not sent. */
function heldLines({ summary, tally }: PoolView): readonly string[] {
  return summary.nodes.flatMap(({ name, state, cordonedBy, notReady }) => {
    if (state !== 'waiting' || tally.contribution(name)?.part !== 'none') return [];
    if (cordonedBy === 'other') return [`  ${name} is not sent: it is cordoned by another client`];
    return notReady === undefined ? [] : [`  ${name} is not sent: it is not Ready`];
  });
}
