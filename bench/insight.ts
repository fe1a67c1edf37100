/**
 * `plan`, `doctor` and `dump` on a cluster of 500 nodes and 5,000 pods: each command as users run it, in a process of its own and
 * over TLS, with what it asks for and how much it reads. Results are printed beside their budgets, never asserted: machines differ.
 *
 * The cluster is in memory and in virtual time, with real controllers and scripted daemons.
 *
 *     node scripts/run.mjs bench/insight.ts
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { machineConfig, machineConfigPool } from '../src/api/index.ts';
import {
  namespace as namespaceKind,
  node as nodeKind,
  podDisruptionBudget,
  pod as podKind,
  serviceAccount,
} from '../src/kubernetes/types/index.ts';
import { aConfig, aFile, MINUTE, startDoctorWorld } from '../test/doctor/doctor-world.ts';
import { startReaper } from '../test/rollout/pod-reaper.ts';
import type { World } from '../test/rollout/world.ts';
import { type RecordedServer, startRecordedServer } from '../test/support/recorded-server.ts';
import { requestName } from './request-counter.ts';

const [MASTERS, WORKERS, PODS] = [3, 497, 5_000];
const NAMESPACES = 50;
/** Namespaces whose budget allows no eviction. */
const GUARDED = 5;
/** Of an earlier time, which no pool and no node names any more. */
const OLD_RENDERED = 40;
const RENDERED_BYTES = 100_000;
/** As kubelets and people make them. */
const [NODE_BYTES, POD_BYTES] = [12_000, 4_000];
const AT_ONCE = 50;
const ROUNDS = 3;
/** A shell tells the processor time of its children, which says more than a clock while the machine is busy. */
const SCRIPT = '"$@"; times >&3';

const folder = mkdtempSync(join(tmpdir(), 'millwright-bench-'));
const CHANGE = join(folder, 'change.json');
writeFileSync(CHANGE, JSON.stringify(aConfig('60-bench', aFile('/etc/bench', 'x'))));
// Builds if needed: not measured.
spawnSync('bin/millwright', ['--version'], { stdio: 'ignore' });
const cluster = await startDoctorWorld({ masters: MASTERS, workers: WORKERS, daemons: 'scripted' });
try {
  const { world } = cluster;
  await fill(world);
  await cluster.pass(MINUTE);
  const served = await startRecordedServer({ server: world.server, clock: world.env.clock, folder });
  console.log(
    `\nInsight, ${MASTERS + WORKERS} nodes, ${PODS} pods in ${NAMESPACES} namespaces, over TLS; the budget of plan and doctor is 2 s`,
  );
  await measure(served, 'for comparison: a process that does nothing', ['--version']);
  await measure(served, 'doctor, all updated', ['doctor']);
  await measure(served, 'plan, which reboots all workers', ['plan', '-f', CHANGE]);
  await rollOut(world);
  await cluster.pass(10 * MINUTE);
  await measure(served, `doctor, ${AT_ONCE} nodes at a time, some blocked`, ['doctor']);
  await measure(served, 'plan during the rollout', ['plan', '--delete', 'machineconfig/60-bench']);
  await measure(served, 'dump', ['dump', '-o', join(folder, 'dump')], 1);
  await measure(served, 'doctor on the dump', ['doctor', '--from', join(folder, 'dump')]);
  await served.stop();
} finally {
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function fill({ kube, nodes }: World): Promise<void> {
  for (const { metadata } of await nodes()) {
    const names = Array.from(
      { length: 50 },
      (_, index) => `registry.example/app-${index}@sha256:${'0'.repeat(64)}`,
    );
    const images = names.map((name) => ({
      names: [name, name.slice(0, NODE_BYTES / 50 - 140)],
      sizeBytes: 1,
    }));
    const body = {
      status: { images, nodeInfo: { bootID: '1', osImage: 'Red Hat Enterprise Linux CoreOS 9' } },
    };
    await kube.patch(nodeKind, { name: metadata.name }, { type: 'merge', body }, { subresource: 'status' });
  }
  const text = 'x'.repeat(RENDERED_BYTES);
  for (let index = 0; index < OLD_RENDERED; index++) {
    const name = `rendered-worker-${String(index).padStart(32, '0')}`;
    const { metadata: _, ...config } = aConfig(name, aFile('/etc/old', text));
    await kube.create(machineConfig, { ...config, metadata: { name } });
  }
  for (let index = 0; index < NAMESPACES; index++) await addNamespace(kube, `shop-${index}`, index < GUARDED);
  for (let index = 0; index < PODS; index++) await addPod(kube, index);
}

async function addNamespace(kube: World['kube'], namespace: string, isGuarded: boolean): Promise<void> {
  await kube.create(namespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const account = { name: 'default', namespace };
  await kube.create(serviceAccount, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
  const healthy = PODS / NAMESPACES;
  await kube.create(podDisruptionBudget, {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'web', namespace } },
    spec: { maxUnavailable: isGuarded ? 0 : '50%', selector: { matchLabels: { app: 'web' } } },
  });
  const status = {
    ...{ observedGeneration: 1, currentHealthy: healthy, expectedPods: healthy },
    ...{ desiredHealthy: isGuarded ? healthy : healthy / 2, disruptionsAllowed: isGuarded ? 0 : healthy / 2 },
  };
  const patch = { type: 'merge', body: { status } } as const;
  await kube.patch(podDisruptionBudget, { name: 'web', namespace }, patch, { subresource: 'status' });
}

async function addPod(kube: World['kube'], index: number): Promise<void> {
  const place = { name: `web-${index}`, namespace: `shop-${index % NAMESPACES}` };
  const env = [{ name: 'SETTINGS', value: 'x'.repeat(POD_BYTES - 1_500) }];
  await kube.create(podKind, {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { ...place, labels: { app: 'web' } } },
    spec: {
      nodeName: `worker-${index % WORKERS}`,
      containers: [{ name: 'web', image: 'registry.example/web:1', env }],
    },
  });
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await kube.patch(podKind, place, { type: 'merge', body: { status } }, { subresource: 'status' });
}

