/**
 * The server as people start it is killed at random moments, again and again, while clients write to it over HTTPS.
 * After each start on the same folder it must have kept its word: whatever it acknowledged is there, nothing is there
 * by half, versions only grow, watches go on without a gap, and those who could come in before still can.
 *
 * A few times in `npm test`; as often as one likes, and with the choices of an earlier run, with
 *
 *     MILLWRIGHT_KILLS=100 MILLWRIGHT_SEED=1234 npx vitest run test/apiserver/server-durability.test.ts
 *
 * SIGKILL leaves what the operating system was given: the loss of power is for the store and its disk.
 */
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { Loose } from '../contract/loose.ts';
import type { Credentials } from '../kubernetes/kubeconfig.ts';
import { checkLife } from './server-durability-check.ts';
import { type Dice, diceFrom } from './server-durability-dice.ts';
import { Ledger } from './server-durability-ledger.ts';
import { Life } from './server-durability-life.ts';
import { findPort } from './server-durability-process.ts';
import { issueToken, prepare } from './server-durability-scene.ts';
import { startWriting } from './server-durability-writer.ts';

const { MILLWRIGHT_KILLS, MILLWRIGHT_SEED } = process.env;
const KILLS = Number(MILLWRIGHT_KILLS ?? 5);
const SEED = MILLWRIGHT_SEED ?? String(randomInt(2 ** 31));
/** How long clients write before the blow. */
const WRITING_MS = { from: 50, below: 600 };
/** One life of so many is not looked at before clients write: they come while it is still starting. */
const HASTY_EVERY = 3;
/** All of them would take longer with each life. */
const TOKENS_KEPT = 5;

const folder = mkdtempSync(join(tmpdir(), 'millwright-server-durability-'));
let current: Life | undefined;

afterAll(async () => {
  if (current?.isOver === false) await current.kill();
  rmSync(folder, { recursive: true, force: true });
});

test(
  `a server that is killed ${KILLS} times keeps its word`,
  async () => {
    const startedAt = performance.now();
    try {
      const figures = await killAgainAndAgain(diceFrom(SEED));
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      if (MILLWRIGHT_KILLS !== undefined) {
        process.stdout.write(`${KILLS} kills, seed ${SEED}, ${seconds} s: ${JSON.stringify(figures)}\n`);
      }
      expect(figures.acknowledged, 'the load is real').toBeGreaterThan(10 * KILLS);
    } catch (error) {
      process.stderr.write(`MILLWRIGHT_SEED=${SEED}, in life ${current?.number}\n`);
      throw error;
    }
  },
  1_000 * (120 + 10 * KILLS),
);

type Figures = Ledger['counts'] & { readonly [figure: string]: number };

async function killAgainAndAgain(dice: Dice): Promise<Figures> {
  const ledger = new Ledger();
  const scene = await prepare({ folder, port: await findPort() }, ledger);
  const known = new Map<string, Loose>();
  const tokens: Credentials[] = [scene.token];
  const figures = { ...ledger.counts, events: 0, oldWatches: 0, expired: 0, hastyLives: 0 };
  for (let number = 0; number <= KILLS; number++) {
    const ownDice = dice.for(`${number}`);
    const life = new Life({ ...scene, number });
    current = life;
    // The last life is there to be looked at.
    const isLast = number === KILLS;
    if (!isLast && number % HASTY_EVERY === HASTY_EVERY - 1) {
      figures.hastyLives++;
      await life.untilAnswering();
      for (const chronicle of scene.chronicles) chronicle.follow(life);
    } else {
      await life.untilReady();
      const checked = await checkLife({ ...scene, life, ledger, dice: ownDice, tokens });
      figures.events += checked.events;
      figures.oldWatches += checked.oldWatches;
      figures.expired += checked.expired;
    }
    if (!isLast) {
      const users = [scene.address.admin, scene.token] as const;
      await startWriting({ life, ledger, dice: ownDice, users, known });
      life.run(async () => {
        const token = await life.unlessOver(issueToken(life.client));
        if (token !== undefined) tokens.push(token);
        // The first is the one that clients use.
        if (tokens.length > TOKENS_KEPT) tokens.splice(1, 1);
      });
      await sleep(ownDice.between(WRITING_MS.from, WRITING_MS.below));
    }
    await life.kill();
  }
  return { ...figures, ...ledger.counts };
}
