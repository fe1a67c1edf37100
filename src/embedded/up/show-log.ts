/** A log as somebody wants to see it, piece by piece, and on with what comes as long as the container runs. */
import type { ContainerLog } from './container-log.ts';
import type { LogWish } from './log-query.ts';
import { LogSelection } from './log-selection.ts';
import { tailStart } from './log-tail.ts';

export type Showing = {
  readonly wish: LogWish;
  /** Asked where nobody writes: a container may run and have nothing to say. */
  readonly isRunning: () => boolean;
  /** Aborted when nobody looks any more. */
  readonly signal: AbortSignal;
};

/** So much of a log is in memory at a time. */
const BLOCK_BYTES = 64 * 1024;
/** How often who follows looks whether the container still runs, where nobody says so. */
const LOOK_MS = 1000;

export async function* showLog(log: ContainerLog, showing: Showing): AsyncGenerator<Uint8Array> {
  const { wish, isRunning, signal } = showing;
  const unfollow = wish.isFollowed ? log.follow() : nothing;
  const endings = log.endings;
  const hasEnded = () => signal.aborted || log.endings !== endings;
  const mayGoOn = () => wish.isFollowed && !hasEnded() && (log.hasWriters || isRunning());
  const selection = new LogSelection(wish);
  try {
    const extent = await log.extent();
    let at =
      wish.tailLines === undefined ? extent.start : await tailStart(log.readAll, extent, wish.tailLines);
    let isLive = mayGoOn();
    for (let end = extent.end; !selection.isDone && !signal.aborted; ) {
      if (at < end) {
        const { bytes, next } = await log.read(at, Math.min(end, at + BLOCK_BYTES));
        // What was put aside and removed meanwhile ended with a line.
        if (next - bytes.length > at) selection.forgetBeginning();
        at = next;
        const text = selection.take(bytes);
        if (text.length > 0) yield text;
      } else if (isLive) {
        if (log.end === end && !hasEnded()) await log.changed({ limitMs: LOOK_MS, signal });
        // Asked before the end is looked up, so that the last lines are not missed.
        isLive = mayGoOn();
        end = (await log.extent()).end;
      } else {
        const text = selection.end();
        if (text.length > 0) yield text;
        return;
      }
    }
  } finally {
    unfollow();
  }
}

function nothing(): void {}
