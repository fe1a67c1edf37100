/**
 * Objects that no server has checked: any field may hold anything. Decisions about them may be odd, but there is always one.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aMachineConfig, aPool } from '../../test/support/build.ts';
import {
  annotations,
  type MachineConfigPool,
  type MachineOSBuild,
  type MachineOSConfig,
} from '../api/index.ts';
import { isObject } from '../base/json.ts';
import type { Node, Pod } from '../kubernetes/types/index.ts';
import * as rollout from './index.ts';

const node: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'n',
    creationTimestamp: '2025-01-01T00:00:00Z',
    labels: { 'topology.kubernetes.io/zone': 'z', 'node-role.kubernetes.io/worker': '' },
    annotations: {
      [annotations.currentConfig]: 'v0',
      [annotations.desiredConfig]: 'v1',
      [annotations.state]: 'Degraded',
      [annotations.desiredDrain]: 'drain-v1',
      [annotations.firstPivotConfig]: 'rendered-worker-1',
      [annotations.drain]: rollout.formatDrainRecord({
        request: 'drain-v1',
        cordonedBy: 'millwright',
        beganMs: 0,
        attempts: 1,
        attemptBeganMs: 0,
      }),
    },
    managedFields: [{ manager: 'm', fieldsV1: { 'f:spec': { 'f:unschedulable': {} } } }],
  },
  spec: { unschedulable: true, taints: [{ key: 'UpdateInProgress', effect: 'PreferNoSchedule' }] },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
};
const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'p',
    namespace: 's',
    uid: 'u',
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'v', controller: true }],
  },
  spec: { containers: [] },
  status: { phase: 'Running' },
};
const pool: MachineConfigPool = {
  ...aPool('worker', { configuration: { name: 'v1' }, maxUnavailable: '10%' }, { generation: 1 }),
  status: { configuration: { name: 'v0' }, conditions: [{ type: 'Updated', status: 'True' }] },
};
const config: MachineOSConfig = {
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineOSConfig',
  metadata: { name: 'worker', annotations: { [annotations.currentMachineOSBuild]: 'b' } },
  spec: {
    machineConfigPool: { name: 'worker' },
    imageBuilder: { imageBuilderType: 'Job' },
    renderedImagePushSecret: { name: 's' },
    renderedImagePushSpec: 'r/i:t',
  },
  status: { currentImagePullSpec: 'i' },
};
const build: MachineOSBuild = {
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineOSBuild',
  metadata: { name: 'b' },
  spec: {
    machineConfig: { name: 'v1' },
    machineOSConfig: { name: 'worker' },
    renderedImagePushSpec: 'r/i:t',
  },
  status: {
    conditions: [{ type: 'Succeeded', status: 'True', reason: 'R', message: '', lastTransitionTime: '' }],
    digestedImagePushSpec: 'i',
  },
};
const machineConfig = aMachineConfig('rendered-worker-1');

const junk = fc.oneof(
  fc.constantFrom(null, undefined, 0, -1, 1e300, true, '', '__proto__', [], {}, [null], [[]], [1, 'a'], {
    name: 5,
  }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(JSON.parse('{"__proto__":{"a":1},"constructor":5}')),
);

/** The object with the field at the end of the path replaced. The path is drawn from the fields that are there. */
function damaged<T>(object: T): fc.Arbitrary<T> {
  return fc.tuple(fc.array(fc.nat(), { minLength: 1, maxLength: 5 }), junk).map(([path, value]) => {
    // The result deliberately violates its type.
    return replaced(object, path, value) as T;
  });
}

function replaced(value: unknown, [first = 0, ...rest]: readonly number[], by: unknown): unknown {
  if (!isObject(value) && !Array.isArray(value)) return by;
  const keys = Object.keys(value);
  const key = keys[first % Math.max(1, keys.length)];
  if (key === undefined) return by;
  const inner = (value as { readonly [key: string]: unknown })[key];
  const next = rest.length === 0 ? by : replaced(inner, rest, by);
  if (Array.isArray(value)) return value.map((item: unknown, index) => (String(index) === key ? next : item));
  return { ...value, [key]: next };
}

type World = {
  readonly node: Node;
  readonly pod: Pod;
  readonly pool: MachineConfigPool;
  readonly config: MachineOSConfig;
  readonly build: MachineOSBuild;
  readonly machineConfig: typeof machineConfig;
};

function decideEverything(world: World): void {
  const { node, pod, pool } = world;
  const layering = rollout.layeringOf(pool, [world.config], [world.build]);
  for (const given of [{}, layering === undefined ? {} : { layering }]) {
    const target = rollout.targetOf(pool, given.layering);
    const tally = rollout.tallyOf(target, [node]);
    for (const machineConfigExists of [() => true, () => false])
      rollout.poolGate({ pool, topology: '', machineConfigExists, ...given });
    const max = rollout.maxUnavailable(pool, 3);
    const selection = rollout.selectCandidates(tally.availability, max.kind === 'ok' ? max.value : 0);
    const relabelling = (one: Node) =>
      rollout.relabellingOf(one, { machineConfig: () => world.machineConfig, pool: () => pool });
    relabelling(node);
    rollout.chooseTargets(selection, { poolName: 'master', operatorNodes: ['n'], relabelling });
    const status = rollout.poolStatus({ pool, sum: tally, nowMs: 0, ...given });
    rollout.statusEvents(pool, status, target);
    rollout.taintsFor(node, target);
  }
  rollout.membershipOf(node, [pool]);
  rollout.nodeSelectorProblem(pool);
  rollout.annotationEvents(node, node);
  rollout.drainConditions(node);
  rollout.evictionReport(node, {
    refusals: [{ namespace: 's', pod: 'p', message: 'm' }],
    nowMs: 0,
    settings: rollout.DEFAULT_DRAIN_SETTINGS,
  });
  const seen = {
    node,
    pods: [pod],
    daemonSetExists: () => true,
    nodeCount: 3,
    nowMs: 0,
    settings: rollout.DEFAULT_DRAIN_SETTINGS,
  };
  const step = rollout.drainStep({ ...seen, fieldManager: 'm' });
  if ('change' in step) rollout.nodePatch(node, step.change);
}

it('no malformed object makes a decision throw', () => {
  const worlds: fc.Arbitrary<World> = fc.record({
    node: damaged(node),
    pod: damaged(pod),
    pool: damaged(pool),
    config: damaged(config),
    build: damaged(build),
    machineConfig: damaged(machineConfig),
  });
  fc.assert(
    fc.property(worlds, (world) => {
      expect(() => decideEverything(world)).not.toThrow();
    }),
    { numRuns: 1000 },
  );
});
