/**
 * Runs stories of the catalogue: each produces its state, the doctor must name its cause, and once it is mended find nothing.
 *
 * The doctor looks again and again while the state develops. What it names on the way must be right, too: a cause that is asserted
 * too early is as wrong as one that is missing.
 */
import { afterAll, describe, expect, it } from 'vitest';
import type { Diagnosis, Subject } from '../../src/insight/index.ts';
import { STUCK } from './catalogue.ts';

export type Scene = {
  readonly diagnose: (subject?: Subject) => Promise<Diagnosis>;
  readonly statusCodes: () => Promise<readonly string[]>;
  readonly pass: (ms: number) => Promise<void>;
  readonly requests: readonly string[];
  /** Resolves once nothing moves any more. */
  readonly settle: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type Story<S extends Scene> = {
  readonly id: string;
  readonly produce: (scene: S) => Promise<unknown>;
  /** Where there is none, the next story gets a new scene. */
  readonly mend?: (scene: S) => Promise<unknown>;
  readonly limitMs?: number;
  /** Causes that are right on the way to the state. */
  readonly before?: readonly string[];
  /** What the finding must say. */
  readonly says?: RegExp;
};

const MINUTE = 60_000;

export function runStories<S extends Scene>(
  title: string,
  start: () => Promise<S>,
  stories: readonly Story<S>[],
): void {
  describe(title, () => {
    let scene: S | undefined;
    const rows: string[] = [];
    const end = async () => {
      const ended = scene;
      scene = undefined;
      await ended?.stop();
    };
    afterAll(async () => {
      await end();
      process.stdout.write(`${rows.join('\n')}\n`);
    });
    const cases = stories.map((story) => [story.id, stateOf(story.id).state, story] as const);
    it.each(cases)('%s: %s', async (id, _, story) => {
      scene ??= await start();
      const before = scene.requests.length;
      const seen: string[] = [];
      const { requests } = scene;
      try {
        await runStory(scene, story, seen);
      } catch (error) {
        await end();
        throw error;
      } finally {
        rows.push(row(id, stateOf(id).expected, seen.at(-1) ?? 'nothing'));
        if (story.mend === undefined) await end();
      }
      expect(requests.slice(before).filter((request) => !request.startsWith('GET '))).toEqual([]);
    });
  });
}

async function runStory<S extends Scene>(scene: S, story: Story<S>, seen: string[]): Promise<void> {
  const { expected, isWarning = false } = stateOf(story.id);
  await story.produce(scene);
  const found = await untilNamed(scene, { ...story, expected, seen });
  const [first] = [...(found.top === undefined ? [] : [found.top]), ...found.others];
  expect({ code: first?.code, isBlocked: found.isBlocked }).toEqual({
    code: expected,
    isBlocked: !isWarning,
  });
  if (story.says !== undefined) expect(first?.cause).toMatch(story.says);
  expect(seen.filter((code) => code !== expected && !story.before?.includes(code))).toEqual([]);
  expect([first?.evidence.length, first?.next.length]).not.toContain(0);
  // A status sees less than the doctor, and never anything else.
  const codes = codesOf(found);
  expect((await scene.statusCodes()).filter((code) => !codes.includes(code))).toEqual([]);
  if (story.mend === undefined) return;
  await story.mend(scene);
  await scene.settle();
  await untilHealthy(scene, story.limitMs);
}

function stateOf(id: string) {
  const found = STUCK.find((state) => state.id === id);
  if (found === undefined) throw new Error(`the catalogue has no state ${id}`);
  return found;
}

function row(id: string, expected: string, found: string): string {
  return `${id.padEnd(6)} ${expected === found ? 'ok  ' : 'FAIL'} expected ${expected.padEnd(28)} found ${found}`;
}

type Naming = {
  readonly expected: string;
  readonly limitMs?: number;
  /** The first codes of all diagnoses. */
  readonly seen: string[];
};

export async function untilNamed(
  scene: Scene,
  { expected, limitMs = 20 * MINUTE, seen }: Naming,
): Promise<Diagnosis> {
  for (let passedMs = 0; ; ) {
    const found = await scene.diagnose();
    const code = codesOf(found)[0];
    if (code !== undefined) seen.push(code);
    if (code === expected || passedMs >= limitMs) return found;
    // Many looks at first, when things happen, and fewer later.
    const stepMs = passedMs < MINUTE ? 3_000 : 20_000;
    await scene.pass(stepMs);
    passedMs += stepMs;
  }
}

export async function untilHealthy(scene: Scene, limitMs = 20 * MINUTE): Promise<void> {
  let codes: readonly string[] = [];
  for (let passedMs = 0; passedMs <= limitMs; passedMs += 10_000) {
    codes = codesOf(await scene.diagnose());
    if (codes.length === 0) return;
    await scene.pass(10_000);
  }
  throw new Error(`the doctor still names ${codes.join(', ')}`);
}

/** The top cause first, or what else was seen. */
export function codesOf({ top, others }: Diagnosis): readonly string[] {
  return [...(top === undefined ? [] : [top]), ...others].map(({ code }) => code);
}
