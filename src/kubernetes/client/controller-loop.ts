/**
 * Runs controllers: from changes to keys, from keys to reconciles, until the process is stopped.
 *
 *     caches ──changes──> watch ──keys──> queue ──> reconcile ──> done | after | failed
 *
 * Every failure is logged here, once. A transient one is retried with backoff, a stalled one when something changes. A
 * `Bug` ends the process.
 */
import type { Env } from '../../base/env.ts';
import { Bug, errorText, Failure } from '../../base/errors.ts';
import type { Backoff } from '../../base/waiting.ts';
import { onAbort, withinLimit } from '../../base/waiting.ts';
import type { Controller } from './kube.ts';
import { type WorkFailure, WorkQueue } from './work-queue.ts';

type LoopOptions = {
  readonly env: Env;
  readonly settings?: Partial<LoopSettings>;
};

type LoopSettings = {
  readonly retry: Backoff;
  /** How long running reconciles may take once the process is stopped. */
  readonly graceMs: number;
};

const DEFAULT_LOOP_SETTINGS: LoopSettings = {
  retry: { baseMs: 100, factor: 2, capMs: 60_000, jitter: 0.2 },
  graceMs: 20_000,
};

/**
 * Resolves once the signal of the env is aborted and running reconciles have ended, or their grace period is over. Rejects
 * with the first `Bug`, at once.
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
    if (env.signal.aborted) await withGracePeriod(loops, stopped, { env, graceMs: settings.graceMs });
  }
}

type Loop = {
  readonly controller: Controller;
  readonly queue: WorkQueue;
  /** Rejects with a `Bug`. */
  readonly crashed: Promise<never>;
};

function loopOf(controller: Controller, env: Env, { retry }: LoopSettings): Loop {
  const { name, workers } = controller;
  const queue = new WorkQueue({
    env,
    workers,
    retry,
    work: (key) => controller.reconcile(key),
    onFailure: (failure) => report(failure, { controller: name, env }),
  });
  controller.watch((key, delayMs) => queue.add(key, delayMs));
  const started = startWhenFilled(controller, queue, env);
  return { controller, queue, crashed: Promise.race([queue.crashed, started]) };
}

/** Never resolves, so that it can be raced. */
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
  { key, attempt, delayMs, isStalled, error }: WorkFailure,
  { controller, env }: { readonly controller: string; readonly env: Env },
): void {
  if (error instanceof Bug) throw error;
  // Cancelled because the process is stopping.
  if (env.signal.aborted && error instanceof Failure && error.kind === 'cancelled') return;
  const cause = error instanceof Failure ? { kind: error.kind, reason: error.reason } : {};
  const retry = { [isStalled ? 'recheckMs' : 'retryMs']: Math.round(delayMs) };
  env.log.error('reconcile failed', {
    controller,
    key,
    attempt,
    ...cause,
    error: errorText(error),
    ...retry,
  });
}

async function withGracePeriod(
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
    if (keys !== '')
      env.log.warn('reconciles did not end within the grace period', { controller: controller.name, keys });
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
