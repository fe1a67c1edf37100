/** A story over HTTP: a cluster of its own, and a judge of all that is ever stored in it. */
import { expect } from 'vitest';
import { type HttpWorld, type HttpWorldOptions, startHttpWorld } from './http-world.ts';
import { type Judge, watchAsJudge } from './judge.ts';
import { createAccount } from './story-steps.ts';

export type Scene = { readonly world: HttpWorld; readonly judge: Judge };

/** Only ends stories that hang: how long one takes depends on the machine. */
export const STORY_LIMIT_MS = 400_000;

/**
 * One after the other: a start installs all manifests, and ten of them at once keep the process so busy that none of its clients
 * gets a connection in time.
 */
let lastStart: Promise<unknown> = Promise.resolve();

function startInTurn(options: HttpWorldOptions): Promise<HttpWorld> {
  const start = () => startHttpWorld(options);
  const started = lastStart.then(start, start);
  lastStart = started;
  return started;
}

export async function runOverHttp(
  options: HttpWorldOptions,
  story: (scene: Scene) => Promise<void>,
): Promise<void> {
  const world = await startInTurn(options);
  const judge = watchAsJudge(world.store, (node) => node.replace(/-\d+$/, ''));
  try {
    await createAccount(world);
    await story({ world, judge });
    expect(judge.faults).toEqual([]);
    expect(world.refused).toEqual([]);
  } finally {
    await world.stop();
  }
}
