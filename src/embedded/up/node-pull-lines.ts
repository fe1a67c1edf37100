/**
 * A pull, or another action that takes a while, as a stream of JSON lines. The last one has the result.
 */
import { Failure } from '../../base/errors.ts';
import type { PullProgress } from './node-images.ts';

type PullLine = object;

/** Its signal is aborted if the reader stops. */
export async function* pullLines(
  pull: (progress: PullProgress) => Promise<object>,
): AsyncGenerator<Uint8Array> {
  const queue: PullLine[] = [];
  const cancelled = new AbortController();
  let isDone = false;
  let wake: () => void = () => undefined;
  const push = (line: PullLine) => {
    queue.push(line);
    wake();
  };
  const completion = pull({ report: (progress) => push({ progress }), signal: cancelled.signal })
    .then(
      (result) => push(result),
      (error: unknown) => {
        if (!(error instanceof Failure)) throw error;
        push({ error: error.message });
      },
    )
    .finally(() => {
      isDone = true;
      wake();
    });
  // Awaited below, at the end of the stream.
  completion.catch(() => undefined);
  try {
    for (;;) {
      const line = queue.shift();
      if (line !== undefined) yield encoded(line);
      else if (isDone) break;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    await completion;
  } finally {
    cancelled.abort();
  }
}

const utf8 = new TextEncoder();

function encoded(line: PullLine): Uint8Array {
  return utf8.encode(`${JSON.stringify(line)}\n`);
}
