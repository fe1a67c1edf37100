/**
 * Printer of Pods.
 */

import type { JsonObject } from '../../base/json.ts';
import { listAt, stringAt } from '../../base/json-fields.ts';
import { humanDuration } from '../../base/text/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import type { TableRowCondition } from '../../kubernetes/types/index.ts';
import { POD } from './descriptions-pods.ts';
import { conditionStatus } from './fields.ts';
import { type PodState, podState, type Restarts } from './pod-state.ts';
import { AGE, creationAge, NAME, printerOf, text, wide } from './printer.ts';

type PodFacts = { readonly pod: JsonObject; readonly state: PodState };

export const podPrinter = printerOf<PodFacts>({
  texts: POD,
  read: (pod) => ({ pod, state: podState(pod) }),
  columns: [
    { column: NAME, cell: ({ pod }) => nameOf(pod) },
    text('Ready', ({ state }) => `${state.readyContainers}/${state.containers}`),
    text('Status', ({ state }) => state.reason),
    text('Restarts', ({ state }, nowMs) => formatRestarts(state.restarts, nowMs)),
    { column: AGE, cell: ({ pod }, nowMs) => creationAge(pod, nowMs) },
    wide('IP', ({ pod }) => addressOf(pod)),
    wide('Node', ({ pod }) => stringAt(pod, 'spec', 'nodeName') || '<none>'),
    wide('Nominated Node', ({ pod }) => stringAt(pod, 'status', 'nominatedNodeName') || '<none>'),
    wide('Readiness Gates', ({ pod }) => readinessGates(pod)),
  ],
  conditions: ({ pod }) => conditionsOf(stringAt(pod, 'status', 'phase')),
});

function formatRestarts({ count, lastMs }: Restarts, nowMs: number): string {
  return count === 0 || lastMs === undefined
    ? String(count)
    : `${count} (${humanDuration(nowMs - lastMs)} ago)`;
}

function readinessGates(pod: unknown): string {
  const gates = listAt(pod, 'spec', 'readinessGates').map((gate) => stringAt(gate, 'conditionType'));
  const open = gates.filter((type) => conditionStatus(pod, type) === 'True');
  return gates.length === 0 ? '<none>' : `${open.length}/${gates.length}`;
}

/** Finished pods are marked, so that kubectl can hide them. */
function conditionsOf(phase: string): readonly TableRowCondition[] {
  switch (phase) {
    case 'Succeeded':
      return [
        { type: 'Completed', status: 'True', reason: phase, message: 'The pod has completed successfully.' },
      ];
    case 'Failed':
      return [{ type: 'Completed', status: 'True', reason: phase, message: 'The pod failed.' }];
    default:
      return [];
  }
}

/** `podIP` takes precedence over `podIPs`, which old kubelets do not set. */
function addressOf(pod: unknown): string {
  const [first] = listAt(pod, 'status', 'podIPs');
  return stringAt(pod, 'status', 'podIP') || stringAt(first, 'ip') || '<none>';
}
