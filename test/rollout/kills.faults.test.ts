/**
 * The controller process is killed at every write that it makes, just before the write reaches the server and just after,
 * and is restarted. Whatever it leaves behind, the next one continues: never too many nodes are unavailable, no node is
 * drained twice, and none is missed.
 *
 * The rollouts of one story follow each other in one cluster: the first is cut at its first write, the next at its second,
 * and so on, until one completes before its cut.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { aMachineConfig, type World } from './build-world.ts';
import { createCut } from './cut-transport.ts';
import { type Judge, watchAsJudge } from './judge.ts';
import { isRolledOut, leftovers, renderedCount } from './kill-points.ts';
import { runPod, startReaper } from './pod-reaper.ts';
import { createAccount, firstConfig, HOUR, kill, MINUTE, patchPool } from './story-steps.ts';
import { startWorld } from './world.ts';

/** Each installation needs a cluster of its own, so of those every fourth write is tried; `MILLWRIGHT_EVERY_WRITE=1` tries all. */
const INSTALLATION_STRIDE = process.env.MILLWRIGHT_EVERY_WRITE === '1' ? 1 : 4;
const LIMIT_MS = 600_000;
/** More writes than any of these rollouts needs: beyond this something writes without end. */
const MAX_WRITES = 150;
const POOLS = ['master', 'worker'] as const;
/** The shapes of the clusters, and how many of their workers may be updated at once. */
const ONE_BY_ONE = { workers: 2, atOnce: 1 } as const;
const SEVERAL_AT_ONCE = { workers: 4, atOnce: 3 } as const;
type Shape = { readonly workers: number; readonly atOnce: number };
const SCRIPT = { applyMs: 2_000, rebootMs: 5_000 };

type Variant = { readonly isReached: boolean };
type Rollout = Variant & Shape & { readonly atWrite: number };

describe.each([
  ['just before a write reaches the server', { isReached: false }],
  ['just after a write has reached the server', { isReached: true }],
])('a controller that is killed %s', (when, variant) => {
  let world: World;
  let judge: Judge;
  afterEach(() => world.stop());

  const begin = async ({ workers, atOnce }: Shape): Promise<void> => {
    world = await startWorld({ masters: 1, workers });
    judge = watchAsJudge(world.store, (node) => node.replace(/-\d+$/, ''));
    judge.allow('worker', atOnce);
  };

  it.each<[string, Shape]>([
    ['node by node', ONE_BY_ONE],
    ['of several nodes at once', SEVERAL_AT_ONCE],
  ])(
    'leaves a rollout %s behind that the next one ends',
    async (what, shape) => {
      await begin(shape);
      await createAccount(world);
      const first = await world.startControllers();
      await world.startDaemons(SCRIPT);
      startReaper(world, { endsAfterMs: () => 3_000 });
      await firstConfig(world);
      await patchPool(world, 'worker', { maxUnavailable: shape.atOnce });
      await first.stop();
      let tried = 0;
      for (let atWrite = 1; ; atWrite++) {
        expect(atWrite).toBeLessThan(MAX_WRITES);
        if (!(await rollOut({ ...variant, ...shape, atWrite }))) break;
        tried++;
      }
      expect(tried).toBeGreaterThan(25);
      process.stdout.write(`rollouts ${what} that were cut ${when}: ${tried}\n`);
    },
    LIMIT_MS,
  );

  /** One rollout of both pools, with one kill. False if it completed before that. */
  const rollOut = async ({ atWrite, isReached, workers }: Rollout): Promise<boolean> => {
    const nodes = ['master-0', ...Array.from({ length: workers }, (_, index) => `worker-${index}`)];
    const drainsBefore = new Map(judge.drains);
    const cordonsBefore = new Map(judge.cordons);
    const renderedBefore = await renderedCount(world);
    for (const node of nodes) await runPod(world, `pod-of-${node}`, node);
    const cut = createCut({ atWrite, isReached });
    const doomed = await world.startControllers(cut.wrap);
    await world.env.clock.advance(MINUTE);
    // A controller that starts in an up-to-date cluster writes nothing.
    expect(cut.writes()).toBe(0);
    for (const pool of POOLS) await world.apply(aMachineConfig(`50-${pool}-motd`, pool, `try ${atWrite}`));
    await world.env.clock.advance(1_000);
    let isOver = false;
    const over = async () => {
      isOver = cut.isCut() ? false : await isRolledOut(world, `try ${atWrite}`);
      return cut.isCut() || isOver;
    };
    await world.until(`write ${atWrite} or the end`, over, HOUR);
    await (isOver ? doomed.stop() : kill(doomed, cut));
    const next = await world.startControllers();
    await world.until('the end', () => isRolledOut(world, `try ${atWrite}`), HOUR);
    await world.env.clock.advance(10_000);
    const grown = (counts: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>) =>
      nodes.map((node) => [node, (counts.get(node) ?? 0) - (before.get(node) ?? 0)]);
    const once = nodes.map((node) => [node, 1]);
    const where = `${isReached ? 'after' : 'before'} write ${atWrite}`;
    expect(judge.faults, where).toEqual([]);
    expect(grown(judge.drains, drainsBefore), `drains, killed ${where}`).toEqual(once);
    expect(grown(judge.cordons, cordonsBefore), `cordons, killed ${where}`).toEqual(once);
    expect(await renderedCount(world), `rendered configs, killed ${where}`).toBe(
      renderedBefore + POOLS.length,
    );
    expect(await leftovers(world), where).toEqual([]);
    await next.stop();
    return !isOver;
  };

  it(
    'leaves an installation behind that the next one ends',
    async () => {
      let tried = 0;
      for (let atWrite = 1; ; atWrite += INSTALLATION_STRIDE) {
        expect(atWrite).toBeLessThan(MAX_WRITES);
        await begin(ONE_BY_ONE);
        const cut = createCut({ atWrite, ...variant });
        const doomed = await world.startControllers(cut.wrap);
        await world.startDaemons(SCRIPT);
        let isOver = false;
        const over = async () => {
          isOver = !cut.isCut() && (await isUpdated());
          return cut.isCut() || isOver;
        };
        await world.until(`write ${atWrite} or the end`, over, HOUR);
        if (isOver) break;
        await kill(doomed, cut);
        await world.startControllers();
        await firstConfig(world);
        await world.env.clock.advance(10_000);
        expect(judge.faults, `write ${atWrite}`).toEqual([]);
        expect(await leftovers(world), `write ${atWrite}`).toEqual([]);
        await world.stop();
        tried++;
      }
      expect(tried).toBeGreaterThan(2);
      process.stdout.write(`installations that were cut ${when}: ${tried}\n`);
    },
    LIMIT_MS,
  );

  const isUpdated = async (): Promise<boolean> => {
    const pools = await world.pools();
    return (
      pools.length === POOLS.length &&
      pools.every(({ status }) =>
        status?.conditions?.some((one) => one.type === 'Updated' && one.status === 'True'),
      )
    );
  };
});
