/**
 * A rollout over many scripted nodes in virtual time, with budgets beside the results: latency of the first update,
 * requests and writes per node, duration compared with the ideal schedule, and the wall-clock time. Each size runs in
 * its own process. Results are printed, never asserted: machines differ.
 *
 *     node scripts/run.mjs bench/rollout.ts               1,000 and 5,000 nodes
 *     node scripts/run.mjs bench/rollout.ts 300           any number of nodes
 */
import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { annotations, machineConfigPool } from '../src/api/index.ts';
import type { StoreEvent } from '../src/embedded/apiserver/index.ts';
import { aMachineConfig, type World } from '../test/rollout/build-world.ts';
import { startWorld } from '../test/rollout/world.ts';

const SIZES = [1_000, 5_000];
const [applyMs, rebootMs] = [20_000, 60_000];
const DAY_MS = 24 * 3_600_000;
/** maxUnavailable is a tenth of the nodes. */
const WAVES = 10;
const POOL = 'machineconfiguration.openshift.io/machineconfigpools/worker';
const WRITES = /^(\/nodes\/|machineconfiguration\.openshift\.io\/machineconfignodes\/)/;

type Moment = { readonly virtualMs: number; readonly wallMs: number };
const NEVER: Moment = { virtualMs: Number.NaN, wallMs: Number.NaN };

type Figures = {
  readonly firstCandidateMs: number;
  readonly requestsPerNode: number;
  readonly writesPerNode: number;
  readonly makespan: number;
  readonly wallS: number;
  readonly cpuS: number;
};

type Row = {
  readonly what: string;
  readonly figure: (figures: Figures) => string;
  readonly budget: string;
};

const ROWS: readonly Row[] = [
  {
    what: 'first candidate after the target changed',
    figure: ({ firstCandidateMs }) => `${firstCandidateMs.toFixed(0)} ms`,
    budget: '2,000 ms',
  },
  {
    what: 'requests of the controllers per node',
    figure: ({ requestsPerNode }) => requestsPerNode.toFixed(1),
    budget: '',
  },
  {
    what: 'writes per node, of all',
    figure: ({ writesPerNode }) => writesPerNode.toFixed(1),
    budget: '30',
  },
  {
    what: 'makespan over the ideal schedule',
    figure: ({ makespan }) => makespan.toFixed(3),
    budget: '1.050',
  },
  { what: 'wall clock', figure: ({ wallS }) => `${wallS.toFixed(1)} s`, budget: '10 s for 1,000' },
  { what: 'processor time', figure: ({ cpuS }) => `${cpuS.toFixed(1)} s`, budget: '' },
];

const [, , ...chosen] = process.argv;
if (chosen[0] === 'only') console.log(JSON.stringify(await measure(Number(chosen[1]))));
else print(chosen.length === 0 ? SIZES : chosen.map(Number));

function print(sizes: readonly number[]): void {
  const columns = sizes.map((size) => {
    const args = [fileURLToPath(import.meta.url), 'only', String(size)];
    const { status, stdout } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (status !== 0) throw new Error(`the run of ${size} nodes failed with exit code ${status}`);
    // The output of this script.
    return JSON.parse(stdout) as Figures;
  });
  const line = (what: string, cells: readonly string[]) =>
    console.log(`  ${what.padEnd(42)}${cells.map((cell) => cell.padStart(16)).join('')}`);
  console.log('\nRollout, scripted nodes, virtual time');
  line('', [...sizes.map((size) => `${size} nodes`), 'budget']);
  for (const { what, figure, budget } of ROWS) line(what, [...columns.map(figure), budget]);
}

async function measure(count: number): Promise<Figures> {
  const world = await startWorld({ masters: 1, workers: count });
  const controllers = await world.startControllers();
  await world.startDaemons({ applyMs, rebootMs });
  await world.untilUpdated(['worker', 'master'], DAY_MS);
  const width = Math.max(1, Math.floor(count / WAVES));
  const body = { spec: { maxUnavailable: width } };
  await world.kube.patch(machineConfigPool, { name: 'worker' }, { type: 'merge', body });
  await world.env.clock.advance(10_000);

  const watched = await watchRollout(world);
  const requestsBefore = controllers.requests();
  const cpuBefore = process.cpuUsage();
  const begunAt = performance.now();
  await world.apply(aMachineConfig('50-worker-bench', 'worker', 'x'));
  await world.until('the first candidate', async () => watched.first !== undefined, 60_000);
  await world.untilUpdated(['worker'], DAY_MS);
  const wallS = (performance.now() - begunAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);

  const { targeted = NEVER, first = NEVER, writes } = watched;
  const ideal = Math.ceil(count / width) * (applyMs + rebootMs);
  const figures = {
    // Virtual time, and the wall-clock time for it.
    firstCandidateMs: first.virtualMs - targeted.virtualMs + (first.wallMs - targeted.wallMs),
    requestsPerNode: (controllers.requests() - requestsBefore) / count,
    writesPerNode: writes / count,
    makespan: (world.env.clock.monotonic() - first.virtualMs) / ideal,
    wallS,
    cpuS: (user + system) / 1e6,
  };
  await world.stop();
  return figures;
}

type Watched = {
  /** When the pool got its new target. */
  targeted: Moment | undefined;
  /** When the first node did. */
  first: Moment | undefined;
  /** Of nodes and their MachineConfigNodes: without events, leases and evictions. */
  writes: number;
};

/** Observes the store from now on. */
async function watchRollout(world: World): Promise<Watched> {
  const watched: Watched = { targeted: undefined, first: undefined, writes: 0 };
  const before = (await world.pool('worker')).spec.configuration?.name;
  const now = () => ({ virtualMs: world.env.clock.monotonic(), wallMs: performance.now() });
  world.store.subscribe({ prefix: '', from: world.store.revision() }, (event) => {
    if (WRITES.test(event.key)) watched.writes++;
    if (event.kind !== 'put' || watched.first !== undefined) return;
    if (event.key === POOL && watched.targeted === undefined) {
      if (contentOf(event).spec?.configuration?.name !== before) watched.targeted = now();
    } else if (event.key.startsWith('/nodes/worker')) {
      const desired = contentOf(event).metadata?.annotations?.[annotations.desiredConfig];
      if (desired !== before) watched.first = now();
    }
  });
  return watched;
}

type Content = {
  readonly metadata?: { readonly annotations?: { readonly [key: string]: string } };
  readonly spec?: { readonly configuration?: { readonly name?: string } };
};

function contentOf({ value }: StoreEvent & { readonly kind: 'put' }): Content {
  // Validated by the server.
  return JSON.parse(new TextDecoder().decode(value)) as Content;
}
