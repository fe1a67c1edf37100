/**
 * A rollout on a real kube-apiserver: how long it takes to fill all places that `maxUnavailable` allows, with nodes that
 * answer at once, and what a rollout costs in requests per node, by whose they are and what they do. The operator and the
 * controllers run in this process with the rate limit that they have in production, the daemons in another. Results are
 * printed, never asserted: machines differ.
 *
 *     node scripts/run.mjs bench/rollout-kubernetes.ts [--no-fsync]
 */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { annotations, machineConfig, machineConfigPool } from '../src/api/index.ts';
import { type Env, silentLog, systemClock, systemRandom } from '../src/base/env.ts';
import {
  type Cache,
  CONTROLLER_REQUEST_LIMITS,
  createCaches,
  createKube,
  type Kube,
} from '../src/kubernetes/client/index.ts';
import { createNodeTransport } from '../src/kubernetes/client/transport-node.ts';
import {
  type Node,
  node as nodeKind,
  pod as podKind,
  serviceAccount as serviceAccountKind,
} from '../src/kubernetes/types/index.ts';
import { startKubernetes } from '../test/kubernetes/kubernetes.ts';
import { findKubectl } from '../test/kubernetes/programs.ts';
import { aMachineConfig, aNode, isPoolUpdated } from '../test/rollout/build-world.ts';
import { control, controllers, operator } from '../test/rollout/control.ts';
import { LIMITS, partsFor } from '../test/rollout/world-process.ts';
import { counted, RequestCounter, type RequestCounts, sumOf } from './request-counter.ts';
import {
  type BenchAccess,
  isBusy,
  type NodesAnswer,
  type NodesRequest,
  serveNodes,
} from './rollout-nodes.ts';

const WORKERS = 200;
const PLACES = 100;
/** Of the workers: those with a real daemon. */
const REAL = 5;
const POOL = { name: 'worker' };
const SCRIPTED_LABEL = 'bench/scripted';
const MANIFESTS = [
  ...['crds', 'namespace.yaml', 'service-accounts.yaml', 'policies.yaml'],
  ...['rbac-controller.yaml', 'rbac-daemon.yaml', 'rbac-operator.yaml'],
];
const LIMIT_MS = 10 * 60_000;
const POLL_MS = 100;
/** How long requests of the last events may follow the end of a rollout. */
const REST_MS = 3_000;
/** Each rollout has another content. */
let rollouts = 0;

if (process.argv[2] === 'nodes') serveNodes();
else {
  await run();
  process.exit(0);
}

async function run(): Promise<void> {
  const cluster = await startKubernetes({ isDurable: !process.argv.includes('--no-fsync') });
  if ('unavailable' in cluster) throw new Error(`kube-apiserver is not available: ${cluster.unavailable}`);
  const nodes = fork(fileURLToPath(import.meta.url), ['nodes']);
  try {
    await install(cluster.kubeconfigPath);
    await measure(
      {
        url: cluster.url,
        authorityPem: cluster.caPem,
        certificate: { certPem: cluster.adminCert, keyPem: cluster.adminKey },
      },
      nodes,
    );
  } finally {
    nodes.kill();
    await cluster.stop();
  }
}

async function install(kubeconfigPath: string): Promise<void> {
  const kubectl = await findKubectl();
  if (typeof kubectl !== 'string') throw new Error(`kubectl is not available: ${kubectl.unavailable}`);
  const home = await mkdtemp(join(tmpdir(), 'millwright-bench-'));
  const env = { ...process.env, HOME: home, KUBECONFIG: kubeconfigPath };
  // Kinds and namespace first.
  for (const name of MANIFESTS)
    await promisify(execFile)(kubectl, ['apply', '--server-side', '-f', join('manifests', name)], { env });
  await rm(home, { recursive: true });
}

/** All that a measurement needs. */
type Bench = {
  readonly kube: Kube;
  readonly nodes: Cache<Node>;
  readonly operator: RequestCounter;
  readonly controllers: RequestCounter;
  readonly ask: (request: NodesRequest) => Promise<NodesAnswer>;
};

