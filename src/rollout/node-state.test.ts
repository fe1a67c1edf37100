import { describe, expect, it } from 'vitest';
import { annotations } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import {
  isDegraded,
  isDone,
  isFailing,
  isManaged,
  isReady,
  isUnavailable,
  isWindows,
  isWithoutDaemon,
  unreadyReason,
} from './node-state.ts';

type Given = {
  readonly current?: string;
  readonly desired?: string;
  readonly currentImage?: string;
  readonly desiredImage?: string;
  readonly state?: string;
};

function aNode(state: Given, spec: Node['spec'] = {}, conditions: readonly [string, string][] = []): Node {
  const keys = {
    [annotations.currentConfig]: state.current,
    [annotations.desiredConfig]: state.desired,
    [annotations.currentImage]: state.currentImage,
    [annotations.desiredImage]: state.desiredImage,
    [annotations.state]: state.state,
  };
  const given = Object.entries(keys).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', annotations: Object.fromEntries(given) },
    spec,
    status: { conditions: conditions.map(([type, status]) => ({ type, status })) },
  };
}

describe('unreadyReason', () => {
  it.each<[string, readonly [string, string][], Node['spec'], string]>([
    ['that is not ready', [['Ready', 'False']], {}, 'node n is reporting NotReady=False'],
    ['whose kubelet does not report', [['Ready', 'Unknown']], {}, 'node n is reporting NotReady=Unknown'],
    ['whose disk is full', [['DiskPressure', 'True']], {}, 'node n is reporting OutOfDisk=True'],
    [
      'without a network',
      [['NetworkUnavailable', 'Unknown']],
      {},
      'node n is reporting NetworkUnavailable=Unknown',
    ],
    ['that is cordoned', [['Ready', 'True']], { unschedulable: true }, 'node n is reporting Unschedulable'],
    [
      'with several conditions, by the first',
      [
        ['DiskPressure', 'True'],
        ['Ready', 'False'],
      ],
      { unschedulable: true },
      'node n is reporting OutOfDisk=True',
    ],
  ])('returns the reason of a node %s', (_, conditions, spec, reason) => {
    const node = aNode({ current: 'v1', desired: 'v1', state: 'Done' }, spec, conditions);
    expect(unreadyReason(node)).toBe(reason);
    expect([isReady(node), isUnavailable(node)]).toEqual([false, true]);
  });
});

it.each<[string, readonly [string, string][], Node['spec']]>([
  ['without conditions', [], {}],
  [
    'under pressure of memory or processes',
    [
      ['MemoryPressure', 'True'],
      ['PIDPressure', 'True'],
    ],
    {},
  ],
  ['with taints', [['Ready', 'True']], { taints: [{ key: 'a', effect: 'NoExecute' }] }],
  ['that was cordoned once', [['Ready', 'True']], { unschedulable: false }],
])('a node %s can take work', (_, conditions, spec) => {
  expect(unreadyReason(aNode({}, spec, conditions))).toBeUndefined();
});

