import { describe, expect, it } from 'vitest';
import { annotations } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { releaseNode, unfinishedUpdate } from './release-node.ts';

const record = (cordonedBy: string) =>
  JSON.stringify({
    ...{ request: 'drain-new', cordonedBy, began: '2026-01-01T00:00:00Z', attempts: 1 },
    attemptBegan: '2026-01-01T00:00:00Z',
  });

function aNode(change: { readonly annotations?: object; readonly spec?: Node['spec'] } = {}): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'a', resourceVersion: '7', annotations: { ...change.annotations } },
    spec: { ...change.spec },
  };
}

const draining = (cordonedBy: string) => ({
  [annotations.desiredDrain]: 'drain-new',
  [annotations.drain]: record(cordonedBy),
});
const KEEPS = { areConfigsDeleted: false };
const withoutRequest = {
  metadata: {
    resourceVersion: '7',
    annotations: { [annotations.desiredDrain]: null, [annotations.drain]: null },
  },
};

describe('releaseNode', () => {
  it('leaves a node alone that Millwright does nothing with', () => {
    expect(releaseNode(aNode(), KEEPS)).toBeUndefined();
    expect(releaseNode(aNode({ spec: { unschedulable: true } }), KEEPS)).toBeUndefined();
    const current = { [annotations.currentConfig]: 'old', [annotations.desiredConfig]: 'new' };
    expect(releaseNode(aNode({ annotations: current }), KEEPS)).toBeUndefined();
  });

  it('removes its own cordon, with the request for the drain, in one patch for this version of the Node', () => {
    const node = aNode({ annotations: draining('millwright'), spec: { unschedulable: true } });
    expect(releaseNode(node, KEEPS)).toEqual({
      patch: { ...withoutRequest, spec: { unschedulable: null } },
      changes: [
        { done: 'uncordoned', planned: 'uncordon it' },
        { done: 'drain request removed', planned: 'remove the drain request' },
      ],
    });
  });

  it.each(['other', 'nobody'])('keeps a cordon that was made by someone else (%s)', (cordonedBy) => {
    const node = aNode({ annotations: draining(cordonedBy), spec: { unschedulable: true } });
    expect(releaseNode(node, KEEPS)).toEqual({
      patch: withoutRequest,
      changes: [{ done: 'drain request removed', planned: 'remove the drain request' }],
    });
  });

  it.each([true, false])(
    'removes a request to try again, which a later installation would follow (configs deleted: %s)',
    (areConfigsDeleted) => {
      const given = { [annotations.retry]: 'force-1', [annotations.retried]: 'force-0' };
      const released = releaseNode(aNode({ annotations: given }), { areConfigsDeleted });
      expect(released?.patch).toMatchObject({ metadata: { annotations: { [annotations.retry]: null } } });
      const what = areConfigsDeleted ? 'annotations' : 'request to try again';
      expect(released?.changes).toEqual([{ done: `${what} removed`, planned: `remove the ${what}` }]);
    },
  );

  it('reports no drain request where the last drain was completed, and none is wanted', () => {
    const uncordoned = {
      [annotations.desiredDrain]: 'uncordon-new',
      [annotations.lastAppliedDrain]: 'uncordon-new',
    };
    const node = aNode({ annotations: uncordoned });
    expect(releaseNode(node, KEEPS)?.changes).toEqual([
      { done: 'record of its last drain removed', planned: 'remove the record of its last drain' },
    ]);
    expect(releaseNode(node, { areConfigsDeleted: true })?.changes).toEqual([
      { done: 'annotations removed', planned: 'remove the annotations' },
    ]);
  });

  it('reports a drain request also where all annotations are removed', () => {
    const node = aNode({ annotations: draining('other') });
    expect(releaseNode(node, { areConfigsDeleted: true })?.changes).toEqual([
      { done: 'drain request removed', planned: 'remove the drain request' },
      { done: 'annotations removed', planned: 'remove the annotations' },
    ]);
  });

  it('removes the taint of waiting nodes and no other', () => {
    const other = { key: 'dedicated', value: 'x', effect: 'NoSchedule' } as const;
    const taints = [{ key: 'UpdateInProgress', effect: 'PreferNoSchedule' } as const, other];
    expect(releaseNode(aNode({ spec: { taints } }), KEEPS)).toEqual({
      patch: { metadata: { resourceVersion: '7' }, spec: { taints: [other] } },
      changes: [{ done: 'taint UpdateInProgress removed', planned: 'remove the taint UpdateInProgress' }],
    });
  });

  it('removes all annotations of Millwright with the configs that they name, and no others', () => {
    const own = { [annotations.currentConfig]: 'old', [annotations.state]: 'Done' };
    const node = aNode({ annotations: { ...own, 'example.com/mine': 'x' } });
    expect(releaseNode(node, { areConfigsDeleted: true })).toEqual({
      patch: {
        metadata: {
          resourceVersion: '7',
          annotations: { [annotations.currentConfig]: null, [annotations.state]: null },
        },
      },
      changes: [{ done: 'annotations removed', planned: 'remove the annotations' }],
    });
  });
});

describe('unfinishedUpdate', () => {
  it.each([
    [{}, undefined],
    [{ current: 'a', desired: 'a', state: 'Done' }, undefined],
    [{ current: 'a', desired: 'b', state: 'Done' }, 'b'],
    [{ current: 'a', desired: 'b', state: 'Working' }, 'b'],
    [{ current: 'a', desired: 'a', state: 'Degraded' }, 'a'],
  ] as const)(
    'of a node with %j is %s',
    (given: { current?: string; desired?: string; state?: string }, expected) => {
      const node = aNode({
        annotations: {
          ...(given.current && { [annotations.currentConfig]: given.current }),
          ...(given.desired && { [annotations.desiredConfig]: given.desired }),
          ...(given.state && { [annotations.state]: given.state }),
        },
      });
      expect(unfinishedUpdate(node)).toBe(expected);
    },
  );
});
