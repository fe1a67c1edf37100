import { describe, expect, it } from 'vitest';
import { aMachineConfig, aPool } from '../../test/support/build.ts';
import {
  annotations,
  type MachineConfigNode,
  type MachineConfigPool,
  type MachineConfigPoolStatus,
  type OSImageStream,
} from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { NO_PINNED_SETS, type PinnedSets } from './pinned/pinned-image-sets.ts';
import { type PoolSnapshot, poolStatus, streamOf } from './pool-status.ts';
import { tallyOf } from './pool-tally.ts';
import { targetOf } from './pool-target.ts';

const NOW = Date.UTC(2025, 4, 22, 14, 0, 0, 500);
const now = '2025-05-22T14:00:00Z';

/** `v0→v1 Degraded`, with the reason from its daemon. */
function aNode(name: string, text: string, reason = ''): Node {
  const [configs = '', state = 'Done', cordon] = text.split(' ');
  const [current = '', desired = current] = configs.split('→');
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: {
        [annotations.currentConfig]: current,
        [annotations.desiredConfig]: desired,
        [annotations.state]: state,
        [annotations.reason]: reason,
      },
    },
    spec: { unschedulable: cordon === 'cord' },
  };
}

function degraded(name: string, message: string): MachineConfigNode {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigNode',
    metadata: { name },
    spec: { node: { name }, pool: { name: 'worker' }, configVersion: { desired: 'v1' } },
    status: {
      conditions: [
        { type: 'NodeDegraded', status: 'True', reason: 'NodeDegraded', message, lastTransitionTime: '' },
      ],
    },
  };
}

type Given = {
  readonly spec?: Partial<MachineConfigPool['spec']>;
  readonly metadata?: Partial<MachineConfigPool['metadata']>;
  readonly before?: MachineConfigPoolStatus;
  readonly nodes?: readonly Node[];
  readonly sets?: PinnedSets;
  readonly about?: readonly MachineConfigNode[];
  readonly snapshot?: Partial<PoolSnapshot>;
};

function statusOf({
  spec,
  metadata,
  before,
  nodes = [],
  about = [],
  sets = NO_PINNED_SETS,
  snapshot,
}: Given): MachineConfigPoolStatus {
  const made = aPool(
    'worker',
    { configuration: { name: 'v1', source: [{ name: '00-worker' }] }, ...spec },
    metadata,
  );
  const pool = before === undefined ? made : { ...made, status: before };
  const sum = tallyOf(targetOf(pool), nodes, (name) => about.find(({ metadata }) => metadata.name === name));
  sum.repin(sets);
  return poolStatus({ pool, sum, nowMs: NOW, ...snapshot });
}

/** Each condition in one line: status, reason, message. */
function conditions(status: MachineConfigPoolStatus) {
  return Object.fromEntries(
    (status.conditions ?? []).map((one) => [
      one.type,
      [one.status, one.reason, one.message].filter((text) => text !== '').join(' | '),
    ]),
  );
}

