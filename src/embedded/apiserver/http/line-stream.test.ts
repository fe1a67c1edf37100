import { describe, expect, it } from 'vitest';
import {
  CHUNK_BYTES,
  type InitialChunks,
  type Line,
  MAX_BUFFERED_BYTES,
  openLineStream,
} from './line-stream.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const line = (text: string): Line => ({ sizeBytes: text.length, bytes: () => bytes(text) });

async function collect(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of body) text += new TextDecoder().decode(chunk);
  return text;
}

describe('a LineStream', () => {
  it('sends lines pushed before and after reading began', async () => {
    const lines = openLineStream(undefined);
    lines.push(line('a\n'));
    lines.push(line('b\n'));
    const all = collect(lines.body);
    await Promise.resolve();
    lines.push(line('c\n'));
    lines.end();
    lines.push(line('too late'));
    expect(await all).toBe('a\nb\nc\n');
  });

  it('ends and notifies producers when the client disconnects', async () => {
    const gone = new AbortController();
    const lines = openLineStream(gone.signal);
    let closed = 0;
    lines.whenClosed(() => closed++);
    const all = collect(lines.body);
    gone.abort();
    expect(await all).toBe('');
    expect(closed).toBe(1);
    lines.whenClosed(() => closed++);
    expect(closed).toBe(2);
  });

  it('ends when the reader stops reading', async () => {
    const lines = openLineStream(undefined);
    let isClosed = false;
    lines.whenClosed(() => {
      isClosed = true;
    });
    lines.push(line('a'));
    for await (const _ of lines.body) break;
    expect(isClosed).toBe(true);
  });

  it('makes the initial chunks on demand', async () => {
    const made: string[] = [];
    function* first(): InitialChunks {
      for (const text of ['1', '2', '3']) {
        made.push(text);
        yield bytes(text);
      }
      return 'more';
    }
    const lines = openLineStream(undefined, first());
    lines.push(line('4'));
    lines.end();
    expect(made).toEqual([]);
    const body = lines.body[Symbol.asyncIterator]();
    await body.next();
    expect(made).toEqual(['1']);
    expect(await collect({ [Symbol.asyncIterator]: () => body })).toBe('234');
  });

  it('ends after the initial chunks if they end the stream', async () => {
    function* first(): InitialChunks {
      yield bytes('gone');
      return 'over';
    }
    const lines = openLineStream(undefined, first());
    lines.push(line('more'));
    expect(await collect(lines.body)).toBe('gone');
  });

  it('encodes lines when they are sent, in chunks of limited size', async () => {
    const lines = openLineStream(undefined);
    let made = 0;
    const large: Line = {
      sizeBytes: 1,
      bytes: () => {
        made++;
        return new Uint8Array(CHUNK_BYTES / 2);
      },
    };
    for (let count = 0; count < 10; count++) lines.push(large);
    lines.end();
    expect(made).toBe(0);
    const sizes: number[] = [];
    for await (const chunk of lines.body) sizes.push(chunk.length);
    expect(sizes).toEqual(Array(5).fill(CHUNK_BYTES));
  });

  it('disconnects a reader that falls too far behind', async () => {
    const lines = openLineStream(undefined);
    let isClosed = false;
    lines.whenClosed(() => {
      isClosed = true;
    });
    const large: Line = { sizeBytes: MAX_BUFFERED_BYTES / 4, bytes: () => bytes('x') };
    for (let count = 0; count < 4; count++) lines.push(large);
    expect(isClosed).toBe(false);
    lines.push(large);
    expect(isClosed).toBe(true);
    expect(await collect(lines.body)).toBe('');
  });

  it('does not count lines that were sent', async () => {
    const lines = openLineStream(undefined);
    const large: Line = { sizeBytes: MAX_BUFFERED_BYTES / 2, bytes: () => bytes('x') };
    const all = collect(lines.body);
    for (let count = 0; count < 10; count++) {
      lines.push(large);
      await Promise.resolve().then(() => undefined);
      await Promise.resolve();
      await Promise.resolve();
    }
    lines.end();
    expect(await all).toBe('x'.repeat(10));
  });
});
