import { describe, expect, it } from 'vitest';
import { annotations } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { type DrainRecord, formatDrainRecord } from './drain-record.ts';
import { drainConditions } from './node-conditions.ts';

const record: DrainRecord = {
  request: 'drain-v1',
  cordonedBy: 'millwright',
  beganMs: 0,
  attempts: 1,
  attemptBeganMs: 0,
};

function aNode(asked: string, answered: string, of?: DrainRecord, unschedulable = true): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'n',
      annotations: {
        [annotations.desiredDrain]: asked,
        [annotations.lastAppliedDrain]: answered,
        ...(of === undefined ? {} : { [annotations.drain]: formatDrainRecord(of) }),
      },
    },
    spec: { unschedulable },
  };
}

/** Each condition in one line. */
function lines(node: Node): readonly string[] | undefined {
  const conditions = drainConditions(node);
  return (
    conditions &&
    [conditions.phase, ...conditions.steps].map(
      ({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`,
    )
  );
}

const CORDONED =
  'Cordoned=True UpdateExecutedCordoned: Cordoned node. The node is reporting Unschedulable = true';
const UNTIL =
  'The drain will not be complete until desired drainer drain-v1 matches current drainer uncordon-v0';

describe('there are no drain conditions', () => {
  it.each<[string, Node]>([
    ['without a request', aNode('', '')],
    ['before the drain has begun', aNode('drain-v1', 'uncordon-v0', undefined, false)],
    ['of an older drain', aNode('drain-v2', 'drain-v1', record)],
    ['between an uncordon by another client and our next cordon', aNode('drain-v1', '', record, false)],
    ['before an uncordon is done', aNode('uncordon-v1', 'drain-v1', record)],
    ['of an unknown request', aNode('dance-v1', 'dance-v1')],
  ])('%s', (_, node) => {
    expect(lines(node)).toBeUndefined();
  });
});

describe('the drain conditions', () => {
  it('report a drain in progress', () => {
    expect(lines(aNode('drain-v1', 'uncordon-v0', record))).toEqual([
      'UpdateExecuted=Unknown Drained: Draining Node as part of update executed phase',
      CORDONED,
      `Drained=Unknown UpdateExecutedDrained: Draining node. ${UNTIL}`,
    ]);
  });

  it.each<[string, Partial<DrainRecord>, string]>([
    [
      'which pod and budget are in the way',
      { lastRefusal: { namespace: 'shop', pod: 'web-0', budget: 'web', message: 'no.' }, lastError: 'older' },
      'error when evicting pods/"web-0" -n "shop": disruption budget web: no.',
    ],
    ['why the last attempt failed, as a sentence', { lastError: 'slow pod' }, 'slow pod.'],
    ['why the last attempt failed, where its text was cut', { lastError: 'slow po…' }, 'slow po…'],
  ])('%s', (_, more, error) => {
    expect(lines(aNode('drain-v1', 'uncordon-v0', { ...record, ...more }))).toEqual([
      'UpdateExecuted=Unknown Drained: Node Drain has not succeeded',
      CORDONED,
      `Drained=Unknown UpdateExecutedDrained: Error: Node Drain has not succeeded. Error is: ${error} ${UNTIL}`,
    ]);
  });

  it('report that the node cannot be cordoned', () => {
    const cordonError = { verb: 'cordon', message: 'node n: failed to cordon (1 tries): no' } as const;
    const failing = { ...record, cordonedBy: 'nobody', cordonError } as const;
    expect(lines(aNode('drain-v1', 'uncordon-v0', failing, false))).toEqual([
      'UpdateExecuted=Unknown Cordoned: Failed to Cordon Node as part of In progress update phase',
      'Cordoned=Unknown UpdateExecutedCordoned: Error: Failed to Cordon node. Error is node n: failed to cordon (1 tries): no, The node is reporting Unschedulable = false',
    ]);
  });

  it('report that the node cannot be uncordoned', () => {
    const cordonError = { verb: 'uncordon', message: 'node n: failed to uncordon (1 tries): no' } as const;
    expect(lines(aNode('uncordon-v1', 'drain-v1', { ...record, cordonError }))).toEqual([
      'UpdateComplete=Unknown Uncordoned: Failed to Uncordon Node as part of completing upgrade phase',
      'Uncordoned=Unknown UpdateCompleteUncordoned: Error: Failed to UnCordon node. Error is: node n: failed to uncordon (1 tries): no. The node is reporting Unschedulable = true',
    ]);
  });

  it('report nothing about a failed cordon once the node requests to be uncordoned', () => {
    const cordonError = { verb: 'cordon', message: 'no' } as const;
    expect(lines(aNode('uncordon-v1', 'drain-v1', { ...record, cordonError }))).toBeUndefined();
  });

  it('report a complete drain', () => {
    expect(lines(aNode('drain-v1', 'drain-v1', record))).toEqual([
      'UpdateExecuted=Unknown Drained: Drained Node as part of update executed phase',
      CORDONED,
      'Drained=True UpdateExecutedDrained: Drained node. The drain is complete as the desired drainer matches current drainer: drain-v1',
    ]);
  });

  it('report that no drain is required', () => {
    expect(lines(aNode('drain-v1', 'drain-v1', { ...record, isSkipped: true }, false))).toEqual([
      'UpdateExecuted=Unknown Drained: Node Drain Not required for this update.',
      'Drained=False UpdateExecutedDrained: Node Drain Not required for this update.',
    ]);
  });

  it.each([true, false])(
    'that the update has ended, with whether it takes work: cordoned %j',
    (isCordoned) => {
      expect(lines(aNode('uncordon-v1', 'uncordon-v1', undefined, isCordoned))).toEqual([
        'UpdateComplete=True Uncordoned: Uncordoned Node as part of completing upgrade phase',
        `Uncordoned=True UpdateCompleteUncordoned: UnCordoned node. The node is reporting Unschedulable = ${isCordoned}`,
      ]);
    },
  );
});
