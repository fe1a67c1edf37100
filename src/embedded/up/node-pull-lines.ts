/**
 * A pull as lines of JSON, each as soon as there is something to say. The last one says how it ended.
 */
import { Failure } from '../../base/errors.ts';
import type { PulledNodeImage, PullProgress } from './node-images.ts';

type PullLine = { readonly progress: string } | { readonly image: string } | { readonly error: string };

/** Ends the pull where nobody reads on. */
export async function* pullLines(
  pull: (progress: PullProgress) => Promise<PulledNodeImage>,
): AsyncGenerator<Uint8Array> {
  const waiting: PullLine[] = [];
  const gone = new AbortController();
  let isOver = false;
  let wake: () => void = () => undefined;
  const tell = (line: PullLine) => {
    waiting.push(line);
    wake();
  };
  const ending = pull({ say: (progress) => tell({ progress }), signal: gone.signal })
    .then(
      ({ image }) => tell({ image }),
      (error: unknown) => {
        if (!(error instanceof Failure)) throw error;
        tell({ error: error.message });
      },
    )
    .finally(() => {
      isOver = true;
      wake();
    });
  // Whoever reads to the end meets it there.
  ending.catch(() => undefined);
  try {
    for (;;) {
      const line = waiting.shift();
      if (line !== undefined) yield encoded(line);
      else if (isOver) break;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    await ending;
  } finally {
    gone.abort();
  }
}

const utf8 = new TextEncoder();

function encoded(line: PullLine): Uint8Array {
  return utf8.encode(`${JSON.stringify(line)}\n`);
}
