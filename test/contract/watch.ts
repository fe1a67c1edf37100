/** A watch: one JSON object per line. */
import type { IncomingMessage } from 'node:http';
import { type Loose, looseFrom } from './loose.ts';

export type Watch = {
  readonly headers: IncomingMessage['headers'];
  /** The next event, or undefined once the server has ended the watch. Rejects after a limit of silence. */
  readonly next: () => Promise<Loose | undefined>;
  readonly take: (count: number) => Promise<readonly Loose[]>;
  readonly close: () => void;
  readonly [Symbol.asyncIterator]: () => AsyncIterator<Loose>;
};

/** An event that is due comes in milliseconds; a loaded machine gets its time. */
const SILENCE_LIMIT_MS = 15_000;

export function openWatch(response: IncomingMessage): Watch {
  // The client's limit is for answers: a watch is silent for as long as nothing happens.
  response.socket.setTimeout(0);
  const lines = readLines(response);
  const next = async (): Promise<Loose | undefined> => {
    const result = await withinLimit(lines.next());
    return result.done === true ? undefined : looseFrom(result.value);
  };
  return {
    headers: response.headers,
    next,
    async take(count) {
      const events: Loose[] = [];
      while (events.length < count) {
        const event = await next();
        if (event === undefined) throw new Error(`the watch ended after ${events.length} of ${count} events`);
        events.push(event);
      }
      return events;
    },
    close() {
      response.destroy();
    },
    async *[Symbol.asyncIterator]() {
      for (let event = await next(); event !== undefined; event = await next()) yield event;
    },
  };
}

async function* readLines(response: IncomingMessage): AsyncGenerator<string, undefined> {
  let rest = Buffer.alloc(0);
  for await (const chunk of response) {
    // Bytes are split, not text: a character may be cut in two between chunks. A response without an encoding
    // yields bytes.
    rest = Buffer.concat([rest, chunk as Buffer]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield rest.subarray(0, end).toString();
      rest = rest.subarray(end + 1);
    }
  }
  if (rest.length > 0) yield rest.toString();
  return undefined;
}

async function withinLimit<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no event within ${SILENCE_LIMIT_MS} ms`)), SILENCE_LIMIT_MS);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
