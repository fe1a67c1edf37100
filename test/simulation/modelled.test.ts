/** Modelled nodes beside machines with daemons: the same rollout, node by node, with the same reports. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  annotations,
  type MachineConfig,
  type MachineConfigNode,
  machineConfig as machineConfigKind,
  machineConfigNode as machineConfigNodeKind,
  machineConfigPool as machineConfigPoolKind,
} from '../../src/api/index.ts';
import { annotationOf } from '../../src/kubernetes/meta/index.ts';
import { type Node, node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { readNodeConfig } from '../../src/node/plan/index.ts';
import { type SimulatedCluster, startCluster } from '../../src/simulation/cluster/cluster.ts';
import { FIRST_OS, osImage } from '../../src/simulation/cluster/os-images.ts';
import { type Installation, installOnce } from '../../src/simulation/installation-node.ts';
import { storeObjects } from '../../src/simulation/rehearsal/stored-objects.ts';

const NAMES = ['worker-0', 'worker-1', 'worker-2', 'worker-3', 'worker-4'];
const TIMES = { bootMs: 60_000, shutDownMs: 5_000, pullMs: 20_000, stageMs: 7_000 };
/** The same for every node, so that only the nodes themselves can differ. */
const PACE = {
  kubeletStartMs: [5_000, 5_000],
  daemonStartMs: [3_000, 3_000],
  podStartMs: [2_000, 2_000],
  podEndMs: () => [1_000, 1_000] as const,
} as const;
const MINUTE = 60_000;
/** A daemon calls its machine a few times, and looks again. */
const TOLERANCE_MS = 1_000;

let installation: Installation;
beforeAll(async () => {
  installation = await installOnce('manifests');
});

const CHANGES: readonly (readonly [what: string, spec: NonNullable<MachineConfig['spec']>])[] = [
  ['a file', { config: withFile('/etc/example.conf') }],
  ['kernel arguments', { kernelArguments: ['audit=1'], config: { ignition: { version: '3.4.0' } } }],
  ['an OS image', { osImageURL: osImage(2), config: { ignition: { version: '3.4.0' } } }],
  ['a file that needs neither drain nor reboot', { config: withFile('/var/lib/kubelet/config.json', '{}') }],
];

describe('modelled nodes', () => {
  it.each(CHANGES)('are updated as machines with daemons are: %s', async (_, spec) => {
    const [real, modelled] = [await rollOut(spec, false), await rollOut(spec, true)];
    expect(modelled.order).toEqual(real.order);
    expect(modelled.reboots).toBe(real.reboots);
    expect(modelled.conditions).toEqual(real.conditions);
    expect(modelled.finals).toEqual(real.finals);
    for (const name of NAMES) {
      const [one, other] = [real.spans.get(name), modelled.spans.get(name)];
      expect(Math.abs((one?.sentMs ?? 0) - (other?.sentMs ?? 0))).toBeLessThan(TOLERANCE_MS * NAMES.length);
      expect(Math.abs(lengthOf(one) - lengthOf(other))).toBeLessThan(TOLERANCE_MS);
    }
  });

  it('refuse a config that they cannot apply, as machines with daemons do', async () => {
    const spec = { config: withFile('/proc/example') };
    const [real, modelled] = [await rollOut(spec, false), await rollOut(spec, true)];
    expect(real.finals[0]?.state).toBe('Unreconcilable');
    expect(modelled.finals).toEqual(real.finals);
    // The others still tell how the nodes joined, which is not modelled.
    const verdicts = (conditions: typeof real.conditions) =>
      conditions.map((all) =>
        all.filter(({ type }) => ['Updated', 'UpdatePrepared', 'NodeDegraded'].includes(type)),
      );
    expect(verdicts(modelled.conditions)).toEqual(verdicts(real.conditions));
  });
});

type Span = { readonly sentMs: number; readonly doneMs?: number };

function lengthOf(span: Span | undefined): number {
  return (span?.doneMs ?? Number.NaN) - (span?.sentMs ?? Number.NaN);
}

