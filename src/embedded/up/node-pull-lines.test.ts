import { expect, test } from 'vitest';
import { Bug, Failure } from '../../base/errors.ts';
import { pullLines } from './node-pull-lines.ts';

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

test('pullLines throws internal errors', async () => {
  const lines = pullLines(async ({ report }) => {
    report('begun');
    throw new Bug('x');
  });
  expect(text((await lines.next()).value ?? undefined)).toBe('{"progress":"begun"}\n');
  await expect(lines.next()).rejects.toThrow('internal error: x');
});

test('pullLines ends with the line of a failure', async () => {
  const lines = pullLines(() => Promise.reject(new Failure('stalled', 'Unknown', 'manifest unknown')));
  expect(text((await lines.next()).value ?? undefined)).toBe('{"error":"manifest unknown"}\n');
  expect((await lines.next()).done).toBe(true);
});

test('pullLines queues lines until they are read', async () => {
  let finish: () => void = () => undefined;
  let speak: (line: string) => void = () => undefined;
  const lines = pullLines(async ({ report }) => {
    speak = report;
    report('one');
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return { image: 'a@b' };
  });
  expect(text((await lines.next()).value ?? undefined)).toBe('{"progress":"one"}\n');
  const next = lines.next();
  speak('two');
  speak('three');
  expect(text((await next).value ?? undefined)).toBe('{"progress":"two"}\n');
  finish();
  await Promise.resolve();
  expect(text((await lines.next()).value ?? undefined)).toBe('{"progress":"three"}\n');
  expect(text((await lines.next()).value ?? undefined)).toBe('{"image":"a@b"}\n');
  expect((await lines.next()).done).toBe(true);
});

test('pullLines cancels the pull if the reader stops', async () => {
  let seen: AbortSignal | undefined;
  for await (const _ of pullLines(({ report, signal }) => {
    seen = signal;
    report('begun');
    return new Promise(() => undefined);
  })) {
    break;
  }
  expect(seen?.aborted).toBe(true);
});
