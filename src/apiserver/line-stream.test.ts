import { describe, expect, it } from 'vitest';
import { openLines } from './line-stream.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

async function collect(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of body) text += new TextDecoder().decode(chunk);
  return text;
}

describe('the body of an answer that goes on', () => {
  it('gives what was pushed before and after someone listened, and ends', async () => {
    const lines = openLines(undefined);
    lines.push(bytes('a\n'));
    lines.push(bytes('b\n'));
    const all = collect(lines.body);
    await Promise.resolve();
    lines.push(bytes('c\n'));
    lines.end();
    lines.push(bytes('too late'));
    expect(await all).toBe('a\nb\nc\n');
  });

  it('ends when the client has gone, and tells those who feed it', async () => {
    const gone = new AbortController();
    const lines = openLines(gone.signal);
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
    const lines = openLines(undefined);
    let isClosed = false;
    lines.whenClosed(() => {
      isClosed = true;
    });
    lines.push(bytes('a'));
    for await (const _ of lines.body) break;
    expect(isClosed).toBe(true);
  });

  it('cuts off a reader who falls behind too far', async () => {
    const lines = openLines(undefined);
    const large = new Uint8Array(16 * 1024 * 1024);
    for (let count = 0; count < 5; count++) lines.push(large);
    expect(await collect(lines.body)).toBe('');
  });
});
