/**
 * Runs controllers: from changes to keys, from keys to reconciles, until the program is told to stop.
 *
 *     caches ──changes──> watch ──keys──> queue ──> reconcile ──> done | after | failed
 *
 * Every failure is logged here, once, and tried again. A failed `assert` is not a failure but a mistake of ours: it ends
 * everything.
 */
import type { Env } from '../../base/env.ts';
import { Bug, errorText, Failure } from '../../base/errors.ts';
import type { RetryLadder } from '../../base/waiting.ts';
import { onAbort, withinLimit } from '../../base/waiting.ts';
import type { Controller } from './kube.ts';
import { type WorkFailure, WorkQueue } from './work-queue.ts';

type LoopOptions = {
  readonly env: Env;
  readonly settings?: Partial<LoopSettings>;
};

type LoopSettings = {
  readonly retry: RetryLadder;
  /** How long reconciles that are under way may take once the program has to stop. */
  readonly graceMs: number;
};

const DEFAULT_LOOP_SETTINGS: LoopSettings = {
  retry: { baseMs: 100, factor: 2, capMs: 60_000, jitter: 0.2 },
  graceMs: 20_000,
};

/**
 * Resolves once the signal of the env is aborted and the reconciles that were under way have ended, or have had their
 * time. Rejects with the first failed `assert`, at once.
 */
export async function runControllers(
  controllers: readonly Controller[],
  options: LoopOptions,
): Promise<void> {
  const { env } = options;
  const settings = { ...DEFAULT_LOOP_SETTINGS, ...options.settings };
  const loops = controllers.map((controller) => loopOf(controller, env, settings));
  try {
    await Promise.race([aborted(env.signal), ...loops.map((loop) => loop.crashed)]);
  } finally {
    const stopped = Promise.all(loops.map(({ queue }) => queue.stop()));
    if (env.signal.aborted) await patiently(loops, stopped, { env, graceMs: settings.graceMs });
  }
}

type Loop = {
  readonly controller: Controller;
  readonly queue: WorkQueue;
  /** Rejects for a mistake of ours. */
  readonly crashed: Promise<never>;
};

function loopOf(controller: Controller, env: Env, { retry }: LoopSettings): Loop {
  const { name, workers } = controller;
  const queue = new WorkQueue({
    ...{ env, workers, retry },
    work: (key) => controller.reconcile(key),
    onFailure: (failure) => report(failure, { controller: name, env }),
  });
  controller.watch((key, delayMs) => queue.add(key, delayMs));
  const started = startWhenFilled(controller, queue, env);
  return { controller, queue, crashed: Promise.race([queue.crashed, started]) };
}

/** Never resolves, so that it can be raced: a queue that has started is no end of anything. */
async function startWhenFilled({ name, caches }: Controller, queue: WorkQueue, env: Env): Promise<never> {
  try {
    await Promise.all(caches.map((cache) => cache.synced));
  } catch (error) {
    if (!env.signal.aborted) throw error;
    return await forever();
  }
  env.log.info('controller started', { controller: name });
  queue.start();
  return await forever();
}

function report(
  { key, attempt, delayMs, error }: WorkFailure,
  { controller, env }: { readonly controller: string; readonly env: Env },
): void {
  if (error instanceof Bug) throw error;
  // Work that ends because we do is no failure.
  if (env.signal.aborted && error instanceof Failure && error.kind === 'cancelled') return;
  const said = error instanceof Failure ? { kind: error.kind, reason: error.reason } : {};
  const fields = { controller, key, attempt, ...said, error: errorText(error), retryMs: Math.round(delayMs) };
  env.log.error('reconcile failed', fields);
}

async function patiently(
  loops: readonly Loop[],
  stopped: Promise<unknown>,
  { env, graceMs }: { readonly env: Env; readonly graceMs: number },
): Promise<void> {
  const crashed = Promise.race(loops.map((loop) => loop.crashed));
  const outcome = await withinLimit(env.clock, {
    promise: Promise.race([stopped, crashed]),
    limitMs: graceMs,
  });
  if (outcome.kind === 'settled') return;
  for (const { controller, queue } of loops) {
    const keys = queue.running().join(' ');
    if (keys !== '') env.log.warn('reconciles did not end in time', { controller: controller.name, keys });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, resolve);
  });
}

function forever(): Promise<never> {
  return new Promise(() => undefined);
}
