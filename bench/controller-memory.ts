/**
 * Memory of `millwright controller` and `millwright operator` in a large cluster: 5,000 nodes of 13 KB, 50,000 pods
 * of 4 KB, 30 rendered configs of more than 100 KB. Both run in their own process and talk over TLS to a server in
 * this one, which also runs scripted daemons. Takes about five minutes, half of it for the rollout: with the rate
 * limit of a real controller it does not complete in that time, but a tenth of the nodes is being updated.
 *
 *     node scripts/run.mjs bench/controller-memory.ts [NODES]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { env as environment } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { annotations, machineConfig, machineConfigNode, machineConfigPool } from '../src/api/index.ts';
import type { Store } from '../src/embedded/apiserver/index.ts';
import {
  type Cache,
  createCaches,
  createKube,
  type Kube,
  runControllers,
} from '../src/kubernetes/client/index.ts';
import {
  type Node,
  node as nodeKind,
  pod as podKind,
  serviceAccount,
} from '../src/kubernetes/types/index.ts';
import { aMachineConfig } from '../test/rollout/build-world.ts';
import { createScriptedDaemons } from '../test/rollout/scripted-daemons.ts';
import { podEnvironment } from './component-process.ts';
import { startInstalledServer } from './installed-server.ts';
import { residentMib } from './resident-memory.ts';

const NODES = Number(process.argv[2] ?? 5_000);
const PODS_PER_NODE = 10;
const RENDERED = 30;
const RENDERED_BYTES = 120_000;
const ROLLOUT_MS = 150_000;
/** The time after which a process is considered idle. */
const REST_MS = 10_000;
const SAMPLE_MS = 250;
const START_LIMIT_MS = 10 * 60_000;
const COMPONENTS = ['operator', 'controller'] as const;
/** The scripted daemons have no rate limit. */
const LIMITS = { rate: { perSecond: 1_000_000, burst: 1_000_000 } };

type Component = { readonly name: string; readonly process: ChildProcess; readonly log: string };

const folder = mkdtempSync(join(tmpdir(), 'millwright-bench-'));
try {
  await run();
} finally {
  rmSync(folder, { recursive: true });
}

async function run(): Promise<void> {
  const { env, store, transport, kubeconfig, end, stop } = await startInstalledServer();
  const kube = createKube({ transport, env, fieldManager: 'bench', limits: LIMITS });
  await fill(kube, store);
  writeFileSync(join(folder, 'kubeconfig'), kubeconfig);
  const caches = createCaches({ transport, env, limits: LIMITS });
  const daemons = createScriptedDaemons(
    { kube, kubelet: kube, caches, installer: caches, env },
    { applyMs: 1_000, rebootMs: 1_000 },
  );
  const running = runControllers([daemons], { env });
  const components = COMPONENTS.map(start);
  try {
    await measure({ kube, nodes: caches.of(nodeKind) }, components);
  } finally {
    for (const { process: child } of components) child.kill('SIGTERM');
    end();
    await running;
    await caches.stop();
    await Promise.all(components.map(ended));
    await stop();
  }
}

function resident({ process: child }: Component): number {
  return residentMib(child.pid, 'VmRSS');
}

type Cluster = { readonly kube: Kube; readonly nodes: Cache<Node> };

async function measure({ kube, nodes }: Cluster, components: readonly Component[]): Promise<void> {
  console.log(
    `\nMemory with ${NODES} nodes and ${NODES * PODS_PER_NODE} pods, in MiB${' '.repeat(6)}budget 300`,
  );
  const peaks = (column: (component: Component) => number) =>
    components.map((one) => `${one.name} ${column(one).toFixed(0).padStart(4)}`).join('   ');
  const show = (what: string, text: string) => console.log(`  ${what.padEnd(44)} ${text}`);
  await until(components, async () => (await updatedMachines(kube)) === NODES);
  show(
    'peak while filling caches',
    peaks(({ process: child }) => residentMib(child.pid, 'VmHWM')),
  );
  await pause(REST_MS);
  show('idle', peaks(resident));
  const before = (await kube.get(machineConfigPool, { name: 'worker' }))?.spec.configuration?.name ?? '';
  const width = Math.floor(NODES / 10);
  const body = { spec: { maxUnavailable: width } };
  await kube.patch(machineConfigPool, { name: 'worker' }, { type: 'merge', body });
  await kube.apply(machineConfig, aMachineConfig('50-worker-bench', 'worker', 'x'));
  const highest = new Map<string, number>();
  const end = performance.now() + ROLLOUT_MS;
  while (performance.now() < end) {
    await pause(SAMPLE_MS);
    for (const one of components) highest.set(one.name, Math.max(highest.get(one.name) ?? 0, resident(one)));
  }
  show(
    'most in a rollout',
    peaks(({ name }) => highest.get(name) ?? 0),
  );
  show('nodes started, and completed', progress(nodes, before));
}

