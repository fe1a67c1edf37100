/**
 * Rehearsals of a change on a small cluster of three workers: what if something goes wrong, and what a snapshot says about nodes and pods.
 */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { machineConfig, machineConfigPool } from '../../src/api/index.ts';
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
}: Given = {}): Promise<Simulation> {
  return await simulateChange({
    snapshot: clusterSnapshot({ nowMs: NOW_MS, objects, kinds: [] }),
    change: { applied, deleted: [] },
    ...{ namespace: NAMESPACE, nodeMinutes: 3, whatIfs, seeds, templates },
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

  it('names the node that cannot write, and leaves the others as they are', async () => {
    const full = await simulate({ whatIfs: [{ kind: 'disk-full', node: 'worker-0' }] });
    expect(full.outcome).toBe('blocked');
    expect(full.blockers.map(({ about }) => about.name)).toContain('worker-0');
    expect(full.pools.map(({ unfinished }) => unfinished)).toEqual([['worker-0', 'worker-1', 'worker-2']]);
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

const CLUSTER: readonly SnapshotObject[] = [aPool({}), ...[0, 1, 2].map((index) => aNode(index))];
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