describe('a pool whose nodes fail', () => {
  const text = (node: string, of: string) => `Node ${node} is reporting: "${of}"`;

  it('reports the messages of all MachineConfigNodes, then the reasons of all Nodes', () => {
    const status = statusOf({
      nodes: [aNode('b', 'v0→v1 Degraded', 'disk "full"'), aNode('a', 'v0→v1 Unreconcilable', 'no way')],
      about: [degraded('b', 'Node b upgrade failure. disk'), degraded('a', 'Node a upgrade failure. no way')],
    });
    const message = [
      text('a', 'Node a upgrade failure. no way'),
      text('b', 'Node b upgrade failure. disk'),
      text('a', 'no way'),
      text('b', 'disk \\"full\\"'),
    ].join(', ');
    expect(conditions(status)).toMatchObject({
      NodeDegraded: `True | 2 nodes are reporting degraded status on sync | ${message}`,
      Degraded: `True | ${message}`,
      Updating: 'True | All nodes are updating to MachineConfig v1',
      Updated: 'False',
    });
    expect(status.degradedMachineCount).toBe(2);
  });

  it('reports the pair of messages that runbooks show for one node', () => {
    const error = 'Failed to update OS to i after retries: timed out waiting for the condition';
    const status = statusOf({
      nodes: [aNode('n', 'v0→v1 Degraded', error)],
      about: [degraded('n', `Node n upgrade failure. ${error}`)],
    });
    expect(conditions(status).NodeDegraded).toBe(
      `True | 1 nodes are reporting degraded status on sync | ${text('n', `Node n upgrade failure. ${error}`)}, ${text('n', error)}`,
    );
  });

  it.each<[string, readonly MachineConfigNode[], string]>([
    ['has no MachineConfigNode', [], text('n', 'why')],
    ['has one without a status', [{ ...degraded('n', ''), status: {} }], text('n', 'why')],
    ['has one without conditions', [{ ...degraded('n', ''), status: { conditions: [] } }], text('n', 'why')],
  ])('counts and reports a node that %s', (_, about, message) => {
    const status = statusOf({
      nodes: [aNode('n', 'v0→v1 Degraded', 'why'), aNode('o', 'v0→v1 Degraded', '')],
      about,
    });
    expect(conditions(status).NodeDegraded).toBe(
      `True | 2 nodes are reporting degraded status on sync | ${message}`,
    );
  });

  it('is not degraded by a MachineConfigNode alone: counts and messages are of the same nodes', () => {
    const status = statusOf({ nodes: [aNode('n', 'v1')], about: [degraded('n', 'old news')] });
    expect([status.degradedMachineCount, conditions(status).NodeDegraded]).toEqual([0, 'False']);
  });

  it('truncates long messages', () => {
    const nodes = Array.from({ length: 60 }, (_, index) =>
      aNode(`n${index}`, 'v0→v1 Degraded', 'x'.repeat(2000)),
    );
    const message = conditions(statusOf({ nodes })).NodeDegraded ?? '';
    expect(message).toMatch(/^True \| 60 nodes are reporting/);
    expect(message).toMatch(/, and 10 more nodes$/);
  });
});

describe('a pool that cannot be rendered', () => {
  it('has the message of the render controller, and is degraded without a message', () => {
    const problem = 'Failed to render configuration for pool worker: no';
    const status = statusOf({ metadata: { annotations: { [annotations.renderProblem]: problem } } });
    expect(conditions(status)).toMatchObject({
      RenderDegraded: `True | ${problem}`,
      Degraded: 'True',
      NodeDegraded: 'False',
    });
  });

  it('is not updated without a configuration', () => {
    expect(conditions(statusOf({ spec: { configuration: {} } }))).toEqual({
      RenderDegraded: 'False',
      PinnedImageSetsDegraded: 'False',
      Updated: 'False',
      Updating: 'False',
      NodeDegraded: 'False',
      Degraded: 'False',
    });
  });
});

