import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { annotations, type MachineConfigNode } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { selectCandidates } from './candidates.ts';
import { contributionOf } from './contribution.ts';
import { formatDrainRecord } from './drain-record.ts';
import { NO_PINNED_SETS, type PinnedSets } from './pinned/pinned-image-sets.ts';
import { type PoolCounts, PoolTally, tallyOf } from './pool-tally.ts';
import type { PoolTarget } from './pool-target.ts';
import { compareForTargeting } from './target-order.ts';

const RECORD = {
  request: 'drain-x',
  cordonedBy: 'millwright',
  beganMs: 0,
  attempts: 1,
  attemptBeganMs: 0,
} as const;
const images = { [annotations.currentImage]: 'i', [annotations.desiredImage]: 'i' };

const aNode: fc.Arbitrary<Node> = fc
  .record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    current: fc.constantFrom('v0', 'v1'),
    desired: fc.constantFrom('v0', 'v1', 'v2'),
    state: fc.constantFrom('Done', 'Working', 'Degraded'),
    more: fc.constantFrom({}, images, { [annotations.drain]: formatDrainRecord(RECORD) }),
    zone: fc.constantFrom('x', 'y', undefined),
    ready: fc.constantFrom('True', 'False'),
    unschedulable: fc.boolean(),
    tainted: fc.boolean(),
  })
  .map(({ name, current, desired, state, more, zone, ready, unschedulable, tainted }) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone },
      annotations: {
        [annotations.currentConfig]: current,
        [annotations.desiredConfig]: desired,
        [annotations.state]: state,
        [annotations.reason]: `${name} is ${state}`,
        ...more,
      },
    },
    spec: {
      unschedulable,
      ...(tainted ? { taints: [{ key: 'UpdateInProgress', effect: 'PreferNoSchedule' as const }] } : {}),
    },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  }));

function aMachineConfigNode(name: string, generation: number): MachineConfigNode {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigNode',
    metadata: { name },
    spec: { node: { name }, pool: { name: 'p' }, configVersion: { desired: 'v1' } },
    status: {
      pinnedImageSets: [{ name: 'edge', desiredGeneration: 2, currentGeneration: generation }],
      conditions: [
        {
          type: 'NodeDegraded',
          status: 'True',
          reason: 'NodeDegraded',
          message: `reported by ${name} at ${generation}`,
          lastTransitionTime: '',
        },
      ],
    },
  };
}

const aTarget: fc.Arbitrary<PoolTarget> = fc.constantFrom<PoolTarget>(
  { config: 'v0' },
  { config: 'v1' },
  { config: 'v1', layered: { config: 'v1', image: 'i' } },
  { config: 'v1', layered: { config: '', image: '' } },
);

type Change =
  | { readonly kind: 'replace'; readonly node: Node; readonly generation: number | undefined }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'repin'; readonly sets: PinnedSets }
  | { readonly kind: 'retarget'; readonly target: PoolTarget };

const aChange: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: fc.constant('replace' as const),
    node: aNode,
    generation: fc.constantFrom(undefined, 1, 2),
  }),
  fc.record({ kind: fc.constant('remove' as const), name: fc.constantFrom('a', 'b', 'c', 'd') }),
  fc.record({ kind: fc.constant('retarget' as const), target: aTarget }),
  fc.record({
    kind: fc.constant('repin' as const),
    sets: fc
      .constantFrom(undefined, 1, 2)
      .map((generation) =>
        generation === undefined
          ? NO_PINNED_SETS
          : { ofPool: ['edge'], present: new Map([['edge', { generation, createdMs: 0 }]]) },
      ),
  }),
);

type World = {
  target: PoolTarget;
  sets: PinnedSets;
  readonly nodes: Map<string, { readonly node: Node; readonly about?: MachineConfigNode }>;
};

/** Counted the plain way, node by node, without any tally. */
function countsOf({ target, sets, nodes }: World): PoolCounts {
  const all = [...nodes.values()].map(({ node, about }) => contributionOf(node, target, about, sets));
  const count = (is: (one: (typeof all)[number]) => boolean) => all.filter(is).length;
  return {
    machineCount: all.length,
    updatedMachineCount: count(({ isUpdated }) => isUpdated),
    readyMachineCount: count(({ isReady }) => isReady),
    unavailableMachineCount: count(({ isUnavailable }) => isUnavailable),
    degradedMachineCount: count(({ isDegraded }) => isDegraded),
    pinnedMachineCount: count(({ isPinned }) => isPinned),
    joiningMachineCount: count(({ isJoining }) => isJoining),
  };
}

