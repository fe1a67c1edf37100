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

describe('the body of an answer that goes on', () => {
  it('gives what was pushed before and after someone listened, and ends', async () => {
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

  it('ends when the client has gone, and tells those who feed it', async () => {
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

  it('begins with what there was, which is made only when it is asked for', async () => {
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

  it('ends with what there was where that says so', async () => {
    function* first(): InitialChunks {
      yield bytes('gone');
      return 'over';
    }
    const lines = openLineStream(undefined, first());
    lines.push(line('more'));
    expect(await collect(lines.body)).toBe('gone');
  });

  it('makes lines when they are sent, and sends no more at once than fits a piece', async () => {
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

  it('cuts off a reader who falls behind too far, and only then', async () => {
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

  it('does not count what was sent', async () => {
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
