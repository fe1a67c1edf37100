/**
 * Pulls several images, a few at a time, each with retries.
 *
 * A full disk ends all of it: every further pull would fail too. After the time limit no pull begins any more; those in progress
 * go on, since a runtime would begin them anew.
 */
import { forEachAtOnce } from '../../../base/at-once.ts';
import { Failure } from '../../../base/errors.ts';
import { sleep } from '../../../base/waiting.ts';
import { NO_SPACE } from '../../host/index.ts';
import { pullFailure, type SetFailure } from '../../pinned/index.ts';
import type { DaemonContext } from '../context.ts';

export type PullContext = Pick<DaemonContext, 'host' | 'env' | 'log' | 'settings'>;

type Pulls = {
  readonly images: readonly string[];
  readonly atOnce: number;
  readonly signal: AbortSignal;
  /** Called when the time limit has passed while there is more to pull. */
  readonly onLate: () => void;
};

type PullOutcome = {
  /** By image. */
  readonly failures: ReadonlyMap<string, SetFailure>;
  readonly isLate: boolean;
};

export async function pullImages(
  context: PullContext,
  { images, atOnce, signal, onLate }: Pulls,
): Promise<PullOutcome> {
  const { env, settings } = context;
  const failures = new Map<string, SetFailure>();
  const state: PullState = { isLate: false, diskFull: undefined };
  const timer = env.clock.after(settings.prefetch.limitMs, () => {
    state.isLate = true;
    onLate();
  });
  try {
    await forEachAtOnce(images, atOnce, async (image) => {
      const failure =
        state.diskFull ?? (state.isLate ? undefined : await pullOne(context, image, { signal, state }));
      if (failure !== undefined) failures.set(image, failure);
    });
  } finally {
    timer.cancel();
  }
  return { failures, isLate: state.isLate };
}

type PullState = { isLate: boolean; diskFull: SetFailure | undefined };
type OnePull = { readonly signal: AbortSignal; readonly state: PullState };

async function pullOne(
  { host, env, log, settings }: PullContext,
  image: string,
  { signal, state }: OnePull,
): Promise<SetFailure | undefined> {
  const { pullWaitsMs } = settings.prefetch;
  for (let tries = 1; ; tries++) {
    try {
      await host.images.pull(image, signal);
      log.line(`Pulled image ${image}`);
      return undefined;
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'cancelled') throw error;
      const isFull = error.reason === NO_SPACE;
      const waitMs = pullWaitsMs[tries - 1];
      const isLast = isFull || waitMs === undefined || state.isLate;
      log.warn(`Failed to pull image ${image}${isLast ? '' : ' (will retry)'}: ${error.message}`);
      if (isLast) {
        const failure = pullFailure(image, { tries, error: error.message, isFinal: isFull });
        if (isFull) state.diskFull = failure;
        return failure;
      }
      if (!(await sleep(env.clock, { delayMs: waitMs, signal }))) throw stopped();
    }
  }
}

export function stopped(): Failure {
  return new Failure('cancelled', 'Stopped', 'prefetching was stopped');
}
