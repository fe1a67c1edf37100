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
import type { Metrics } from '../metrics/index.ts';
import {
  LONGEST_WORK,
  QUEUE_ADDS,
  QUEUE_DEPTH,
  QUEUE_RETRIES,
  QUEUE_SECONDS,
  RECONCILE_ERRORS,
  WORK_SECONDS,
} from './client-metrics.ts';
import type { Controller } from './kube.ts';
import { type QueueMeasures, type WorkFailure, WorkQueue } from './work-queue.ts';

type LoopOptions = {
  readonly env: Env;
  /** With the definitions of `CONTROLLER_METRICS`; nothing is measured without it. */
  readonly metrics?: Metrics;
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
  const { env, metrics } = options;
  const settings = { ...DEFAULT_LOOP_SETTINGS, ...options.settings };
  const loops = controllers.map((controller) => loopOf(controller, { env, settings, metrics }));
  if (metrics !== undefined) readQueues(metrics, loops);
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

type LoopContext = {
  readonly env: Env;
  readonly settings: LoopSettings;
  readonly metrics: Metrics | undefined;
};

function loopOf(controller: Controller, { env, settings, metrics }: LoopContext): Loop {
  const { name, workers } = controller;
  const errors = metrics?.counter(RECONCILE_ERRORS);
  const retries = metrics?.counter(QUEUE_RETRIES);
  errors?.add({ controller: name }, 0);
  const queue = new WorkQueue({
    env,
    workers,
    retry: settings.retry,
    work: (key) => controller.reconcile(key),
    onFailure: (failure) => {
      errors?.add({ controller: name });
      retries?.add({ name });
      report(failure, { controller: name, env });
    },
    ...(metrics === undefined ? {} : { measures: measuresOf(name, metrics) }),
  });
  controller.watch((key, delayMs) => queue.add(key, delayMs));
  const started = startWhenFilled(controller, queue, env);
  return { controller, queue, crashed: Promise.race([queue.crashed, started]) };
}

function measuresOf(name: string, metrics: Metrics): QueueMeasures {
  const adds = metrics.counter(QUEUE_ADDS);
  const waited = metrics.histogram(QUEUE_SECONDS);
  const worked = metrics.histogram(WORK_SECONDS);
  const labels = { name };
  return {
    onDue: () => adds.add(labels),
    onStart: (waitedMs) => waited.observe(labels, waitedMs / 1_000),
    onEnd: (tookMs) => worked.observe(labels, tookMs / 1_000),
  };
}

function readQueues(metrics: Metrics, loops: readonly Loop[]): void {
  const each = (measure: (queue: WorkQueue) => number) => () =>
    loops.map(({ controller: { name }, queue }) => ({ labels: { name }, value: measure(queue) }));
  metrics.read(
    QUEUE_DEPTH,
    each(({ depth }) => depth),
  );
  metrics.read(
    LONGEST_WORK,
    each((queue) => queue.longestMs() / 1_000),
  );
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
