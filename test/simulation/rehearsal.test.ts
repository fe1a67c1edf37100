/**
 * Rehearsals of a change on a small cluster of three workers: what if something goes wrong, and what a snapshot says about nodes and pods.
 */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  machineConfig,
  machineConfigPool,
  machineOSConfig,
  pinnedImageSet,
  SANDBOX_TIMES_CONFIG_MAP,
} from '../../src/api/index.ts';
import { releaseOf } from '../../src/cli/release.ts';
import { readTemplates } from '../../src/cli/render/read-templates.ts';
import { clusterSnapshot, type SnapshotObject } from '../../src/insight/index.ts';
import { apiVersionOf } from '../../src/kubernetes/meta/index.ts';
import { type Simulation, simulateChange, type WhatIf } from '../../src/simulation/index.ts';
import { packageRoot } from '../cli/run-cli.ts';

const NAMESPACE = 'openshift-machine-config-operator';
const NOW_MS = Date.parse('2026-11-01T12:00:00Z');
const MINUTE = 60_000;

type Given = {
  readonly objects?: readonly SnapshotObject[];
  readonly applied?: readonly SnapshotObject[];
  readonly whatIfs?: readonly WhatIf[];
  readonly seeds?: number;
  readonly nodeMinutes?: number;
};

let templates: ReadonlyMap<string, string>;
beforeAll(async () => {
  templates = await readTemplates(packageRoot);
});

async function simulate({
  objects = CLUSTER,
  applied = [A_FILE],
  whatIfs = [],
  seeds = 1,
  nodeMinutes = 3,
}: Given = {}): Promise<Simulation> {
  return await simulateChange({
    snapshot: clusterSnapshot({ nowMs: NOW_MS, objects, kinds: [] }),
    change: { applied, deleted: [] },
    ...{ namespace: NAMESPACE, nodeMinutes, whatIfs, seeds, templates },
    release: releaseOf('0.0.0', templates),
    manifests: join(packageRoot, 'manifests'),
  });
}

const p50 = ({ durationMs }: Simulation) => durationMs?.p50 ?? Number.NaN;