describe('the conditions of a pool', () => {
  const updated = 'True | All nodes are updated with MachineConfig v1';
  it.each<[string, Given, string, string]>([
    ['all are updated', { nodes: [aNode('a', 'v1'), aNode('b', 'v1')] }, updated, 'False'],
    ['it has no nodes', {}, updated, 'False'],
    [
      'one is updating',
      { nodes: [aNode('a', 'v1'), aNode('b', 'v0→v1 Working')] },
      'False',
      'True | All nodes are updating to MachineConfig v1',
    ],
    ['one is merely cordoned', { nodes: [aNode('a', 'v1 Done cord')] }, updated, 'False'],
    ['one is joining', { nodes: [aNode('a', 'v1'), aNode('b', '')] }, updated, 'False'],
    [
      'all are joining',
      { nodes: [aNode('a', ''), aNode('b', '')] },
      'False',
      'True | All nodes are updating to MachineConfig v1',
    ],
    [
      'one has joined with an older configuration',
      { nodes: [aNode('a', 'v1'), aNode('b', 'v0')] },
      'False',
      'True | All nodes are updating to MachineConfig v1',
    ],
    [
      'one is joining and another is cordoned for its update',
      { nodes: [aNode('a', 'v0→v1 Working cord'), aNode('b', '')] },
      'False',
      'True | All nodes are updating to MachineConfig v1',
    ],
    [
      'it is paused',
      { spec: { paused: true }, nodes: [aNode('a', 'v0')] },
      'False',
      'False | Pool is paused; will not update to MachineConfig v1',
    ],
    [
      'it is paused and nothing is pending',
      { spec: { paused: true }, nodes: [aNode('a', 'v1')] },
      updated,
      'False',
    ],
  ])('%s', (_, given, isUpdated, isUpdating) => {
    expect(conditions(statusOf(given))).toMatchObject({ Updated: isUpdated, Updating: isUpdating });
  });

  it('keep their time until their status changes', () => {
    const before = {
      conditions: [
        { type: 'Updated', status: 'False', reason: '', message: '', lastTransitionTime: 'then' },
        {
          type: 'Updating',
          status: 'True',
          reason: '',
          message: 'All nodes are updating to MachineConfig v0',
          lastTransitionTime: 'then',
        },
      ],
    };
    const status = statusOf({ before, nodes: [aNode('a', 'v0')] });
    const times = Object.fromEntries(
      (status.conditions ?? []).map((one) => [one.type, one.lastTransitionTime]),
    );
    expect(times).toMatchObject({ Updated: 'then', Updating: 'then', NodeDegraded: now });
    expect(conditions(status).Updating).toContain('v1');
  });

  it('of other writers are kept, each type once, in their places', () => {
    const before = {
      conditions: [
        {
          type: 'PoolSynchronizerDegraded',
          status: 'True',
          reason: 'r',
          message: 'm',
          lastTransitionTime: 'then',
        },
        { type: 'Degraded', status: 'False', reason: '', message: '', lastTransitionTime: 'first' },
        { type: 'Degraded', status: 'True', reason: '', message: '', lastTransitionTime: 'second' },
      ],
    };
    const status = statusOf({ before });
    expect(status.conditions?.map(({ type }) => type)).toEqual([
      'PoolSynchronizerDegraded',
      'Degraded',
      'RenderDegraded',
      'Updated',
      'Updating',
      'NodeDegraded',
      'PinnedImageSetsDegraded',
    ]);
    expect(status.conditions?.[0]).toEqual(before.conditions[0]);
    expect(status.conditions?.[1]).toMatchObject({ status: 'False', lastTransitionTime: 'first' });
  });

  it('say which PinnedImageSets are not used, without a degraded pool', () => {
    const problem = 'Failed to populate pinned image sets for pool worker: too many';
    const status = statusOf({ metadata: { annotations: { [annotations.pinnedImageSetsProblem]: problem } } });
    expect(conditions(status)).toMatchObject({
      PinnedImageSetsDegraded: `True | ${problem}`,
      Degraded: 'False',
    });
  });

  it('are the same if nothing has changed', () => {
    const nodes = [aNode('a', 'v0→v1 Degraded', 'why')];
    const before = statusOf({ nodes });
    expect(statusOf({ nodes, before, snapshot: { nowMs: NOW + 60_000 } })).toEqual(before);
  });
});

it('a sum for another target is rejected', () => {
  const pool = aPool('worker', { configuration: { name: 'v1' } });
  expect(() => poolStatus({ pool, sum: tallyOf({ config: 'v0' }, []), nowMs: NOW })).toThrow(
    'present target',
  );
});

