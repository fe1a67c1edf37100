/**
 * Fifteen edge cases that are easy to get wrong. Each has tables elsewhere; here it is tested once across the parts that
 * have to agree.
 */
import { describe, expect, it } from 'vitest';
import { aPool } from '../../test/support/build.ts';
import { annotations, type MachineConfigNode, nodeRoleLabel } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { selectCandidates } from './candidates.ts';
import { maxUnavailable } from './capacity.ts';
import { drainStep } from './drain.ts';
import { DEFAULT_DRAIN_SETTINGS } from './drain-settings.ts';
import { drainState } from './drain-state.ts';
import { membershipOf } from './membership.ts';
import { isUnavailable } from './node-state.ts';
import { poolGate } from './pool-gate.ts';
import { poolStatus } from './pool-status.ts';
import { tallyOf } from './pool-tally.ts';
import { desiredAnnotations, isTargeted, isUpdated } from './pool-target.ts';
import { taintsFor } from './taints.ts';

const plain = { config: 'v1' };
/** Of a gate: nothing of interest is wrong with the world. */
const calm = { topology: '', machineConfigExists: () => true };

type Given = {
  readonly more?: { readonly [key: string]: string };
  readonly spec?: Node['spec'];
  readonly ready?: string;
};

/** `v0→v1 Degraded`, or `-` for a node without annotations. */
function aNode(name: string, text: string, { more = {}, spec = {}, ready = 'True' }: Given = {}): Node {
  const [configs = '', state = 'Done'] = text.split(' ');
  const [current = '', desired = current] = configs.split('→');
  const own = {
    [annotations.currentConfig]: current,
    [annotations.desiredConfig]: desired,
    [annotations.state]: state,
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, annotations: { ...(configs === '-' ? {} : own), ...more } },
    spec,
    status: { conditions: [{ type: 'Ready', status: ready }] },
  };
}

function select(nodes: readonly Node[], max: number) {
  const { candidates, capacity } = selectCandidates(tallyOf(plain, nodes).availability, max);
  return [candidates.map(({ name }) => name).join(''), capacity];
}

function step(node: Node, nowMs = 0) {
  return drainStep({
    node,
    pods: [],
    daemonSetExists: () => false,
    nodeCount: 3,
    nowMs,
    settings: DEFAULT_DRAIN_SETTINGS,
  });
}

/** The node after what a step wants written. */
function written(node: Node, nowMs = 0): Node {
  const next = step(node, nowMs);
  if (!('change' in next)) return node;
  const { unschedulable = node.spec.unschedulable === true, annotations: given } = next.change;
  const merged = Object.entries({ ...node.metadata.annotations, ...given });
  const kept = merged.flatMap(([key, value]) => (value === null ? [] : [[key, value]]));
  return {
    ...node,
    metadata: { ...node.metadata, annotations: Object.fromEntries(kept) },
    spec: { unschedulable },
  };
}

function annotated(node: Node, given: { readonly [key: string]: string }): Node {
  return { ...node, metadata: { ...node.metadata, annotations: { ...node.metadata.annotations, ...given } } };
}

const asking = (request: string) => ({ more: { [annotations.desiredDrain]: request } });

