/**
 * The server as people start it is killed at random moments, again and again, while clients write to it over HTTPS.
 * After each start on the same folder it must have kept its word: whatever it acknowledged is there, nothing is there
 * by half, versions only grow, watches go on without a gap, and those who could come in before still can.
 *
 * A few times in `npm run test:embedded`; as often as one likes, and with the choices of an earlier run, with
 *
 *     MILLWRIGHT_KILLS=100 MILLWRIGHT_SEED=1234 npx vitest run test/apiserver/server-durability.embedded.test.ts
 *
 * SIGKILL leaves what the operating system was given: the loss of power is for the store and its disk.
 */
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, test } from 'vitest';
import { type Loose, versionOf } from '../contract/loose.ts';
import { configMap } from '../contract/objects.ts';
import type { Credentials } from '../kubernetes/kubeconfig.ts';
import { checkLife, watchFrom } from './server-durability-check.ts';
import { watchPath } from './server-durability-history.ts';
import { Ledger } from './server-durability-ledger.ts';
import { findPort } from './server-durability-process.ts';
import { type Dice, diceFrom } from './server-durability-random.ts';
import { CONFIG_MAPS, MARKER, pathOf } from './server-durability-request.ts';
import { Life } from './server-durability-run.ts';
import { issueToken, prepare, type Scene } from './server-durability-setup.ts';
import { startWriting, type Writing } from './server-durability-writer.ts';

const { MILLWRIGHT_KILLS, MILLWRIGHT_SEED } = process.env;
const KILLS = Number(MILLWRIGHT_KILLS ?? 5);
const SEED = MILLWRIGHT_SEED ?? String(randomInt(2 ** 31));
/** How long clients write before the blow. */
const WRITING_MS = { from: 50, below: 600 };
/** One life of so many is not looked at before clients write: they come while it is still starting. */
const HASTY_EVERY = 3;
/** All of them would take longer with each life. */
const TOKENS_KEPT = 5;

const base = mkdtempSync(join(tmpdir(), 'millwright-server-durability-'));
let current: Life | undefined;

afterEach(async () => {
  // A test that failed has left it alive.
  if (current?.isOver === false) await current.kill();
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

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
      expect(figures.acknowledged, 'the load is real').toBeGreaterThan(4 * KILLS);
    } catch (error) {
      process.stderr.write(`MILLWRIGHT_SEED=${SEED}, in life ${current?.number}\n`);
      throw error;
    }
  },
  1_000 * (120 + 10 * KILLS),
);

test('a version that is forgotten stays so after a kill, and one that is not can be followed', async () => {
  const scene = await prepare({ folder: join(base, 'forgotten'), port: await findPort() }, new Ledger());
  const first = new Life({ ...scene, number: 0 });
  current = first;
  await first.untilReady();
  const versions = await writeUntilForgotten(first);
  await first.kill();
  const second = new Life({ ...scene, number: 1 });
  current = second;
  await second.untilReady();
  const versionsAfter = async (version: number) => {
    const events = await watchFrom(second, watchPath(CONFIG_MAPS, version), {
      version: versions.at(-1) ?? 0,
    });
    return events === 'expired' ? events : events.map(({ object }) => Number(versionOf(object)));
  };
  expect(await versionsAfter(versions[0] ?? 0)).toBe('expired');
  expect(await versionsAfter(versions.at(-3) ?? 0)).toEqual(versions.slice(-2));
  await second.kill();
});

type Figures = Ledger['counts'] & { readonly [figure: string]: number };

async function killAgainAndAgain(dice: Dice): Promise<Figures> {
  const ledger = new Ledger();
  const scene = await prepare({ folder: join(base, 'killed'), port: await findPort() }, ledger);
  const known = new Map<string, Loose>();
  const tokens: Credentials[] = [scene.token];
  const figures = { events: 0, oldWatches: 0, expired: 0, hastyLives: 0 };
  // The last life is there to be looked at.
  for (let number = 0; number <= KILLS; number++) {
    const life = new Life({ ...scene, number });
    current = life;
    const stage = { ...scene, life, ledger, tokens, known, dice: dice.for(`${number}`) };
    if (number < KILLS && number % HASTY_EVERY === HASTY_EVERY - 1) {
      figures.hastyLives++;
      await life.untilAnswering();
      for (const history of scene.histories) history.follow(life);
    } else {
      await life.untilReady();
      const { events, oldWatches, expired } = await checkLife(stage);
      figures.events += events;
      figures.oldWatches += oldWatches;
      figures.expired += expired;
    }
    if (number < KILLS) await writeForAWhile(stage);
    await life.kill();
  }
  return { ...ledger.counts, ...figures };
}

type Stage = Scene & Omit<Writing, 'users'> & { readonly tokens: Credentials[] };

async function writeForAWhile(stage: Stage): Promise<void> {
  const { life, dice, tokens, address, token } = stage;
  await startWriting({ ...stage, users: [address.admin, token] });
  life.run(async () => {
    const issued = await life.unlessOver(issueToken(life.client));
    if (issued !== undefined) tokens.push(issued);
    // The first is the one that clients use.
    if (tokens.length > TOKENS_KEPT) tokens.splice(1, 1);
  });
  await sleep(dice.between(WRITING_MS.from, WRITING_MS.below));
}

/** Nearly as much as a ConfigMap may hold: the log remembers fewer than a hundred of them. */
const LARGE_TEXT = 'x'.repeat(1_000_000);
const MAX_LARGE_WRITES = 210;
/** To look means to be sent all that is remembered. */
const LOOK_EVERY = 35;
const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** The versions that an object has had, of which the first can no longer be followed. */
async function writeUntilForgotten(life: Life): Promise<readonly number[]> {
  const versions: number[] = [];
  while (versions.length < MAX_LARGE_WRITES) {
    const body = configMap(MARKER, { count: String(versions.length), text: LARGE_TEXT });
    const options = { body, accept: METADATA_ONLY };
    const { json } = await life.client.request('PUT', pathOf(CONFIG_MAPS, MARKER), options);
    versions.push(Number(versionOf(json)));
    const [oldest = 0, next] = versions;
    if (next === undefined || versions.length % LOOK_EVERY !== 0) continue;
    const seen = await watchFrom(life, watchPath(CONFIG_MAPS, oldest), { version: next });
    if (seen === 'expired') return versions;
  }
  throw new Error(`${MAX_LARGE_WRITES} large writes and nothing is forgotten`);
}