async function measure(access: BenchAccess, child: ChildProcess): Promise<void> {
  const stopping = new AbortController();
  const env: Env = {
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    signal: stopping.signal,
  };
  const connect = () => createNodeTransport({ access, clock: systemClock });
  const kube = createKube({ transport: connect(), env, fieldManager: 'bench', limits: LIMITS });
  const bench: Bench = {
    kube,
    nodes: createCaches({ transport: connect(), env, limits: LIMITS }).of(nodeKind),
    operator: new RequestCounter(),
    controllers: new RequestCounter(),
    async ask(request) {
      child.send(request);
      const [answer] = (await once(child, 'message')) as [NodesAnswer];
      return answer;
    },
  };
  await createNodes(bench);
  const patience = { limits: CONTROLLER_REQUEST_LIMITS };
  const parts = [operator, controllers].map((component, index) => {
    const counter = index === 0 ? bench.operator : bench.controllers;
    return control(partsFor(counter.wrap(connect()), env, patience), component);
  });
  await bench.ask({ kind: 'start', access, labelSelector: SCRIPTED_LABEL });
  await installReal(bench);
  await untilUpdated(bench);
  const body = { spec: { maxUnavailable: PLACES } };
  await kube.patch(machineConfigPool, POOL, { type: 'merge', body });
  await pause(REST_MS);
  console.log(`\nRollout on kube-apiserver: ${WORKERS} nodes, ${PLACES} places`);
  await fill(bench);
  await rollOut(bench, 'Rollout with nodes that answer at once, without pods');
  await createPods(bench);
  await rollOut(bench, 'Rollout with nodes that answer at once, one pod to evict on each');
  stopping.abort();
  await Promise.all(parts);
}

async function createNodes({ kube }: Bench): Promise<void> {
  await kube.create(nodeKind, aNode('master-0', ['master', 'control-plane']));
  for (let index = 0; index < WORKERS; index++) {
    const node = aNode(`worker-${index}`, ['worker']);
    const labels = { ...node.metadata.labels, ...(index < REAL ? {} : { [SCRIPTED_LABEL]: '' }) };
    await kube.create(nodeKind, { ...node, metadata: { ...node.metadata, labels } });
  }
  await kube.create(serviceAccountKind, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace: 'default' },
  });
}

/** With the first config of the pool. */
async function installReal({ kube, ask }: Bench): Promise<void> {
  const configName = async () => (await kube.get(machineConfigPool, POOL))?.spec.configuration?.name ?? '';
  await until('a first config', async () => (await configName()) !== '');
  const config = await kube.get(machineConfig, { name: await configName() });
  if (config === undefined) throw new Error('the first config is gone');
  const names = Array.from({ length: REAL }, (_, index) => `worker-${index}`);
  await ask({ kind: 'install', names, config });
}

async function createPods({ kube }: Bench): Promise<void> {
  for (let index = 0; index < WORKERS; index++)
    await kube.create(podKind, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `pod-${index}`,
        namespace: 'default',
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'some', uid: 'some', controller: true },
        ],
      },
      // There is no kubelet: it is deleted at once.
      spec: {
        nodeName: `worker-${index}`,
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'main', image: 'registry.example.com/main' }],
      },
    });
}

/** No node comes back before all places are taken. */
async function fill(bench: Bench): Promise<void> {
  await bench.ask({ kind: 'hold', isHeld: true });
  const progress = await follow(bench);
  await until('all places are taken', async () => progress.sentAtMs.length >= PLACES);
  const [first = 0] = progress.sentAtMs;
  const last = progress.sentAtMs[PLACES - 1] ?? 0;
  await until('all are drained', async () => progress.downAtMs.length >= PLACES - REAL);
  const drained = progress.downAtMs.at(-1) ?? 0;
  show('load average', loadavg()[0]?.toFixed(1) ?? '');
  show(`from the new target to the first node`, `${(first - progress.targetedAtMs).toFixed(0)} ms`);
  show(`until ${PLACES} places are taken`, `${(last - first).toFixed(0)} ms`, 'budget 2,000 ms');
  show(`until ${PLACES - REAL} are drained and down`, `${(drained - first).toFixed(0)} ms`);
  await bench.ask({ kind: 'hold', isHeld: false });
  await untilUpdated(bench);
  await pause(REST_MS);
}

