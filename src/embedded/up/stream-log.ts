/** Streams the selected text of a log, and follows it while the container runs if requested. */
import type { ContainerLog } from './container-log.ts';
import type { LogQuery } from './log-query.ts';
import { LogSelection } from './log-selection.ts';
import { tailStart } from './log-tail.ts';

export type StreamOptions = {
  readonly logQuery: LogQuery;
  /** Checked if there is no writer: simulated containers have none. */
  readonly isRunning: () => boolean;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
};

/** Bounds memory. */
const BLOCK_BYTES = 64 * 1024;
/** How often a follower checks whether the container still runs. */
const POLL_MS = 1000;

export async function* streamLog(log: ContainerLog, options: StreamOptions): AsyncGenerator<Uint8Array> {
  const { logQuery, isRunning, signal } = options;
  const unfollow = logQuery.isFollowed ? log.follow() : nothing;
  const endings = log.endings;
  const hasEnded = () => signal.aborted || log.endings !== endings;
  const shouldFollow = () => logQuery.isFollowed && !hasEnded() && (log.hasWriters || isRunning());
  const selection = new LogSelection(logQuery);
  try {
    const extent = await log.extent();
    let at =
      logQuery.tailLines === undefined
        ? extent.start
        : await tailStart(log.readAll, extent, logQuery.tailLines);
    let isLive = shouldFollow();
    for (let end = extent.end; !selection.isDone && !signal.aborted; ) {
      if (at < end) {
        const { bytes, next } = await log.read(at, Math.min(end, at + BLOCK_BYTES));
        // Rotated files end with a complete line.
        if (next - bytes.length > at) selection.resetLine();
        at = next;
        const text = selection.take(bytes);
        if (text.length > 0) yield text;
      } else if (isLive) {
        if (log.end === end && !hasEnded()) await log.changed({ limitMs: POLL_MS, signal });
        // Checked before reading the end, so that the last lines are not missed.
        isLive = shouldFollow();
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