/** The nodes whose desired config has changed, and those that have reached it. */
function progress(nodes: Cache<Node>, before: string): string {
  const configs = [...nodes.all()].map(({ metadata }) => ({
    current: metadata.annotations?.[annotations.currentConfig],
    desired: metadata.annotations?.[annotations.desiredConfig],
  }));
  const sent = configs.filter(({ desired }) => desired !== before);
  return `${sent.length}, ${sent.filter(({ current, desired }) => current === desired).length}`;
}

async function updatedMachines(kube: Kube): Promise<number> {
  return (await kube.get(machineConfigPool, { name: 'worker' }))?.status?.updatedMachineCount ?? 0;
}

async function until(components: readonly Component[], holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + START_LIMIT_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('timed out waiting for the pools');
    const dead = components.find(({ process: child }) => child.exitCode !== null);
    if (dead !== undefined) throw new Error(`${dead.name} exited:\n${readFileSync(dead.log, 'utf8')}`);
    await pause(SAMPLE_MS);
  }
}

/** As their Deployments run them. */
function start(name: (typeof COMPONENTS)[number]): Component {
  const log = join(folder, `${name}.log`);
  const file = openSync(log, 'w');
  const args = [name, '--kubeconfig', join(folder, 'kubeconfig')];
  const process = spawn('bin/millwright', args, {
    stdio: ['ignore', 'ignore', file],
    env: { ...environment, ...podEnvironment(name) },
  });
  closeSync(file);
  return { name, process, log };
}

async function ended({ process: child }: Component): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** One object of each kind is created through the server; the others are stored as copies of it. */
async function fill(kube: Kube, store: Store): Promise<void> {
  await kube.create(nodeKind, aNode());
  await copy(store, '/nodes/worker-0', NODES, (index) => `/nodes/worker-${index}`);
  const account = { apiVersion: 'v1' as const, kind: 'ServiceAccount' as const };
  await kube.create(serviceAccount, { ...account, metadata: { name: 'default', namespace: 'default' } });
  await kube.create(podKind, aPod());
  await copy(store, '/pods/default/pod-0', NODES * PODS_PER_NODE, (index) => `/pods/default/pod-${index}`);
  await kube.create(machineConfigNode, aMachineConfigNode());
  const report = { type: 'merge' as const, body: aNodeReport() };
  await kube.patch(machineConfigNode, { name: 'worker-0' }, report, { subresource: 'status' });
  const group = 'machineconfiguration.openshift.io';
  const nodesKey = `${group}/machineconfignodes/worker-`;
  await copy(store, `${nodesKey}0`, NODES, (index) => `${nodesKey}${index}`);
  await kube.create(machineConfig, aRenderedConfig());
  const renderedKey = `${group}/machineconfigs/rendered-worker-old-`;
  await copy(store, `${renderedKey}0`, RENDERED, (index) => `${renderedKey}${index}`);
}

async function copy(
  store: Store,
  from: string,
  count: number,
  keyOf: (index: number) => string,
): Promise<void> {
  const entry = store.get(from);
  if (entry === undefined) throw new Error(`${from} not found`);
  const text = new TextDecoder().decode(entry.value);
  const uid = /"uid":"([^"]+)"/.exec(text)?.[1] ?? '';
  const encoder = new TextEncoder();
  const commits: Promise<unknown>[] = [];
  for (let index = 1; index < count; index++) {
    const named = text
      .replace(`"uid":"${uid}"`, `"uid":"${uid.slice(0, -6)}${String(index).padStart(6, '0')}"`)
      .replaceAll(/"(worker|pod|rendered-worker-old)-0"/g, (_, name: string) =>
        // Pods are spread over the nodes in order.
        name === 'worker' ? `"worker-${index % NODES}"` : `"${name}-${index}"`,
      );
    commits.push(
      store.commit([{ kind: 'put', key: keyOf(index), expect: 'absent', value: encoder.encode(named) }]),
    );
    if (commits.length >= 1_000) await Promise.all(commits.splice(0));
  }
  await Promise.all(commits);
}