function apply(change: Change, tally: PoolTally, world: World): void {
  switch (change.kind) {
    case 'replace': {
      const { node, generation } = change;
      const { name } = node.metadata;
      const about = generation === undefined ? undefined : aMachineConfigNode(name, generation);
      tally.replace(node, about);
      world.nodes.set(name, about === undefined ? { node } : { node, about });
      break;
    }
    case 'remove':
      expect(tally.remove(change.name)).toBe(world.nodes.delete(change.name));
      break;
    case 'repin':
      tally.repin(change.sets);
      world.sets = change.sets;
      break;
    case 'retarget':
      tally.retarget(change.target);
      world.target = change.target;
      break;
  }
}

/** All that can be read of a tally. */
function reading(tally: PoolTally) {
  const { availability } = tally;
  return {
    counts: tally.counts,
    degraded: tally.degraded.map(({ name, errors }) => ({ name, errors })),
    staleTaints: [...tally.staleTaints].sort(),
    unavailable: availability.unavailable,
    failing: availability.failing,
    retryable: [...availability.retryable].map(({ name }) => name),
    candidates: [...availability.candidates].map(({ name }) => name),
    selection: selectCandidates(availability, 2).candidates.map(({ name }) => name),
  };
}

describe('an incrementally updated tally', () => {
  it('equals a newly computed one, after any changes', () => {
    fc.assert(
      fc.property(fc.array(aChange, { maxLength: 40 }), (changes) => {
        const tally = new PoolTally({ config: 'v1' });
        const world: World = { target: { config: 'v1' }, sets: NO_PINNED_SETS, nodes: new Map() };
        for (const change of changes) apply(change, tally, world);
        const anew = tallyOf(
          world.target,
          [...world.nodes.values()].map(({ node }) => node).toReversed(),
          (name) => world.nodes.get(name)?.about,
        );
        anew.repin(world.sets);
        expect(reading(tally)).toEqual(reading(anew));
        expect(tally.counts).toEqual(countsOf(world));
      }),
    );
  });

  it('keeps candidates in the order of updates', () => {
    fc.assert(
      fc.property(fc.array(aNode), (nodes) => {
        const candidates = [...tallyOf({ config: 'v1' }, nodes).availability.candidates];
        expect(candidates).toEqual(candidates.toSorted((a, b) => compareForTargeting(a.order, b.order)));
      }),
    );
  });
});

describe('a change of one node', () => {
  const [node] = fc.sample(aNode, { numRuns: 1, seed: 1 });
  if (node === undefined) throw new Error('no sample');
  const { name } = node.metadata;

  it('is irrelevant if it is a heartbeat', () => {
    const tally = tallyOf({ config: 'v1' }, [node]);
    const heartbeat = {
      type: 'Ready',
      status: node.status?.conditions?.[0]?.status ?? '',
      lastHeartbeatTime: 'later',
    };
    expect(tally.replace({ ...node, status: { conditions: [heartbeat] } })).toBe(false);
    // The stored node is the new one nevertheless.
    expect(tally.contribution(name)?.node.status?.conditions?.[0]).toBe(heartbeat);
  });

  it.each<[string, (before: Node) => Node]>([
    ['its state', (before) => annotated(before, { [annotations.state]: 'Rebooting' })],
    [
      'its error',
      (before) => annotated(before, { [annotations.state]: 'Degraded', [annotations.reason]: 'new' }),
    ],
    [
      'its zone',
      (before) => ({
        ...before,
        metadata: { ...before.metadata, labels: { 'topology.kubernetes.io/zone': 'q' } },
      }),
    ],
    ['a cordon', (before) => ({ ...before, spec: { unschedulable: !before.spec.unschedulable } })],
  ])('is relevant if it is %s', (_, change) => {
    const working = annotated(
      { ...node, status: { conditions: [{ type: 'Ready', status: 'True' }] } },
      {
        [annotations.currentConfig]: 'v1',
        [annotations.desiredConfig]: 'v1',
        [annotations.state]: 'Done',
      },
    );
    const before = { ...working, spec: {} };
    expect(tallyOf({ config: 'v1' }, [before]).replace(change(before))).toBe(true);
  });

  it('is relevant if the node is added or removed', () => {
    const tally = new PoolTally({ config: 'v1' });
    expect([tally.replace(node), tally.remove(name), tally.remove(name)]).toEqual([true, true, false]);
  });

  it('distinguishes a new target from the same one', () => {
    const tally = tallyOf({ config: 'v1' }, [node]);
    expect([tally.retarget({ config: 'v1' }), tally.retarget({ config: 'v2' }), tally.target.config]).toEqual(
      [false, true, 'v2'],
    );
  });
});

function annotated(node: Node, given: { readonly [key: string]: string }): Node {
  const {
    [annotations.currentImage]: _,
    [annotations.desiredImage]: __,
    ...rest
  } = node.metadata.annotations ?? {};
  return { ...node, metadata: { ...node.metadata, annotations: { ...rest, ...given } } };
}
