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
      changes: ['uncordoned', 'drain request removed'],
    });
  });

  it.each(['other', 'nobody'])('keeps a cordon that was made by someone else (%s)', (cordonedBy) => {
    const node = aNode({ annotations: draining(cordonedBy), spec: { unschedulable: true } });
    expect(releaseNode(node, KEEPS)).toEqual({ patch: withoutRequest, changes: ['drain request removed'] });
  });

  it('removes the taint of waiting nodes and no other', () => {
    const other = { key: 'dedicated', value: 'x', effect: 'NoSchedule' } as const;
    const taints = [{ key: 'UpdateInProgress', effect: 'PreferNoSchedule' } as const, other];
    expect(releaseNode(aNode({ spec: { taints } }), KEEPS)).toEqual({
      patch: { metadata: { resourceVersion: '7' }, spec: { taints: [other] } },
      changes: ['taint UpdateInProgress removed'],
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
      changes: ['annotations removed'],
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
