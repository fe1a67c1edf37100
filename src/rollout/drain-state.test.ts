import { describe, expect, it } from 'vitest';
import { annotations } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { formatDrainRecord } from './drain-record.ts';
import { drainProgress, drainState, hasDrainChanged, isDrainPending } from './drain-state.ts';

const record = {
  ...({ request: 'drain-a', cordonedBy: 'millwright' } as const),
  ...{ beganMs: 1_000, attempts: 1, attemptBeganMs: 1_000 },
};

type Annotations = { readonly desired?: string; readonly applied?: string; readonly drain?: string };

function aNode({ desired, applied, drain }: Annotations, unschedulable = false): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'n',
      annotations: {
        ...(desired === undefined ? {} : { [annotations.desiredDrain]: desired }),
        ...(applied === undefined ? {} : { [annotations.lastAppliedDrain]: applied }),
        ...(drain === undefined ? {} : { [annotations.drain]: drain }),
      },
    },
    spec: unschedulable ? { unschedulable } : {},
  };
}

describe('drainState', () => {
  it('is empty for a node without annotations', () => {
    expect(drainState(aNode({}))).toEqual({
      ...{ requested: '', applied: '', isPending: false },
      ...{ request: undefined, record: undefined, currentRecord: undefined },
    });
  });

  it('is pending from the request to the answer', () => {
    const before = { desired: 'drain-a', applied: 'uncordon-a' };
    expect(drainState(aNode(before))).toMatchObject({
      ...{ requested: 'drain-a', applied: 'uncordon-a', isPending: true },
      request: { verb: 'drain', config: 'a' },
    });
    expect(drainState(aNode({ ...before, applied: 'drain-a' })).isPending).toBe(false);
  });

  it('has no request where the verb is unknown', () => {
    expect(drainState(aNode({ desired: 'explode-a' }))).toMatchObject({
      isPending: true,
      request: undefined,
    });
  });

  it('keeps the record of an earlier request apart from that of this one', () => {
    const drain = formatDrainRecord(record);
    expect(drainState(aNode({ desired: 'drain-a', drain }))).toMatchObject({ record, currentRecord: record });
    const later = drainState(aNode({ desired: 'drain-b', drain }));
    expect([later.record, later.currentRecord]).toEqual([record, undefined]);
  });
});

it.each([
  ['nothing is requested', {}, false],
  ['a drain is requested', { desired: 'drain-a' }, true],
  ['the drain is complete', { desired: 'drain-a', applied: 'drain-a' }, false],
  ['an uncordon is requested', { desired: 'uncordon-a', applied: 'drain-a' }, false],
  ['the request is unknown', { desired: 'explode-a' }, false],
])('when %s, isDrainPending is %j', (_, given, expected) => {
  expect(isDrainPending(aNode(given))).toBe(expected);
});

it.each([
  ['drain-b', 'uncordon-a', 'pending'],
  ['drain-b', 'drain-b', 'applied'],
  ['drain-a', 'drain-a', 'not-requested'],
  ['uncordon-b', 'drain-b', 'not-requested'],
])('with %s requested and %s applied, the drain for b is %s', (requested, applied, expected) => {
  expect(drainProgress({ requested, applied }, { verb: 'drain', config: 'b' })).toBe(expected);
});

describe('hasDrainChanged', () => {
  const drain = formatDrainRecord(record);
  it.each([
    ['a heartbeat', { desired: 'drain-a' }, { desired: 'drain-a' }, false],
    ['a request', {}, { desired: 'drain-a' }, true],
    ['an answer', { desired: 'drain-a' }, { desired: 'drain-a', applied: 'drain-a' }, true],
    ['a record', { desired: 'drain-a' }, { desired: 'drain-a', drain }, true],
  ])('notices %s: %j to %j', (_, before, after, expected) => {
    expect(hasDrainChanged(aNode(before), aNode(after))).toBe(expected);
  });

  it('notices another desired config, for which a drain that is requested does not begin', () => {
    const to = (config: string): Node => {
      const node = aNode({ desired: 'drain-a' });
      const { metadata } = node;
      return {
        ...node,
        metadata: {
          ...metadata,
          annotations: { ...metadata.annotations, [annotations.desiredConfig]: config },
        },
      };
    };
    expect([hasDrainChanged(to('a'), to('a')), hasDrainChanged(to('b'), to('a'))]).toEqual([false, true]);
  });

  it('notices a cordon, and new nodes with a request', () => {
    expect(hasDrainChanged(aNode({}), aNode({}, true))).toBe(true);
    expect(hasDrainChanged(undefined, aNode({}))).toBe(false);
    expect(hasDrainChanged(undefined, aNode({ desired: 'drain-a' }))).toBe(true);
  });
});