describe('edge cases', () => {
  it('1. zero and tiny percentages mean one, and a quoted number is invalid', () => {
    const of = (given: number | string) => maxUnavailable(aPool('worker', { maxUnavailable: given }), 10);
    expect([of(0), of('0%'), of('5%'), of('19%')]).toMatchObject([
      { value: 1 },
      { value: 1 },
      { value: 1 },
      { value: 1 },
    ]);
    expect(of('3').kind).toBe('invalid');
  });

  it('2. capacity counts everything that is unavailable, for whatever reason', () => {
    const unavailable = [
      aNode('a', 'v1', { spec: { unschedulable: true } }),
      aNode('b', '-'),
      aNode('c', 'v0→v1 Done'),
    ];
    expect(unavailable.map(isUnavailable)).toEqual([true, true, true]);
    expect(select([...unavailable, aNode('d', 'v0')], 3)).toEqual(['', 0]);
    expect(select([...unavailable, aNode('d', 'v0')], 4)).toEqual(['bd', 1]);
  });

  it('3. nodes that fail in service use capacity at the target, and can be sent on from an older one', () => {
    expect(select([aNode('a', 'v0→v1 Degraded'), aNode('b', 'v0')], 1)).toEqual(['', 0]);
    expect(select([aNode('a', 'v0→bad Degraded'), aNode('b', 'v1')], 1)).toEqual(['a', 1]);
  });

  it('4. after a bad configuration is reverted, the nodes that we cordoned recover, and no others', () => {
    const bad = aNode('a', 'v1→bad Working', asking('drain-bad'));
    const drained = written(written(bad));
    const failed = annotated(drained, { [annotations.state]: 'Degraded' });
    expect(failed.metadata.annotations?.[annotations.lastAppliedDrain]).toBe('drain-bad');
    expect(select([failed, aNode('b', 'v1')], 1)).toEqual(['a', 1]);
    expect(
      select([aNode('a', 'v1→bad Degraded', { spec: { unschedulable: true } }), aNode('b', 'v1')], 1),
    ).toEqual(['', 0]);
    expect(select([aNode('a', 'v1→bad Degraded', { ready: 'False' }), aNode('b', 'v1')], 1)).toEqual(['', 0]);
  });

  it('5. an absent image annotation differs from an empty one', () => {
    const empty = { [annotations.currentImage]: '', [annotations.desiredImage]: '' };
    const one = { [annotations.desiredImage]: '' };
    expect([{}, empty, one].map((more) => isUpdated(aNode('a', 'v1', { more }), plain))).toEqual([
      true,
      false,
      false,
    ]);
    // One key decides whether the node should leave image mode, both decide the taint.
    expect([empty, one].map((more) => isTargeted(aNode('a', 'v1', { more }), plain))).toEqual([false, false]);
    expect([empty, one].map((more) => taintsFor(aNode('a', 'v1', { more }), plain)?.length ?? 0)).toEqual([
      1, 0,
    ]);
  });

  it('6. configuration and image are written together, and only once the image exists', () => {
    const layered = { config: 'v1', layered: { config: 'v1', image: 'i' } };
    expect(desiredAnnotations(layered)).toEqual({
      [annotations.desiredConfig]: 'v1',
      [annotations.desiredImage]: 'i',
      [annotations.fetchImage]: null,
    });
    const config = {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineOSConfig',
      metadata: { name: 'worker' },
      spec: {
        machineConfigPool: { name: 'worker' },
        imageBuilder: { imageBuilderType: 'Job' as const },
        renderedImagePushSecret: { name: 's' },
        renderedImagePushSpec: 'r/i:t',
      },
      status: { currentImagePullSpec: 'i' },
    };
    const pool = aPool('worker', { configuration: { name: 'v1' } });
    expect(poolGate({ ...calm, pool, layering: { config } })).toMatchObject({
      reason: 'ImageNotReady',
    });
  });

  it('7. the taint is on every node that waits, and is removed when a node gets the target, not when it is updated', () => {
    const taints = [{ key: 'UpdateInProgress', effect: 'PreferNoSchedule' as const }];
    const nodes = [
      aNode('a', 'v0'),
      aNode('b', 'v0', { ready: 'False' }),
      aNode('c', 'v0→v1 Done', { spec: { taints } }),
    ];
    expect([...tallyOf(plain, nodes).staleTaints]).toEqual(['a', 'b', 'c']);
    expect(nodes.map((node) => taintsFor(node, plain))).toEqual([taints, taints, []]);
  });

  it('8. pausing stops new updates, but not those in progress', () => {
    const pool = aPool('worker', { configuration: { name: 'v1' }, paused: true });
    expect(poolGate({ ...calm, pool })).toMatchObject({ reason: 'Paused', hasStatus: true });
    // A drain knows of no pool.
    expect(step(aNode('a', 'v0→v1 Working', asking('drain-v1'))).kind).toBe('cordon');
  });

  it('9. a completed drain repeats the whole request, and only for a node that is still cordoned', () => {
    const cordoned = written(aNode('a', 'v0→v1 Working', asking('drain-v1')));
    expect(step(cordoned)).toMatchObject({
      kind: 'complete',
      change: { annotations: { [annotations.lastAppliedDrain]: 'drain-v1' } },
    });
    expect(step({ ...cordoned, spec: {} }).kind).toBe('cordon');
    const another = annotated(cordoned, { [annotations.lastAppliedDrain]: 'drain-v10' });
    expect(step(another).kind).toBe('complete');
    // In service first, done afterwards.
    const uncordoning = annotated(written(cordoned), { [annotations.desiredDrain]: 'uncordon-v1' });
    expect(step(uncordoning)).toMatchObject({ kind: 'uncordon', change: { unschedulable: false } });
  });

  it('10. a node that is uncordoned during its drain is cordoned again, and the request is not completed', () => {
    const cordoned = written(aNode('a', 'v0→v1 Working', asking('drain-v1')));
    const again = step({ ...cordoned, spec: {} });
    expect(again).toMatchObject({ kind: 'cordon', change: { unschedulable: true } });
    expect('change' in again && annotations.lastAppliedDrain in again.change.annotations).toBe(false);
  });

  it('11. the start time of a drain is on the node, and a second cordon does not reset it', () => {
    const cordoned = written(aNode('a', 'v0→v1 Working', asking('drain-v1')), 1000);
    const again = written({ ...cordoned, spec: {} }, 500_000);
    expect([drainState(cordoned).record?.beganMs, drainState(again).record?.beganMs]).toEqual([1000, 1000]);
  });

  it('12. the arbiter is a custom pool, and it and the control plane wait for each other', () => {
    const node = aNode('a', 'v1');
    const roles = { [nodeRoleLabel('arbiter')]: '', [nodeRoleLabel('infra')]: '' };
    const both = { ...node, metadata: { ...node.metadata, labels: roles } };
    expect(membershipOf(both, [aPool('arbiter'), aPool('infra')]).kind).toBe('conflict');
    const topology = 'HighlyAvailableArbiter';
    const configuration = { name: 'v1' };
    const arbiterGate = poolGate({
      ...calm,
      pool: aPool('arbiter', { configuration }),
      topology,
      master: { isPaused: false, unavailable: 1, candidates: 0 },
    });
    const masterGate = poolGate({
      ...calm,
      pool: aPool('master', { configuration }),
      topology,
      arbiter: { unavailable: 1 },
    });
    expect([arbiterGate.kind, masterGate.kind]).toEqual(['closed', 'closed']);
    expect(maxUnavailable(aPool('arbiter', { maxUnavailable: 3 }), 3)).toMatchObject({ value: 1 });
  });

  it('13. a healthy node that is cordoned does not make its pool Updating, but it is unavailable', () => {
    const pool = aPool('worker', { configuration: { name: 'v1' } });
    const sum = tallyOf(plain, [aNode('a', 'v1'), aNode('b', 'v1', { spec: { unschedulable: true } })]);
    const { conditions = [], ...status } = poolStatus({ pool, sum, nowMs: 0 });
    const statusOf = (type: string) => conditions.find((one) => one.type === type)?.status;
    expect([statusOf('Updated'), statusOf('Updating'), statusOf('Degraded')]).toEqual([
      'True',
      'False',
      'False',
    ]);
    expect(status).toMatchObject({ readyMachineCount: 1, unavailableMachineCount: 1 });
  });

  it('14. a MachineConfigNode without conditions hides no other, and order and counts are stable', () => {
    const about = (name: string, status: MachineConfigNode['status']): MachineConfigNode => ({
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfigNode',
      metadata: { name },
      spec: { node: { name }, pool: { name: 'worker' }, configVersion: { desired: 'v1' } },
      ...(status === undefined ? {} : { status }),
    });
    const failure = {
      type: 'NodeDegraded',
      status: 'True' as const,
      reason: 'NodeDegraded',
      message: 'broken',
      lastTransitionTime: '',
    };
    const reports = [
      about('a', undefined),
      about('b', { conditions: [] }),
      about('c', { conditions: [failure] }),
    ];
    const nodes = ['a', 'b', 'c'].map((name) => aNode(name, 'v0→v1 Degraded'));
    const pool = aPool('worker', { configuration: { name: 'v1' } });
    const found = [nodes, nodes.toReversed()].map((all) => {
      const sum = tallyOf(plain, all, (name) => reports.find(({ metadata }) => metadata.name === name));
      return poolStatus({ pool, sum, nowMs: 0 }).conditions?.find(({ type }) => type === 'NodeDegraded');
    });
    expect(found[0]).toEqual(found[1]);
    expect(found[0]).toMatchObject({
      reason: '3 nodes are reporting degraded status on sync',
      message: 'Node c is reporting: "broken"',
    });
  });

  it('15. a pool without nodes is updated at once, and a status keeps conditions of other writers', () => {
    const condition = {
      type: 'PoolSynchronizerDegraded',
      status: 'True',
      reason: 'r',
      message: 'm',
      lastTransitionTime: 't',
    };
    const pool = {
      ...aPool('worker', { configuration: { name: 'v1' } }, { generation: 4 }),
      status: { conditions: [condition], configuration: { name: 'v0' } },
    };
    const status = poolStatus({ pool, sum: tallyOf(plain, []), nowMs: 0 });
    expect(status).toMatchObject({ configuration: { name: 'v1' }, observedGeneration: 4, machineCount: 0 });
    expect(status.conditions).toContainEqual(condition);
  });
});
