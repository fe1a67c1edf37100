/**
 * Cases with recorded responses of kube-apiserver: `test/golden/contract`, one file per topic.
 *
 * All responses of a case must equal the recorded ones. `MILLWRIGHT_RECORD=1` records them again (`npm run
 * test:kubernetes`). For a deliberate difference both responses are recorded, each checked on its own server.
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
  /** A namespace for this case only. */
  readonly space: string;
  /** Sends a request and records the response for comparison; `pick` selects the relevant part. */
  readonly ask: (method: Method, path: string, options?: Asking) => Promise<Answer>;
};

export type Asking = AskOptions & { readonly pick?: (body: Loose) => unknown };

export type RecordedOptions = {
  readonly needs?: readonly Need[];
  /** The deliberate difference of all cases of the topic. */
  readonly differs?: Difference;
};

export function recorded(
  topic: string,
  stories: Readonly<Record<string, (story: Story) => Promise<void>>>,
  { needs = [], differs }: RecordedOptions = {},
): readonly ContractCase[] {
  return Object.entries(stories).map(([name, story]) => ({
    topic,
    name,
    needs,
    ...(differs === undefined ? {} : { differs }),
    run: (target) =>
      withScene(target, async (scene) => {
        const answers = await answersTo(scene, story);
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

async function answersTo(scene: Scene, story: (story: Story) => Promise<void>): Promise<readonly Recorded[]> {
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
    // Errors are recorded completely, whatever `pick` selects.
    const shown = isJson ? (status < 400 ? pick(json) : json) : body;
    const shownWarnings = warnings.length === 0 ? {} : { warnings };
    answers.push(
      JSON.parse(
        withoutChance(
          JSON.stringify({ asked: `${method} ${path}`, status, ...shownWarnings, body: shown ?? null }),
          space,
        ),
      ),
    );
    return answer;
  };
  await story({ ...scene, space, ask });
  return answers;
}

/** Replaces what differs between runs: names, UIDs, versions, times, ages and addresses. */
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
  // Only this module writes the files.
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Recording) : {};
}

/** No await between reading and writing, so that cases can run concurrently. */
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