async function rollOut(bench: Bench, title: string): Promise<void> {
  const { scripted, real } = await bench.ask({ kind: 'count' });
  const before = { operator: bench.operator.counts(), controllers: bench.controllers.counts() };
  const progress = await follow(bench);
  await untilUpdated(bench);
  const [first = 0] = progress.sentAtMs;
  const last = progress.sentAtMs.at(-1) ?? 0;
  await pause(REST_MS);
  const after = await bench.ask({ kind: 'count' });
  console.log(`\n${title}`);
  show('nodes sent per second', ((1000 * WORKERS) / (last - first)).toFixed(0));
  show('most nodes busy at once', String(progress.mostBusy()));
  showCounts('controllers', counted(before.controllers, bench.controllers.counts()), WORKERS);
  showCounts('operator', counted(before.operator, bench.operator.counts()), WORKERS);
  showCounts('real daemons', counted(real, after.real), REAL);
  showCounts('scripted daemons', counted(scripted, after.scripted), WORKERS - REAL);
}

function show(what: string, figure: string, remark = ''): void {
  console.log(`  ${what.padEnd(44)} ${figure.padStart(10)}  ${remark}`);
}

/** Per node. What is rarer than one in twenty nodes is summed up: events, status of pools. */
function showCounts(whose: string, counts: RequestCounts, nodes: number): void {
  const perNode = Object.entries(counts)
    .map(([what, count]) => ({ what, figure: count / nodes }))
    .toSorted((a, b) => b.figure - a.figure);
  show(`requests of ${whose} per node`, (sumOf(counts) / nodes).toFixed(2));
  for (const { what, figure } of perNode.filter((one) => one.figure >= 0.05))
    show(`    ${what}`, figure.toFixed(2));
}

type Progress = {
  /** When the pool got its target. */
  readonly targetedAtMs: number;
  /** When a node was sent there, in order. */
  readonly sentAtMs: readonly number[];
  /** When a node went down for its reboot. */
  readonly downAtMs: readonly number[];
  readonly mostBusy: () => number;
};

/** Begins a rollout, and observes it. */
async function follow({ kube, nodes }: Bench): Promise<Progress> {
  await nodes.synced;
  const before = (await kube.get(machineConfigPool, POOL))?.spec.configuration?.name ?? '';
  const target = async () => (await kube.get(machineConfigPool, POOL))?.spec.configuration?.name ?? '';
  const busy = new Set<string>();
  const sent = new Set<string>();
  const down = new Set<string>();
  const [sentAtMs, downAtMs] = [[] as number[], [] as number[]];
  let most = 0;
  nodes.onChange(({ after: node }) => {
    const { name = '', annotations: values = {} } = node?.metadata ?? {};
    if (node === undefined || !name.startsWith('worker')) return;
    if (isBusy(values)) busy.add(name);
    else busy.delete(name);
    most = Math.max(most, busy.size);
    if (values[annotations.desiredConfig] !== before && !sent.has(name)) {
      sent.add(name);
      sentAtMs.push(performance.now());
    }
    if (!isReady(node) && !down.has(name)) {
      down.add(name);
      downAtMs.push(performance.now());
    }
  });
  await kube.apply(machineConfig, aMachineConfig('50-worker-bench', 'worker', `rollout ${++rollouts}`));
  await until('a new target', async () => (await target()) !== before, 10);
  return { targetedAtMs: performance.now(), sentAtMs, downAtMs, mostBusy: () => most };
}

function isReady({ status }: Node): boolean {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status !== 'False';
}

async function untilUpdated({ kube }: Bench): Promise<void> {
  await until('the pool is updated', async () => {
    const pool = await kube.get(machineConfigPool, POOL);
    return pool !== undefined && isPoolUpdated(pool) && pool.status?.updatedMachineCount === WORKERS;
  });
}

async function until(what: string, holds: () => Promise<boolean>, pollMs = POLL_MS): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${LIMIT_MS / 1000} s`);
    await pause(pollMs);
  }
}