describe('a rehearsal', () => {
  let calm: Simulation;
  beforeAll(async () => {
    calm = await simulate();
  });

  it('sends one node after the other, and reboots each of them', () => {
    expect(calm).toMatchObject({ outcome: 'ends', problems: [], notes: [] });
    expect(calm.nodes.map(({ isRebooted }) => isRebooted)).toEqual([true, true, true]);
    const spans = calm.shown.nodes.map(({ sentMs, doneMs = 0 }) => [sentMs, doneMs] as const);
    for (const [index, [sentMs]] of spans.slice(1).entries()) {
      expect(sentMs).toBeGreaterThanOrEqual(spans[index]?.[1] ?? Number.POSITIVE_INFINITY);
    }
    expect(p50(calm)).toBeGreaterThan(3 * 0.8 * 3 * MINUTE);
    expect(p50(calm)).toBeLessThan(3 * 1.4 * 3 * MINUTE);
  });

  it('is the same for the same seed', async () => {
    expect(await simulate()).toEqual(calm);
  });

  it('takes longer with a node that is slow', async () => {
    const slow = await simulate({ whatIfs: [{ kind: 'slow-node', node: 'worker-1', factor: 5 }] });
    expect(slow.outcome).toBe('ends');
    expect(p50(slow)).toBeGreaterThan(p50(calm) + 8 * MINUTE);
  });

  it('goes on after a crash of the controllers, later by as long as they are gone', async () => {
    const crashed = await simulate({ whatIfs: [{ kind: 'controller-crash', ms: 30 * MINUTE }] });
    expect(crashed.outcome).toBe('ends');
    expect(p50(crashed)).toBeGreaterThan(p50(calm) + 20 * MINUTE);
  });

  it('waits for the registry where an OS image is pulled, and drains nobody meanwhile', async () => {
    const given = { applied: [AN_IMAGE] };
    const whatIfs: readonly WhatIf[] = [{ kind: 'registry-down', ms: 20 * MINUTE }];
    const down = await simulate({ ...given, whatIfs });
    expect(down.outcome).toBe('ends');
    const drains = down.shown.nodes.flatMap(({ phases }) => phases.filter(({ phase }) => phase === 'drain'));
    expect(Math.min(...drains.map(({ fromMs }) => fromMs))).toBeGreaterThan(20 * MINUTE);
  });

  it('waits for the registry as long as it is said to be down, and reboots the node that failed meanwhile', async () => {
    const whatIfs: readonly WhatIf[] = [{ kind: 'registry-down', ms: 120 * MINUTE }];
    const down = await simulate({ applied: [AN_IMAGE], whatIfs });
    expect(down.outcome).toBe('ends');
    expect(down.failures.map(({ node }) => node)).toEqual(['worker-0']);
    expect(down.nodes.map(({ isRebooted }) => isRebooted)).toEqual([true, true, true]);
    const [first] = down.shown.nodes;
    const phases = first?.phases.map(({ phase }) => phase) ?? [];
    expect(phases.slice(phases.lastIndexOf('fail') + 1)).toContain('reboot');
    expect(phases.at(-1)).not.toBe('fail');
  });

  it.each<readonly [what: string, given: Given]>([
    ['reboots that take longer than anything should', { nodeMinutes: 100 }],
    [
      'a node that is forty times as slow',
      { whatIfs: [{ kind: 'slow-node', node: 'worker-1', factor: 40 }] },
    ],
    ['sandboxes with reboots of another length', { objects: sandboxes(), nodeMinutes: 12 }],
    [
      'sandboxes without a controller for longer than an update takes',
      { objects: sandboxes(), nodeMinutes: 1, whatIfs: [{ kind: 'controller-crash', ms: 90 * MINUTE }] },
    ],
  ])('calls nothing blocked that takes as long as was said: %s', async (_, given) => {
    const simulation = await simulate(given);
    expect([simulation.outcome, simulation.blockers]).toEqual(['ends', []]);
  });

  it('says of sandboxes, too, which node is lost', async () => {
    const lost = await simulate({ objects: sandboxes(), whatIfs: [{ kind: 'node-lost', node: 'worker-0' }] });
    expect(lost.outcome).toBe('blocked');
    expect(lost.blockers.map(({ code, about }) => [code, about.name])).toEqual([['NodeNotBack', 'worker-0']]);
  });

  it('counts the reboot of a node that failed before as progress', async () => {
    const whatIfs: readonly WhatIf[] = [
      { kind: 'registry-down', ms: 20 * MINUTE },
      { kind: 'node-lost', node: 'worker-0' },
    ];
    const { shown, blockers } = await simulate({ applied: [AN_IMAGE], whatIfs });
    expect(shown.durationMs).toBeGreaterThanOrEqual(20 * MINUTE);
    expect(blockers.map(({ code }) => code)).toContain('NodeNotBack');
  });

  it('names the node that cannot write, and leaves the others as they are', async () => {
    const full = await simulate({ whatIfs: [{ kind: 'disk-full', node: 'worker-0' }] });
    expect(full.outcome).toBe('blocked');
    expect(full.blockers.map(({ about }) => about.name)).toContain('worker-0');
    expect(full.pools.map(({ unfinished }) => unfinished)).toEqual([['worker-0', 'worker-1', 'worker-2']]);
  });

  it('neither sends nor refuses objects that it leaves out, and says what is not rehearsed', async () => {
    const created = await simulate({ applied: [anOsConfig('1')] });
    expect([created.outcome, created.blockers]).toEqual(['none', []]);
    expect(created.notes).toEqual([expect.stringContaining('the build of the image of pool worker')]);
    const changed = await simulate({
      objects: [...CLUSTER, anOsConfig('1'), aPinnedSet('a')],
      applied: [anOsConfig('2'), aPinnedSet('b'), A_FILE],
    });
    expect(changed.leftOut.map(({ object }) => object)).toEqual([
      'MachineOSConfig/worker',
      'PinnedImageSet/shop',
    ]);
    expect(changed.nodes).toHaveLength(3);
  });

  it('stands where the only node that may be unavailable is down', async () => {
    const down = await simulate({ whatIfs: [{ kind: 'node-down', node: 'worker-2' }] });
    expect([down.outcome, down.nodes]).toEqual(['blocked', []]);
    expect(down.blockers.map(({ code }) => code)).toContain('NodeNotReady');
  });

  it('reports the pod and the budget that hold up a drain', async () => {
    const held = await simulate({ objects: [...CLUSTER, ...A_LONELY_POD] });
    expect(held.outcome).toBe('blocked');
    expect(held.refusals).toEqual([
      expect.objectContaining({ node: 'worker-0', namespace: 'shop', pod: 'db-0', budget: 'db' }),
    ]);
  });

  it('replaces pods of a ReplicaSet while they end, and those of a StatefulSet once they are gone', async () => {
    const [byReplicaSet = 0, byStatefulSet = 0] = await Promise.all(
      ['ReplicaSet', 'StatefulSet'].map(async (kind) => {
        const { outcome, shown } = await simulate({ objects: [...CLUSTER, ...guardedPodsOf(kind)] });
        expect(outcome).toBe('ends');
        const drains = shown.nodes.flatMap(({ phases }) => phases.filter(({ phase }) => phase === 'drain'));
        return Math.max(...drains.map(({ fromMs, toMs }) => toMs - fromMs));
      }),
    );
    // Four pods, one at a time: the next one goes once the one before it is replaced.
    expect(byStatefulSet).toBeGreaterThan(1.3 * byReplicaSet);
  });

  it('takes the namespace of an object that a change creates to be there', async () => {
    const [, budget] = A_LONELY_POD;
    const simulation = await simulate({ applied: budget === undefined ? [] : [budget] });
    expect([simulation.outcome, simulation.notes]).toEqual(['none', []]);
  });

  it('moves nothing of a paused pool, and says that its nodes are left behind', async () => {
    const paused = CLUSTER.map((object) =>
      object.kind === machineConfigPool.kind ? aPool({ paused: true }) : object,
    );
    const simulation = await simulate({ objects: paused });
    expect([simulation.outcome, simulation.nodes]).toEqual(['blocked', []]);
    expect(simulation.pools).toEqual([expect.objectContaining({ isPaused: true, sent: 0 })]);
  });

  it('keeps the cordon of a person, whose node counts as unavailable', async () => {
    const cordoned = CLUSTER.map((object) =>
      object.metadata.name === 'worker-1' ? aNode(1, { unschedulable: true }) : object,
    );
    const simulation = await simulate({ objects: cordoned });
    expect(simulation.blockers.map(({ code }) => code)).toContain('NodeCordoned');
  });
});