describe('the rest of the status', () => {
  const nodes = [
    aNode('a', 'v1'),
    aNode('b', 'v1 Done cord'),
    aNode('c', 'v0'),
    aNode('d', 'v0→v1 Degraded'),
  ];

  it('counts nodes', () => {
    expect(statusOf({ nodes, metadata: { generation: 7 } })).toMatchObject({
      observedGeneration: 7,
      machineCount: 4,
      updatedMachineCount: 2,
      readyMachineCount: 1,
      unavailableMachineCount: 1,
      degradedMachineCount: 1,
    });
  });

  it('changes status.configuration only when every node is updated', () => {
    const before = { configuration: { name: 'v0' } };
    expect(statusOf({ before, nodes }).configuration).toEqual({ name: 'v0' });
    expect(statusOf({ before, nodes: nodes.slice(0, 1) }).configuration).toEqual({
      name: 'v1',
      source: [{ name: '00-worker' }],
    });
    expect(statusOf({ nodes })).not.toHaveProperty('configuration');
  });

  it('counts nodes that have all PinnedImageSets in their present generation', () => {
    const pinned = (name: string, sets: MachineConfigNode['status']): MachineConfigNode => ({
      ...degraded(name, ''),
      status: { ...sets },
    });
    const about = [
      pinned('a', {}),
      pinned('b', { pinnedImageSets: [{ name: 's', desiredGeneration: 2, currentGeneration: 2 }] }),
      pinned('c', { pinnedImageSets: [{ name: 's', desiredGeneration: 2, currentGeneration: 1 }] }),
    ];
    const countOf = (generation?: number) => {
      const present = new Map(generation === undefined ? [] : [['s', { generation, createdMs: 0 }]]);
      const sets = { ofPool: ['s'], present };
      return statusOf({ nodes, about, sets }).poolSynchronizersStatus?.map((one) => one.updatedMachineCount);
    };
    expect(countOf(2)).toEqual([1]);
    // The report of b is about an earlier one.
    expect(countOf(3)).toEqual([0]);
    // A set that was deleted.
    expect(countOf()).toEqual([3]);
    expect(statusOf({ nodes, about }).poolSynchronizersStatus).toEqual([
      {
        poolSynchronizerType: 'PinnedImageSets',
        machineCount: 4,
        updatedMachineCount: 3,
        readyMachineCount: 1,
        availableMachineCount: 3,
        unavailableMachineCount: 1,
      },
    ]);
  });

  it('reports when the certificates that kubelets trust expire', () => {
    const certificate = {
      subject: 'CN=a',
      signer: 'CN=b',
      notAfter: 'later',
      bundleFile: 'KubeAPIServerServingCAData',
    };
    const certificates = [certificate, { ...certificate, bundleFile: 'RootCAData' }];
    expect(statusOf({ snapshot: { certificates } }).certExpirys).toEqual([
      { bundle: 'KubeAPIServerServingCAData', subject: 'CN=a', expiry: 'later' },
    ]);
  });

  it('names the stream once every node has it', () => {
    const snapshot = { stream: 'rhel-9' };
    expect(statusOf({ snapshot }).osImageStream).toEqual({ name: 'rhel-9' });
    expect(statusOf({ snapshot, nodes })).not.toHaveProperty('osImageStream');
    const metadata = { annotations: { [annotations.renderProblem]: 'no' } };
    expect(statusOf({ snapshot, metadata })).not.toHaveProperty('osImageStream');
  });
});

describe('the stream of a configuration', () => {
  const streams: OSImageStream = {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'OSImageStream',
    metadata: { name: 'cluster' },
    spec: { defaultStream: 'rhel-9' },
    status: {
      defaultStream: 'rhel-9',
      availableStreams: [{ name: 'rhel-9', osImage: 'i', osExtensionsImage: 'e' }],
    },
  };

  it('is the one with its image, unless a source sets another image', () => {
    const rendered = aMachineConfig('rendered', { osImageURL: 'i' });
    expect(streamOf(rendered, [aMachineConfig('a')], streams)).toBe('rhel-9');
    expect(streamOf(rendered, [aMachineConfig('a', { osImageURL: 'i' })], streams)).toBeUndefined();
    expect(streamOf(aMachineConfig('rendered', { osImageURL: 'j' }), [], streams)).toBeUndefined();
    expect(streamOf(aMachineConfig('rendered'), [], streams)).toBeUndefined();
    expect(streamOf(undefined, [], undefined)).toBeUndefined();
  });
});