function aNode() {
  const digest = (index: number) => `sha256:${index.toString(16).padStart(64, 'a')}`;
  const condition = (type: string, status: string) => ({
    ...{ type, status, reason: `Kubelet${type}`, message: `kubelet has sufficient ${type} available` },
    ...{ lastHeartbeatTime: '2026-01-01T00:00:00Z', lastTransitionTime: '2026-01-01T00:00:00Z' },
  });
  const amounts = { cpu: '16', memory: '65536Mi', pods: '250', 'ephemeral-storage': '100Gi' };
  return {
    apiVersion: 'v1' as const,
    kind: 'Node' as const,
    metadata: {
      name: 'worker-0',
      labels: {
        ...{ 'node-role.kubernetes.io/worker': '', 'kubernetes.io/hostname': 'worker-0' },
        ...{ 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
        ...{ 'topology.kubernetes.io/zone': 'zone-a', 'node.kubernetes.io/instance-type': 'large' },
      },
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    },
    spec: {},
    status: {
      capacity: amounts,
      allocatable: amounts,
      addresses: [
        { type: 'InternalIP', address: '10.0.0.1' },
        { type: 'Hostname', address: 'worker-0' },
      ],
      conditions: [
        ...['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => condition(type, 'False')),
        condition('Ready', 'True'),
      ],
      images: Array.from({ length: 53 }, (_, index) => ({
        names: [
          `registry.example.com/platform/component-${index}@${digest(index)}`,
          `registry.example.com/platform/component-${index}:v1.2.3`,
        ],
        sizeBytes: 123_456_789,
      })),
    },
  };
}

function aPod() {
  const env = Array.from({ length: 14 }, (_, index) => ({
    name: `SETTING_${index}`,
    value: `the value of setting number ${index}, as long as such values are`,
  }));
  return {
    apiVersion: 'v1' as const,
    kind: 'Pod' as const,
    metadata: {
      name: 'pod-0',
      namespace: 'default',
      labels: { app: 'web', 'pod-template-hash': '5d4f8c7b9' },
      ownerReferences: [
        ...[{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d4f8c7b9', uid: 'a', controller: true }],
      ],
    },
    // They are deleted immediately: there is no kubelet here.
    spec: {
      nodeName: 'worker-0',
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'web', image: 'registry.example.com/web:1', env }],
    },
  };
}

function aMachineConfigNode() {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1' as const,
    kind: 'MachineConfigNode' as const,
    metadata: { name: 'worker-0' },
    spec: {
      node: { name: 'worker-0' },
      pool: { name: 'worker' },
      configVersion: { desired: 'not-yet-set' },
    },
  };
}

/** All the conditions of a real daemon, written to the status subresource. */
function aNodeReport() {
  const types = [
    ...['Updated', 'UpdatePrepared', 'UpdateExecuted', 'UpdatePostActionComplete', 'UpdateComplete'],
    ...['Resumed', 'Drained', 'AppliedFilesAndOS', 'Cordoned', 'RebootedNode', 'Uncordoned'],
  ];
  const conditions = types.map((type) => ({
    ...{ type, status: 'False', reason: 'NotYetOccured' },
    message: `This node has not yet entered the ${type} phase`,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }));
  return { status: { conditions, observedGeneration: 1 } };
}

function aRenderedConfig() {
  const source = `data:,${'x'.repeat(1_000)}`;
  const files = Array.from({ length: RENDERED_BYTES / 1_000 }, (_, index) => ({
    path: `/etc/bench/${index}`,
    mode: 420,
    contents: { source },
  }));
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1' as const,
    kind: 'MachineConfig' as const,
    metadata: {
      name: 'rendered-worker-old-0',
      annotations: { [annotations.generatedByControllerVersion]: 'bench' },
    },
    spec: { config: { ignition: { version: '3.4.0' }, storage: { files } } },
  };
}
