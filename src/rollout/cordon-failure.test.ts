import { describe, expect, it } from 'vitest';
import { annotations } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { cordonFailure } from './cordon-failure.ts';
import { drainStep } from './drain.ts';
import { type DrainRecord, formatDrainRecord, parseDrainRecord } from './drain-record.ts';
import { DEFAULT_DRAIN_SETTINGS } from './drain-settings.ts';

const record: DrainRecord = {
  request: 'drain-v1',
  cordonedBy: 'millwright',
  beganMs: 0,
  attempts: 2,
  attemptBeganMs: 0,
};
const failed = { error: 'admission denied', tries: 1, nowMs: 60_000 };

function aNode(requested: string, of?: DrainRecord, unschedulable = false): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'n',
      annotations: {
        [annotations.desiredDrain]: requested,
        ...(of === undefined ? {} : { [annotations.drain]: formatDrainRecord(of) }),
      },
    },
    spec: { unschedulable },
  };
}

const recorded = (node: Node, given = failed) => {
  const text = cordonFailure(node, given)?.change.annotations[annotations.drain];
  return text === undefined || text === null ? undefined : parseDrainRecord(text);
};

describe('cordonFailure', () => {
  it('records why the node cannot be cordoned, and when the drain began', () => {
    expect(recorded(aNode('drain-v1'))).toEqual({
      request: 'drain-v1',
      cordonedBy: 'nobody',
      beganMs: 60_000,
      attempts: 0,
      attemptBeganMs: 60_000,
      cordonError: { verb: 'cordon', message: 'node n: failed to cordon (1 tries): admission denied' },
    });
  });

  it('reports it as an event of the node', () => {
    expect(cordonFailure(aNode('drain-v1'), failed)?.events).toEqual([
      {
        type: 'Warning',
        reason: 'FailedToCordon',
        isAdditional: true,
        message: 'node n: failed to cordon (1 tries): admission denied',
      },
    ]);
  });

  it('keeps the record of the drain whose cordon was removed by another client', () => {
    expect(recorded(aNode('drain-v1', record))).toMatchObject({ beganMs: 0, attempts: 2 });
  });

  it('records why the node cannot be uncordoned, without losing whose cordon it is', () => {
    expect(recorded(aNode('uncordon-v1', record, true))).toEqual({
      ...record,
      cordonError: { verb: 'uncordon', message: 'node n: failed to uncordon (1 tries): admission denied' },
    });
    expect(cordonFailure(aNode('uncordon-v1', record, true), failed)?.events).toMatchObject([
      { reason: 'FailedToUncordon' },
    ]);
  });

  it('is not repeated while it stays the same', () => {
    const known = recorded(aNode('drain-v1'));
    expect(cordonFailure(aNode('drain-v1', known), failed)).toBeUndefined();
    expect(recorded(aNode('drain-v1', known), { ...failed, error: 'another' })).toMatchObject({
      cordonError: { message: 'node n: failed to cordon (1 tries): another' },
    });
  });

  it('is forgotten when the node is cordoned', () => {
    const step = drainStep({
      node: aNode('drain-v1', recorded(aNode('drain-v1'))),
      pods: [],
      nodeCount: 3,
      nowMs: 120_000,
      daemonSetExists: () => false,
      settings: DEFAULT_DRAIN_SETTINGS,
    });
    const text = 'change' in step ? step.change.annotations[annotations.drain] : undefined;
    expect(step.kind).toBe('cordon');
    expect(parseDrainRecord(text ?? '')).toEqual({
      request: 'drain-v1',
      cordonedBy: 'millwright',
      beganMs: 60_000,
      attempts: 1,
      attemptBeganMs: 120_000,
      spentMs: 60_000,
    });
  });
});
