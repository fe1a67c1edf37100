/**
 * How long an update of the OS takes a node out of service, with a fast and a slow registry: real daemons on sandbox nodes, with
 * the drain controller, in virtual time. The image is downloaded before the drain, so the registry must not matter. Results are
 * printed with their budgets, never asserted.
 *
 *     node scripts/run.mjs bench/fetch.ts                 a download of 10 s, and one of 10 min
 *     node scripts/run.mjs bench/fetch.ts 300             of 300 s, and sixty times that
 */
import { annotations } from '../src/api/index.ts';
import { node as nodeKind } from '../src/kubernetes/types/index.ts';
import { NEW_OS } from '../test/daemon/daemon-node.ts';
import { type JoinedNode, joinedNode } from '../test/daemon/joined-node.ts';
import { type SmallCluster, startSmallCluster } from '../test/daemon/small-cluster.ts';

const NODES = 5;
const SLOWER = 60;
const DAY_MS = 24 * 3_600_000;

type Figures = {
  /** From the cordon to the uncordon, and from the new target to the end of the update: the longest of all nodes. */
  readonly outOfServiceMs: number;
  readonly wholeMs: number;
  /** The same update of nodes that have downloaded the image ahead. */
  readonly aheadMs: number;
};

const [, , given] = process.argv;
const pullMs = Number(given ?? 10) * 1_000;
const cluster = await startSmallCluster();
const fast = await measure(pullMs);
const slow = await measure(SLOWER * pullMs);
await cluster.stop();
print([fast, slow]);

async function measure(downloadMs: number): Promise<Figures> {
  const plain = await update({ downloadMs, isAhead: false });
  const ahead = await update({ downloadMs, isAhead: true });
  return { ...plain, aheadMs: ahead.wholeMs };
}

type Run = { readonly downloadMs: number; readonly isAhead: boolean };

async function update({ downloadMs, isAhead }: Run): Promise<Omit<Figures, 'aheadMs'>> {
  const { clock } = cluster.env;
  const nodes: JoinedNode[] = [];
  for (let count = 0; count < NODES; count++) {
    const joined = await joinedNode(cluster, {}, { durations: { pullMs: downloadMs } });
    if (isAhead) await fetchAhead(cluster, joined);
    nodes.push(joined);
  }
  const outOfService = watchCordons(nodes);
  const beganMs = clock.monotonic();
  const whole: number[] = [];
  for (const joined of nodes) {
    const next = await joined.sendTo('next', { osImage: NEW_OS });
    await cluster.untilDone(joined.node.name, next, DAY_MS);
    whole.push(clock.monotonic() - beganMs - whole.reduce((sum, ms) => sum + ms, 0));
    joined.node.stopDaemon();
  }
  return { outOfServiceMs: Math.max(...outOfService.values()), wholeMs: Math.max(...whole) };
}

async function fetchAhead({ kube, until, node: read }: SmallCluster, { node: { name } }: JoinedNode) {
  const body = { metadata: { annotations: { [annotations.fetchImage]: NEW_OS } } };
  await kube.patch(nodeKind, { name }, { type: 'merge', body });
  const isThere = async () => (await read(name)).metadata.annotations?.[annotations.fetchedImage] === NEW_OS;
  await until(`${name} has the image`, isThere, DAY_MS);
}

/** By node: how long it was cordoned. */
function watchCordons(nodes: readonly JoinedNode[]): ReadonlyMap<string, number> {
  const names = new Set(nodes.map(({ node }) => node.name));
  const since = new Map<string, number>();
  const durations = new Map<string, number>();
  cluster.nodes.onChange(({ after }) => {
    const name = after?.metadata.name ?? '';
    if (!names.has(name)) return;
    const nowMs = cluster.env.clock.monotonic();
    const beganMs = since.get(name);
    if (after?.spec.unschedulable === true) since.set(name, beganMs ?? nowMs);
    else if (beganMs !== undefined && !durations.has(name)) durations.set(name, nowMs - beganMs);
  });
  return durations;
}

function print([few, many]: readonly [Figures, Figures]): void {
  const line = (...cells: readonly string[]) =>
    console.log(
      `  ${(cells[0] ?? '').padEnd(46)}${cells
        .slice(1)
        .map((cell) => cell.padStart(14))
        .join('')}`,
    );
  const row = (what: string, figure: (figures: Figures) => number, budget = '') => {
    const seconds = [few, many].map((figures) => `${(figure(figures) / 1_000).toFixed(1)} s`);
    line(what, ...seconds, (figure(many) / figure(few)).toFixed(3), budget);
  };
  console.log(`\nUpdate of the OS, ${NODES} sandbox nodes with real daemons, virtual time`);
  line('', `${pullMs / 1_000} s pull`, `${(SLOWER * pullMs) / 1_000} s pull`, 'ratio', 'budget');
  row('from cordon to uncordon', ({ outOfServiceMs }) => outOfServiceMs, '1.000');
  row('from the target to the end, fetched ahead', ({ aheadMs }) => aheadMs, '1.000');
  row('from the target to the end', ({ wholeMs }) => wholeMs);
}
