/**
 * The controller process is killed at every write that it makes, just before the write reaches the server and just after,
 * and is started anew. Whatever it leaves behind, the next one goes on from there: no node too many is out of service, none
 * is drained twice, none is forgotten.
 *
 * The rollouts of one story follow each other in one cluster: the first is cut at its first write, the next at its second,
 * and so on, until one is over before its cut.
 */
import { afterEach, describe, expect, it } from 'vitest';
import {
  annotations,
  machineConfig,
  machineConfigNode as machineConfigNodeKind,
  taints,
} from '../../src/api/index.ts';
import { pod as podKind, serviceAccount } from '../../src/builtin/index.ts';
import { createCut } from './cut-transport.ts';
import { type Judge, watchAsJudge } from './judge.ts';
import { runPod, startReaper } from './pod-reaper.ts';
import { cordoned, firstConfig, HOUR, kill, MINUTE } from './story-words.ts';
import { aMachineConfig, startWorld, type World } from './world.ts';

/** Each installation needs a cluster of its own, so of those every fourth write is tried; `MILLWRIGHT_EVERY_WRITE=1` tries all. */
const INSTALLATION_STRIDE = process.env.MILLWRIGHT_EVERY_WRITE === '1' ? 1 : 4;
const LIMIT_MS = 600_000;
/** More writes than any rollout of three nodes needs: beyond this something writes without end. */
const MAX_WRITES = 150;
const POOLS = ['master', 'worker'] as const;
const NODES = ['master-0', 'worker-0', 'worker-1'] as const;
const SCRIPT = { applyMs: 2_000, rebootMs: 5_000 };

type Variant = { readonly isReached: boolean };

describe.each([
  ['just before a write reaches the server', { isReached: false }],
  ['just after a write has reached the server', { isReached: true }],
])('a controller that is killed %s', (when, variant) => {
  let world: World;
  let judge: Judge;
  afterEach(() => world.stop());

  const begin = async (): Promise<void> => {
    world = await startWorld({ masters: 1, workers: 2 });
    judge = watchAsJudge(world.store, (node) => node.replace(/-\d+$/, ''));
  };

  it(
    'leaves a rollout behind that the next one ends',
    async () => {
      await begin();
      await world.kube.create(serviceAccount, {
        ...{ apiVersion: 'v1', kind: 'ServiceAccount' },
        metadata: { name: 'default', namespace: 'default' },
      });
      const first = await world.startControllers();
      await world.startDaemons(SCRIPT);
      startReaper(world, { endsAfterMs: () => 3_000 });
      await firstConfig(world);
      await first.stop();
      let tried = 0;
      for (let atWrite = 1; ; atWrite++) {
        expect(atWrite).toBeLessThan(MAX_WRITES);
        if (!(await rollOut(atWrite, variant))) break;
        tried++;
      }
      expect(tried).toBeGreaterThan(25);
      process.stdout.write(`rollouts that were cut ${when}: ${tried}\n`);
    },
    LIMIT_MS,
  );

  /** One rollout of both pools, with one kill. False where it was over before. */
  const rollOut = async (atWrite: number, { isReached }: Variant): Promise<boolean> => {
    const drainsBefore = new Map(judge.drains);
    const cordonsBefore = new Map(judge.cordons);
    const renderedBefore = await renderedCount();
    for (const node of NODES) await runPod(world, `pod-of-${node}`, node);
    const cut = createCut({ atWrite, isReached });
    const doomed = await world.startControllers(cut.wrap);
    await world.env.clock.advance(MINUTE);
    // Whoever starts in a cluster where all is well writes nothing.
    expect(cut.writes()).toBe(0);
    for (const pool of POOLS) await world.apply(aMachineConfig(`50-${pool}-motd`, pool, `try ${atWrite}`));
    await world.env.clock.advance(1_000);
    let isOver = false;
    const over = async () => {
      isOver = cut.isCut() ? false : await isRolledOut(`try ${atWrite}`);
      return cut.isCut() || isOver;
    };
    await world.until(`write ${atWrite} or the end`, over, HOUR);
    await (isOver ? doomed.stop() : kill(doomed, cut));
    const next = await world.startControllers();
    await world.until('the end', () => isRolledOut(`try ${atWrite}`), HOUR);
    await world.env.clock.advance(10_000);
    const grown = (counts: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>) =>
      NODES.map((node) => [node, (counts.get(node) ?? 0) - (before.get(node) ?? 0)]);
    const once = NODES.map((node) => [node, 1]);
    const where = `${isReached ? 'after' : 'before'} write ${atWrite}`;
    expect(judge.faults, where).toEqual([]);
    expect(grown(judge.drains, drainsBefore), `drains, killed ${where}`).toEqual(once);
    expect(grown(judge.cordons, cordonsBefore), `cordons, killed ${where}`).toEqual(once);
    expect(await renderedCount(), `rendered configs, killed ${where}`).toBe(renderedBefore + POOLS.length);
    await allIsWell(where);
    await next.stop();
    return !isOver;
  };

  it(
    'leaves an installation behind that the next one ends',
    async () => {
      let tried = 0;
      for (let atWrite = 1; ; atWrite += INSTALLATION_STRIDE) {
        expect(atWrite).toBeLessThan(MAX_WRITES);
        await begin();
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
        await allIsWell(`write ${atWrite}`);
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

  /** Both pools have what was applied last. */
  const isRolledOut = async (text: string): Promise<boolean> => {
    const pools = await world.pools();
    for (const { spec, status, metadata } of pools) {
      const name = spec.configuration?.name ?? '';
      const isThere =
        status?.configuration?.name === name &&
        status.observedGeneration === metadata.generation &&
        status.conditions?.some((one) => one.type === 'Updated' && one.status === 'True');
      const rendered = await world.kube.get(machineConfig, { name });
      if (isThere !== true || !JSON.stringify(rendered?.spec).includes(encodeURIComponent(text)))
        return false;
    }
    return true;
  };

  const renderedCount = async (): Promise<number> =>
    (await world.kube.list(machineConfig)).items.filter(({ metadata }) =>
      metadata.name.startsWith('rendered-'),
    ).length;

  /** Nothing of a rollout is left on any node, and all that is said of them agrees. */
  const allIsWell = async (where: string): Promise<void> => {
    expect(await cordoned(world), where).toEqual([]);
    expect((await world.kube.list(podKind)).items, where).toEqual([]);
    const machineConfigNodes = new Map(
      (await world.kube.list(machineConfigNodeKind)).items.map((one) => [one.metadata.name, one]),
    );
    for (const { metadata, spec } of await world.nodes()) {
      const { name } = metadata;
      expect(spec.taints ?? [], `${name}, ${where}`).not.toContainEqual(taints.updateInProgress);
      const config = metadata.annotations?.[annotations.desiredConfig];
      expect(metadata.annotations?.[annotations.currentConfig], `${name}, ${where}`).toBe(config);
      expect(metadata.annotations?.[annotations.drain], `${name}, ${where}`).toBeUndefined();
      expect(machineConfigNodes.get(name)?.spec, `${name}, ${where}`).toMatchObject({
        configVersion: { desired: config },
        pool: { name: name.replace(/-\d+$/, '') },
      });
    }
  };
});
