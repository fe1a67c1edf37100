/**
 * A rollout over many simulated nodes in virtual time, with the real API server, operator and two replicas of the controllers, with
 * budgets beside the results: wall clock and processor time, writes per node, duration compared with the ideal schedule, and memory. Each
 * size runs in its own process. Results are printed, never asserted: machines differ.
 *
 * Nodes are modelled, as `millwright simulate` does it on large clusters: the daemon's plan and report, and time that passes in place of a
 * machine. With `--daemons` each has a machine in memory and a real daemon, which takes about ten times as long.
 *
 * Requests take no time and events are not stored: nothing reads them here. Processor time counts all threads; beside other
 * work it is the better figure, and the wall clock on a quiet machine is a little below it.
 *
 *     node scripts/run.mjs bench/simulation.ts                  1,000 and 5,000 nodes
 *     node scripts/run.mjs bench/simulation.ts --daemons 200    any number of nodes
 */
import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { annotations, machineConfig, machineConfigPool } from '../src/api/index.ts';
import type { StoreEvent } from '../src/embedded/apiserver/index.ts';
import { annotationOf } from '../src/kubernetes/meta/index.ts';
import type { Node } from '../src/kubernetes/types/index.ts';
import { readNodeConfig } from '../src/node/plan/index.ts';
import { type SimulatedCluster, startCluster } from '../src/simulation/cluster/cluster.ts';
import { installOnce } from '../src/simulation/installation-node.ts';
import { INSTANT } from '../src/simulation/network.ts';
import { storeObjects } from '../src/simulation/rehearsal/stored-objects.ts';
import { residentMib } from './resident-memory.ts';

const SIZES = [1_000, 5_000];
const TIMES = { bootMs: 60_000, shutDownMs: 5_000, pullMs: 10_000, stageMs: 5_000 };
/** maxUnavailable is a tenth of the nodes. */
const WAVES = 10;
const POLL_MS = 5_000;
/** Until the pools have their first config. */
const RENDERED_MS = 60_000;
const LIMIT_MS = 24 * 3_600_000;
/** Many objects live for a few virtual seconds: in a larger nursery fewer of them are copied. The heap takes a megabyte per node. */
const NODE_OPTIONS = ['--max-semi-space-size=128', '--max-old-space-size=8192'];
const WRITES = /^(\/nodes\/|machineconfiguration\.openshift\.io\/machineconfignodes\/)/;

type Figures = {
  readonly joinCpuS: number;
  readonly cpuS: number;
  readonly wallS: number;
  readonly cpuPerNodeMs: number;
  readonly writesPerNode: number;
  readonly nodeS: number;
  readonly makespan: number;
  readonly memoryMib: number;
};

type Row = {
  readonly what: string;
  readonly figure: (figures: Figures) => string;
  readonly budget: string;
};

const ROWS: readonly Row[] = [
  {
    what: 'wall clock',
    figure: ({ wallS }) => `${wallS.toFixed(1)} s`,
    budget: '10 s for 1,000, 90 s for 5,000',
  },
  { what: 'processor time', figure: ({ cpuS }) => `${cpuS.toFixed(1)} s`, budget: '' },
  {
    what: 'processor time per node',
    figure: ({ cpuPerNodeMs }) => `${cpuPerNodeMs.toFixed(1)} ms`,
    budget: '',
  },
  { what: 'writes per node', figure: ({ writesPerNode }) => writesPerNode.toFixed(1), budget: '30' },
  { what: 'virtual time of one node', figure: ({ nodeS }) => `${nodeS.toFixed(1)} s`, budget: '' },
  {
    what: 'makespan over the ideal schedule',
    figure: ({ makespan }) => makespan.toFixed(3),
    budget: '1.050',
  },
  {
    what: 'processor time to join, before it',
    figure: ({ joinCpuS }) => `${joinCpuS.toFixed(1)} s`,
    budget: '',
  },
  { what: 'memory at most', figure: ({ memoryMib }) => `${memoryMib.toFixed(0)} MB`, budget: '' },
];

const CHANGE = {
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineConfig',
  metadata: { name: '50-worker-bench', labels: { 'machineconfiguration.openshift.io/role': 'worker' } },
  spec: {
    config: {
      ignition: { version: '3.4.0' },
      storage: { files: [{ path: '/etc/bench', mode: 0o644, contents: { source: 'data:,x' } }] },
    },
  },
};

const DAEMONS = '--daemons';
const [, , ...given] = process.argv;
const isModelled = !given.includes(DAEMONS);
const chosen = given.filter((one) => one !== DAEMONS);
if (chosen[0] === 'only') console.log(JSON.stringify(await measure(Number(chosen[1]))));
else print(chosen.length === 0 ? SIZES : chosen.map(Number));

function print(sizes: readonly number[]): void {
  const columns = sizes.map((size) => {
    const flags = isModelled ? [] : [DAEMONS];
    const args = [...NODE_OPTIONS, fileURLToPath(import.meta.url), ...flags, 'only', String(size)];
    const { status, stdout } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (status !== 0) throw new Error(`the run of ${size} nodes failed with exit code ${status}`);
    // The output of this script.
    return JSON.parse(stdout) as Figures;
  });
  const line = (what: string, cells: readonly string[], budget: string) =>
    console.log(
      `  ${what.padEnd(42)}${cells.map((cell) => cell.padStart(16)).join('')}    ${budget}`.trimEnd(),
    );
  console.log(
    `\nRollout, ${isModelled ? 'modelled nodes' : 'machines in memory with daemons'}, virtual time`,
  );
  line(
    '',
    sizes.map((size) => `${size} nodes`),
    'budget',
  );
  for (const { what, figure, budget } of ROWS) line(what, columns.map(figure), budget);
}