function aPool(spec: object): SnapshotObject {
  const matchLabels = { 'node-role.kubernetes.io/worker': '' };
  const role = { 'machineconfiguration.openshift.io/role': 'worker' };
  return {
    ...{ apiVersion: apiVersionOf(machineConfigPool), kind: machineConfigPool.kind },
    metadata: { name: 'worker' },
    spec: { machineConfigSelector: { matchLabels: role }, nodeSelector: { matchLabels }, ...spec },
  } as SnapshotObject;
}

function aNode(index: number, spec: object = {}): SnapshotObject {
  return {
    ...{ apiVersion: 'v1', kind: 'Node' },
    metadata: {
      name: `worker-${index}`,
      labels: { 'node-role.kubernetes.io/worker': '' },
      creationTimestamp: `2026-01-01T00:00:0${index}Z`,
    },
    spec,
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  } as SnapshotObject;
}

function aConfig(spec: object): SnapshotObject {
  const labels = { 'machineconfiguration.openshift.io/role': 'worker' };
  return {
    ...{ apiVersion: apiVersionOf(machineConfig), kind: machineConfig.kind },
    ...{ metadata: { name: '60-worker', labels }, spec },
  } as SnapshotObject;
}

function anOsConfig(tag: string): SnapshotObject {
  return {
    ...{ apiVersion: apiVersionOf(machineOSConfig), kind: machineOSConfig.kind },
    metadata: { name: 'worker' },
    spec: {
      ...{ machineConfigPool: { name: 'worker' }, imageBuilder: { imageBuilderType: 'Job' } },
      ...{ renderedImagePushSecret: { name: 'push' }, renderedImagePushSpec: `registry.example/os:${tag}` },
    },
  } as SnapshotObject;
}

function aPinnedSet(digit: string): SnapshotObject {
  const labels = { 'machineconfiguration.openshift.io/role': 'worker' };
  return {
    ...{ apiVersion: apiVersionOf(pinnedImageSet), kind: pinnedImageSet.kind },
    metadata: { name: 'shop', labels },
    spec: { pinnedImages: [{ name: `registry.example/app@sha256:${digit.repeat(64)}` }] },
  } as SnapshotObject;
}

const CLUSTER: readonly SnapshotObject[] = [aPool({}), ...[0, 1, 2].map((index) => aNode(index))];
/** As `millwright up` publishes its speed. */
function sandboxes(): readonly SnapshotObject[] {
  const times = {
    ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { speed: '10' } },
    metadata: { name: SANDBOX_TIMES_CONFIG_MAP, namespace: NAMESPACE },
  };
  return [...CLUSTER, times];
}
const IGNITION = { ignition: { version: '3.4.0' } };
const FILE = { path: '/etc/motd', mode: 0o644, contents: { source: 'data:,hello' } };
const A_FILE = aConfig({ config: { ...IGNITION, storage: { files: [FILE] } } });
const AN_IMAGE = aConfig({
  config: IGNITION,
  osImageURL: `registry.example/os@sha256:${'a'.repeat(64)}`,
});
const LABELS = { app: 'db' };
/** Nothing replaces it, so its budget never allows an eviction. */
const A_LONELY_POD = [
  {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { name: 'db-0', namespace: 'shop', labels: LABELS },
    spec: { nodeName: 'worker-0', containers: [{ name: 'db', image: 'registry.example/db' }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  },
  {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
    metadata: { name: 'db', namespace: 'shop' },
    spec: { minAvailable: 1, selector: { matchLabels: LABELS } },
  },
] as unknown as readonly SnapshotObject[];

/** Four on one node, of which one may be missing at a time. */
function guardedPodsOf(kind: string): readonly SnapshotObject[] {
  const [pod, budget] = A_LONELY_POD;
  const owner = { apiVersion: 'apps/v1', kind, name: 'db', uid: 'uid-of-db', controller: true };
  const pods = Array.from({ length: 4 }, (_, index) => ({
    ...pod,
    metadata: {
      ...{ name: `db-${index}`, namespace: 'shop', labels: LABELS, uid: `uid-of-db-${index}` },
      ownerReferences: [owner],
    },
  }));
  const spec = { maxUnavailable: 1, selector: { matchLabels: LABELS } };
  return [...pods, { ...budget, spec }] as unknown as readonly SnapshotObject[];
}
