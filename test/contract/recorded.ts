/**
 * Cases whose answers were written down from a real server, whole: `test/golden/contract`, one file a topic.
 *
 * A case asks and asks; at its end all that was answered must be what the real server answered. With
 * `MILLWRIGHT_RECORD=1` the real server's answers are written down anew (`npm run test:kubernetes`). Where ours
 * differs on purpose a case says so, and both answers are written down, each checked on its own server.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { ContractCase, Difference, Need } from './contract-case.ts';
import type { Answer, AskOptions, Method } from './http-client.ts';
import type { Loose } from './loose.ts';
import { type Scene, withScene } from './scene.ts';

export type Story = Scene & {
  /** A namespace of the case's own. */
  readonly space: string;
  /** Asks, and remembers the answer for the comparison; `pick` takes the part that the case is about. */
  readonly ask: (method: Method, path: string, options?: Asking) => Promise<Answer>;
};

export type Asking = AskOptions & { readonly pick?: (body: Loose) => unknown };

export type RecordedOptions = {
  readonly needs?: readonly Need[];
  /** All cases of the topic differ on ours, for this reason. */
  readonly differs?: Difference;
};

export function recorded(
  topic: string,
  stories: Readonly<Record<string, (story: Story) => Promise<void>>>,
  { needs = [], differs }: RecordedOptions = {},
): readonly ContractCase[] {
  return Object.entries(stories).map(([name, tell]) => ({
    topic,
    name,
    needs,
    ...(differs === undefined ? {} : { differs }),
    run: (target) =>
      withScene(target, async (scene) => {
        const answers = await answersTo(scene, tell);
        const server = target.name === 'millwright' ? 'millwright' : 'kubernetes';
        const whose = differs === undefined ? 'kubernetes' : server;
        if (process.env.MILLWRIGHT_RECORD === '1' && whose === server) record(topic, name, whose, answers);
        expect(answers).toEqual(recording(topic)[name]?.[whose]);
      }),
  }));
}

type Recorded = {
  readonly asked: string;
  readonly status: number;
  readonly warnings?: readonly string[];
  readonly body: unknown;
};

async function answersTo(scene: Scene, tell: (story: Story) => Promise<void>): Promise<readonly Recorded[]> {
  const space = await scene.namespace();
  const answers: Recorded[] = [];
  const ask: Story['ask'] = async (
    method,
    path,
    { pick = (found: Loose): unknown => found, ...options } = {},
  ) => {
    const answer = await scene.request(method, path, options);
    const { status, warnings, json, body } = answer;
    const isJson = /^[[{]/.test(body);
    // What was refused is shown whole, whatever part of an object the case is about.
    const shown = isJson ? (status < 400 ? pick(json) : json) : body;
    const said = warnings.length === 0 ? {} : { warnings };
    answers.push(
      JSON.parse(
        withoutChance(
          JSON.stringify({ asked: `${method} ${path}`, status, ...said, body: shown ?? null }),
          space,
        ),
      ),
    );
    return answer;
  };
  await tell({ ...scene, space, ask });
  return answers;
}

/** Names, uids, versions, times, ages and addresses differ from one run to the next. */
function withoutChance(text: string, space: string): string {
  return text
    .replaceAll(space, '<space>')
    .replaceAll(/-[0-9a-f]{6}-\d+\b/g, '-<run>')
    .replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/g, '<time>')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>')
    .replaceAll(/("resourceVersion\\*":\s*\\*")\d+/g, '$1<version>')
    .replaceAll(/(resourceVersion: \\*")\d+/g, '$1<version>')
    .replaceAll(/"\d+s"/g, '"<age>"')
    .replaceAll(/10\.96\.\d+\.\d+(?!\/)/g, '<address>');
}

type Recording = { readonly [name: string]: { readonly [server: string]: readonly Recorded[] } };

function recording(topic: string): Recording {
  const path = pathOf(topic);
  // The files are written below, by this program alone.
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Recording) : {};
}

/** Nothing is awaited between reading and writing, so that cases may run side by side. */
function record(topic: string, name: string, server: string, answers: readonly Recorded[]): void {
  const path = pathOf(topic);
  mkdirSync(dirname(path), { recursive: true });
  const before = recording(topic);
  const after = { ...before, [name]: { ...before[name], [server]: answers } };
  writeFileSync(path, `${JSON.stringify(after, undefined, 1)}\n`);
}

function pathOf(topic: string): string {
  const file = topic.replaceAll(/[^a-z]+/g, '-');
  return fileURLToPath(new URL(`../golden/contract/${file}.json`, import.meta.url));
}
