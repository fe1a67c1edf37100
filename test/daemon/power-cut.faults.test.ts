/**
 * The power is cut at every call of the disk, before it and within it, and the daemon is killed at every one of them: the node
 * ends with the old or the new config, its disk matches what it reports, nothing is left over, and it reaches its desired config.
 *
 * By default a sample that takes about a minute; all of them (some 7,000) take longer:
 *
 *     MILLWRIGHT_EVERY_CUT=1 npx vitest run test/daemon/power-cut.faults.test.ts --testTimeout=3000000
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cut, runUpdate } from './power-cuts.ts';
import { type SmallCluster, startSmallCluster } from './small-cluster.ts';
import { CORPUS } from './update-corpus.ts';

const isEvery = process.env.MILLWRIGHT_EVERY_CUT === '1';
/** The default number of cuts per update, spread evenly. */
const CUTS_PER_UPDATE = 26;

let cluster: SmallCluster;
let total = 0;
beforeAll(async () => {
  cluster = await startSmallCluster();
  for (const { from, to } of CORPUS) {
    await cluster.addConfig(from);
    await cluster.addConfig(to);
  }
});
afterAll(async () => {
  process.stdout.write(`cut points: ${total}\n`);
  await cluster.stop();
});

describe('a power cut at any call of the disk', () => {
  it.each(CORPUS)('while $name', async (update) => {
    const whole = await runUpdate(cluster, update);
    expect(whole.faults).toEqual([]);
    const cuts = cutsOf(whole.calls);
    const faults: string[] = [];
    for (const cut of cuts) {
      const result = await runUpdate(cluster, update, cut).catch((error: unknown) => ({
        faults: [String(error)],
      }));
      total++;
      const where = `${cut.when} call ${cut.call} of ${whole.calls}, ${cut.back}`;
      faults.push(...result.faults.map((fault) => `${where}: ${fault}`));
      if (faults.length > 3) break;
    }
    expect(faults).toEqual([]);
  });
});

function cutsOf(calls: number): readonly Cut[] {
  const all = Array.from({ length: calls }, (_, index) => index + 1).flatMap((call): readonly Cut[] => [
    { call, when: 'before', back: 'boot' },
    { call, when: 'within', back: 'boot', isTorn: true },
    { call, when: 'before', back: 'resume' },
  ]);
  if (isEvery || all.length <= CUTS_PER_UPDATE) return all;
  return Array.from(
    { length: CUTS_PER_UPDATE },
    (_, index) => all[Math.floor((index * all.length) / CUTS_PER_UPDATE)],
  ).filter((cut): cut is Cut => cut !== undefined);
}