async function rollOut(world: World): Promise<void> {
  startReaper(world, { endsAfterMs: () => 5_000 });
  const body = { spec: { maxUnavailable: AT_ONCE } };
  await world.kube.patch(machineConfigPool, { name: 'worker' }, { type: 'merge', body });
  await world.apply(aConfig('60-bench', aFile('/etc/bench', 'x')));
}

async function measure(
  { kubeconfig, take }: RecordedServer,
  what: string,
  args: readonly string[],
  rounds = ROUNDS,
): Promise<void> {
  take();
  const times: number[] = [];
  const cpuTimes: number[] = [];
  let answer = '';
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const ran = await run([...args, '--kubeconfig', kubeconfig]);
    times.push(performance.now() - start);
    cpuTimes.push(ran.cpuMs);
    answer = ran.answer;
  }
  const taken = take();
  const requests = new Map<string, number>();
  for (const { method, path, query } of taken) {
    // Any method that a client of ours sends.
    const name = requestName({ method: method as 'GET', path, query });
    requests.set(name, (requests.get(name) ?? 0) + 1);
  }
  const bytes = taken.reduce((sum, one) => sum + one.bytes, 0);
  const figures = [
    ...[inSeconds(median(times)), `processor ${inSeconds(median(cpuTimes))}`],
    ...[`${taken.length / rounds} requests`, `${(bytes / rounds / 1e6).toFixed(1)} MB`],
  ];
  console.log(`\n  ${what}: ${figures.join(', ')}`);
  console.log(`    ${answer}`);
  const many = [...requests]
    .filter(([, count]) => count > rounds)
    .map(([name, count]) => `${name} ×${count / rounds}`);
  const once = [...requests].filter(([, count]) => count === rounds).map(([name]) => name);
  for (const line of lines([...many, ...once].sort())) console.log(`    ${line}`);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

/** In lines of moderate width. */
function lines(words: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const word of words) {
    const last = found.at(-1);
    if (last === undefined || last.length + word.length > 110) found.push(word);
    else found[found.length - 1] = `${last}, ${word}`;
  }
  return found;
}

type Run = {
  /** The first line that the command prints. */
  readonly answer: string;
  readonly cpuMs: number;
};

async function run(args: readonly string[]): Promise<Run> {
  const child = spawn('sh', ['-c', SCRIPT, 'sh', 'bin/millwright', ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const [answer, times] = await Promise.all([textOf(child.stdio[1]), textOf(child.stdio[3])]);
  const [, ofChildren = ''] = times.split('\n');
  const cpuMs = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1000,
    0,
  );
  return { answer: answer.split('\n', 1)[0] ?? '', cpuMs };
}

async function textOf(stream: unknown): Promise<string> {
  let text = '';
  // A pipe, by the options above.
  for await (const piece of stream as AsyncIterable<Uint8Array>) text += String(piece);
  return text;
}
