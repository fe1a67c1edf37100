/**
 * `millwright pause`: what stops, what does not, and what a pool that stays paused misses.
 */
import { nameOf } from '../../kubernetes/meta/index.ts';
import { nodesText, oneLine } from '../messages.ts';
import type { NodeSummary } from '../node-summary.ts';
import { type HandDecision, nameList } from './hand-decision.ts';
import { type PoolView, phaseText } from './pool-view.ts';

export function decidePause(view: PoolView): HandDecision {
  const name = nameOf(view.pool);
  const waiting = waitingLines(view);
  if (view.summary.isPaused) {
    return { kind: 'unchanged', lines: [`pool ${name} is already paused`, ...waiting, untilResumed(name)] };
  }
  return {
    kind: 'change',
    lines: [
      `pool ${name}: no further node is sent to another config`,
      ...view.summary.nodes.flatMap((node) => busyLine(node, view)),
      ...waiting,
      untilResumed(name),
    ],
    patch: { spec: { paused: true } },
    done: 'paused',
    planned: 'would be paused',
  };
}

/** Pausing does not stop a node that has been sent. */
function busyLine(node: NodeSummary, { now }: PoolView): readonly string[] {
  const { name, state, failure, desired, current } = node;
  if (state === 'moving') return [`  ${name} finishes its update: ${phaseText(node, now)}`];
  if (failure === undefined || desired === current) return [];
  return [`  ${name} keeps trying its update, which fails: ${oneLine(failure.message)}`];
}

function waitingLines({ summary }: PoolView): readonly string[] {
  const waiting = summary.nodes.filter(({ state }) => state === 'waiting').map((node) => node.name);
  if (waiting.length === 0) return [];
  const verb = waiting.length === 1 ? 'waits, and keeps its config' : 'wait, and keep their config';
  return [`  ${nodesText(waiting.length)} ${verb}: ${nameList(waiting)}`];
}

function untilResumed(name: string): string {
  return `  certificates, credentials and pinned images still reach its nodes; configs, settings and OS images wait for: millwright resume ${name}`;
}