async function measure(count: number): Promise<Figures> {
  const updates: Updates = { isOn: false, writes: 0, sentMs: new Map(), backMs: new Map() };
  const cluster = await startCluster({
    seed: 1,
    installation: await installOnce('manifests'),
    nodes: isModelled ? [] : names(count).map((name) => ({ name, roles: ['worker'] })),
    workloads: [],
    times: TIMES,
    isInstant: true,
    observer: {
      onStored: (event, { clock }) => follow(updates, event, clock.monotonic()),
      onServed: () => undefined,
      onReboot: () => undefined,
      onBug(error) {
        throw error;
      },
    },
  });
  cluster.network.conditions = { ...INSTANT, dropsEvents: true };
  const joining = cpuSeconds();
  if (isModelled) await joinModelled(cluster, names(count));
  await untilUpdated(cluster, count);
  const joined = cpuSeconds();
  const width = Math.max(1, Math.floor(count / WAVES));
  const body = { spec: { maxUnavailable: width } };
  await cluster.kube.patch(machineConfigPool, { name: 'worker' }, { type: 'merge', body });
  await cluster.clock.advance(POLL_MS);

  updates.isOn = true;
  const before = cpuSeconds();
  const begunAt = performance.now();
  await cluster.kube.create(machineConfig, CHANGE);
  await untilUpdated(cluster, count);
  const wallS = (performance.now() - begunAt) / 1000;
  const cpuS = cpuSeconds() - before;

  const nodeMs = meanMs(updates);
  return {
    joinCpuS: joined - joining,
    cpuS,
    wallS,
    cpuPerNodeMs: (cpuS * 1000) / count,
    writesPerNode: updates.writes / count,
    nodeS: nodeMs / 1000,
    makespan: spanMs(updates) / (Math.ceil(count / width) * nodeMs),
    memoryMib: residentMib(process.pid, 'VmHWM'),
  };
}

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `worker-${index}`);
}

/** With the config of their pool, once there is one. */
async function joinModelled(cluster: SimulatedCluster, nodes: readonly string[]): Promise<void> {
  const { clock, kube, store } = cluster;
  await clock.advance(RENDERED_MS);
  const pool = await cluster.settled(kube.get(machineConfigPool, { name: 'worker' }));
  const rendered = { name: pool?.spec.configuration?.name ?? '' };
  const read = readNodeConfig(await cluster.settled(kube.get(machineConfig, rendered)));
  if (read.kind !== 'ok') throw new Error(`the pool has no config: ${JSON.stringify(read.problems)}`);
  for (const name of nodes) {
    await storeObjects(store, [aNode(name)]);
    await cluster.adoptNode({ name, config: read.value, times: TIMES, isUp: true, isModelled: true });
  }
}

function aNode(name: string) {
  return {
    ...{ apiVersion: 'v1', kind: 'Node', spec: {} },
    metadata: {
      ...{ name, uid: `uid-of-${name}`, creationTimestamp: '2026-01-01T00:00:00Z' },
      labels: { 'kubernetes.io/os': 'linux', 'node-role.kubernetes.io/worker': '' },
    },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** All nodes have all that there is: the pool has seen and rendered it, too. */
async function untilUpdated({ kube, clock }: SimulatedCluster, count: number): Promise<void> {
  for (const endMs = clock.monotonic() + LIMIT_MS; clock.monotonic() < endMs; ) {
    // Longer than the window in which changes are rendered together.
    await clock.advance(2 * POLL_MS);
    const pool = await kube.get(machineConfigPool, { name: 'worker' });
    const status = pool?.status;
    const isUpdated = status?.conditions?.some((one) => one.type === 'Updated' && one.status === 'True');
    if (
      isUpdated === true &&
      status?.updatedMachineCount === count &&
      status.readyMachineCount === count &&
      status.configuration?.name === pool?.spec.configuration?.name
    ) {
      return;
    }
  }
  throw new Error('the nodes are not updated within a day');
}

/** When each node was sent and when it was back, from what is stored. */
type Updates = {
  /** Nothing is followed before. */
  isOn: boolean;
  /** Of nodes and their MachineConfigNodes: without events, leases and evictions. */
  writes: number;
  readonly sentMs: Map<string, number>;
  readonly backMs: Map<string, number>;
};

function follow(updates: Updates, event: StoreEvent, nowMs: number): void {
  if (!updates.isOn || !WRITES.test(event.key)) return;
  updates.writes += 1;
  if (event.kind !== 'put' || !event.key.startsWith('/nodes/')) return;
  // The store holds what the server wrote.
  const node = JSON.parse(new TextDecoder().decode(event.value)) as Node;
  const { name } = node.metadata;
  const [current, desired] = [annotations.currentConfig, annotations.desiredConfig].map((key) =>
    annotationOf(node, key),
  );
  const { sentMs, backMs } = updates;
  if (current !== desired && !sentMs.has(name)) sentMs.set(name, nowMs);
  const isBack = current === desired && sentMs.has(name) && isAvailable(node);
  if (isBack && !backMs.has(name)) backMs.set(name, nowMs);
}

/** How long one node takes, on average. */
function meanMs({ sentMs, backMs }: Updates): number {
  const spans = [...backMs].map(([name, ms]) => ms - (sentMs.get(name) ?? Number.NaN));
  return spans.reduce((sum, span) => sum + span, 0) / spans.length;
}

/** From the first that is sent to the last that is back. */
function spanMs({ sentMs, backMs }: Updates): number {
  return Math.max(...backMs.values()) - Math.min(...sentMs.values());
}

function isAvailable(node: Node): boolean {
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  return (
    ready?.status === 'True' &&
    node.spec?.unschedulable !== true &&
    annotationOf(node, annotations.state) === 'Done'
  );
}