/** What a cluster shows of one change, made ten minutes after its start. */
async function rollOut(spec: NonNullable<MachineConfig['spec']>, isModelled: boolean) {
  const spans = new Map<string, Span>();
  const bootedBy = new Map<string, number>();
  let beganMs = Number.POSITIVE_INFINITY;
  const cluster = await startCluster({
    ...{ seed: 1, installation, isInstant: true, nodes: [], workloads: [], times: TIMES, pace: PACE },
    observer: {
      onStored(event, { clock }) {
        if (event.kind !== 'put' || !event.key.startsWith('/nodes/') || clock.monotonic() < beganMs) return;
        const node = JSON.parse(new TextDecoder().decode(event.value)) as Node;
        follow(spans, node, clock.monotonic() - beganMs);
        if (annotationOf(node, annotations.postConfigAction) === 'Rebooting')
          bootedBy.set(node.metadata.name, 1);
      },
      onServed: () => undefined,
      onReboot: () => undefined,
      onBug(error) {
        throw error;
      },
    },
  });
  await join(cluster, isModelled);
  beganMs = cluster.clock.monotonic();
  await cluster.settled(
    cluster.kube.create(machineConfigKind, {
      ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig', spec },
      metadata: { name: '50-change', labels: { 'machineconfiguration.openshift.io/role': 'worker' } },
    }),
  );
  await cluster.clock.advance(30 * MINUTE);
  const nodes = (await cluster.settled(cluster.kube.list(nodeKind))).items;
  const records = (await cluster.settled(cluster.kube.list(machineConfigNodeKind))).items;
  await cluster.stop();
  return {
    spans,
    reboots: bootedBy.size,
    order: [...spans].sort(([, a], [, b]) => a.sentMs - b.sentMs).map(([name]) => name),
    conditions: records.map(shownConditions),
    finals: nodes.map(shownAnnotations),
  };
}

async function join(cluster: SimulatedCluster, isModelled: boolean): Promise<void> {
  await cluster.clock.advance(MINUTE);
  const pool = await cluster.settled(cluster.kube.get(machineConfigPoolKind, { name: 'worker' }));
  const name = pool?.spec.configuration?.name ?? '';
  const read = readNodeConfig(await cluster.settled(cluster.kube.get(machineConfigKind, { name })));
  if (read.kind !== 'ok') throw new Error('the pool has a config');
  for (const node of NAMES) {
    await storeObjects(cluster.store, [aNode(node)]);
    const config = { ...read.value, osImage: read.value.osImage || FIRST_OS };
    await cluster.settled(cluster.adoptNode({ name: node, config, times: TIMES, isUp: true, isModelled }));
  }
  await cluster.clock.advance(9 * MINUTE);
}

function follow(spans: Map<string, Span>, node: Node, nowMs: number): void {
  const { name } = node.metadata;
  const value = (key: string) => annotationOf(node, key) ?? '';
  const isThere = value(annotations.currentConfig) === value(annotations.desiredConfig);
  const known = spans.get(name);
  if (!isThere && known === undefined) spans.set(name, { sentMs: nowMs });
  if (isThere && known !== undefined && value(annotations.state) === 'Done' && known.doneMs === undefined) {
    spans.set(name, { ...known, doneMs: nowMs });
  }
}

function shownConditions({ status }: MachineConfigNode) {
  return (status?.conditions ?? [])
    .map(({ type, status: value, reason, message }) => ({ type, value, reason, message }))
    .sort((a, b) => (a.type < b.type ? -1 : 1));
}

function shownAnnotations(node: Node) {
  const value = (key: string) => annotationOf(node, key);
  return {
    name: node.metadata.name,
    current: value(annotations.currentConfig),
    desired: value(annotations.desiredConfig),
    state: value(annotations.state),
    reason: value(annotations.reason),
    isCordoned: node.spec.unschedulable === true,
  };
}

function aNode(name: string) {
  return {
    ...{ apiVersion: 'v1', kind: 'Node', spec: {} },
    metadata: {
      ...{ name, uid: `uid-of-${name}`, creationTimestamp: '2026-01-01T00:00:00Z' },
      labels: { 'kubernetes.io/os': 'linux', 'node-role.kubernetes.io/worker': '' },
    },
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      nodeInfo: { containerRuntimeVersion: 'cri-o://1.33.1' },
    },
  };
}

function withFile(path: string, text = 'x') {
  const contents = { source: `data:,${encodeURIComponent(text)}` };
  return {
    ignition: { version: '3.4.0' },
    storage: { files: [{ path, mode: 0o644, overwrite: true, contents }] },
  };
}