describe('the state that the daemon reports', () => {
  const [no, yes] = [false, true];
  // The last three: done, failing, unavailable.
  it.each<[string, Given, boolean, boolean, boolean]>([
    ['nothing', {}, no, no, yes],
    ['it is updated', { current: 'v1', desired: 'v1', state: 'Done' }, yes, no, no],
    [
      'it has a new desired config and has not begun',
      { current: 'v0', desired: 'v1', state: 'Done' },
      no,
      no,
      yes,
    ],
    ['it is updating', { current: 'v0', desired: 'v1', state: 'Working' }, no, no, yes],
    ['its update failed', { current: 'v0', desired: 'v1', state: 'Degraded' }, no, yes, no],
    ['its update is unreconcilable', { current: 'v0', desired: 'v1', state: 'Unreconcilable' }, no, yes, no],
    ['it drifted', { current: 'v1', desired: 'v1', state: 'Degraded' }, no, no, yes],
    ['it has no desired config', { current: 'v0', state: 'Degraded' }, no, yes, no],
    ['it has no state', { current: 'v1', desired: 'v1' }, no, no, yes],
    ['empty names', { current: '', desired: '', state: 'Done' }, no, no, yes],
    [
      'it has its image',
      { current: 'v1', desired: 'v1', currentImage: 'i', desiredImage: 'i', state: 'Done' },
      yes,
      no,
      no,
    ],
    [
      'it waits for its image',
      { current: 'v1', desired: 'v1', currentImage: 'i', desiredImage: 'j', state: 'Done' },
      no,
      no,
      yes,
    ],
    ['one image key alone', { current: 'v1', desired: 'v1', currentImage: 'i', state: 'Done' }, no, no, yes],
    [
      'empty image keys',
      { current: 'v1', desired: 'v1', currentImage: '', desiredImage: '', state: 'Done' },
      no,
      no,
      yes,
    ],
    [
      'its image failed',
      { current: 'v1', desired: 'v1', currentImage: 'i', desiredImage: 'j', state: 'Degraded' },
      no,
      yes,
      no,
    ],
  ])('decides whether it is done, failing or unavailable: %s', (_, given, done, failing, unavailable) => {
    const node = aNode(given);
    expect([isDone(node), isFailing(node), isUnavailable(node)]).toEqual([done, failing, unavailable]);
  });

  it('makes a failing node unavailable only if it is not ready either', () => {
    const given = { current: 'v0', desired: 'v1', state: 'Degraded' };
    expect(isUnavailable(aNode(given, { unschedulable: true }))).toBe(true);
    expect(isDegraded(aNode(given))).toBe(true);
  });
});

describe('a node without a daemon', () => {
  const at = (created: string, heartbeat: string, given: Given = {}, ready = 'True'): Node => {
    const node = aNode(given);
    return {
      ...node,
      metadata: { ...node.metadata, creationTimestamp: `2026-01-01T${created}Z` },
      status: {
        conditions: [{ type: 'Ready', status: ready, lastHeartbeatTime: `2026-01-01T${heartbeat}Z` }],
      },
    };
  };

  it.each<[string, Node, boolean]>([
    ['it is ready for ten minutes', at('10:00:00', '10:10:00'), true],
    ['it is joining', at('10:00:00', '10:09:59'), false],
    ['it is not ready', at('10:00:00', '11:00:00', {}, 'False'), false],
    ['its age is unknown', aNode({}, {}, [['Ready', 'True']]), false],
    ['it was sent to a config', at('10:00:00', '11:00:00', { desired: 'v1' }), true],
    ['its daemon has reported its config', at('10:00:00', '11:00:00', { current: 'v0' }), false],
    ['its daemon has failed to start', at('10:00:00', '11:00:00', { state: 'Degraded' }), false],
  ])('is recognised by its age and annotations: %s', (_, node, expected) => {
    expect(isWithoutDaemon(node)).toBe(expected);
  });

  it('is available, as nothing happens on it', () => {
    expect(isUnavailable(at('10:00:00', '11:00:00'))).toBe(false);
    expect(isUnavailable(at('10:00:00', '10:01:00'))).toBe(true);
    const cordoned = { ...at('10:00:00', '11:00:00'), spec: { unschedulable: true } };
    expect(isUnavailable(cordoned)).toBe(true);
  });
});

describe('a Windows node', () => {
  const windows: Node = { ...aNode({}), metadata: { name: 'w', labels: { 'kubernetes.io/os': 'windows' } } };

  it('is not managed, whatever its annotations', () => {
    const annotated = {
      ...windows,
      metadata: { ...windows.metadata, annotations: { [annotations.currentConfig]: 'v1' } },
    };
    expect([isWindows(windows), isManaged(annotated)]).toEqual([true, false]);
  });

  it('is identified by its label; nodes without the label run Linux', () => {
    expect(isWindows(aNode({}))).toBe(false);
    expect([
      isManaged(aNode({ current: 'v1' })),
      isManaged(aNode({ current: '' })),
      isManaged(aNode({})),
    ]).toEqual([true, false, false]);
  });
});
