import { expect, test } from 'vitest';
import { Bug, Failure } from '../../base/errors.ts';
import { pullLines } from './node-pull-lines.ts';

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

test('a mistake of ours is no line of the answer, it is thrown', async () => {
  const lines = pullLines(async ({ say }) => {
    say('begun');
    throw new Bug('x');
  });
  expect(text((await lines.next()).value ?? undefined)).toBe('{"progress":"begun"}\n');
  await expect(lines.next()).rejects.toThrow('internal error: x');
});

test('a failure is the last line', async () => {
  const lines = pullLines(() => Promise.reject(new Failure('stalled', 'Unknown', 'manifest unknown')));
  expect(text((await lines.next()).value ?? undefined)).toBe('{"error":"manifest unknown"}\n');
  expect((await lines.next()).done).toBe(true);
});

test('lines come as they are said, also while nobody reads', async () => {
  let finish: () => void = () => undefined;
  let speak: (line: string) => void = () => undefined;
  const lines = pullLines(async ({ say }) => {
    speak = say;
    say('one');
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

test('the pull ends when nobody reads on', async () => {
  let seen: AbortSignal | undefined;
  for await (const _ of pullLines(({ say, signal }) => {
    seen = signal;
    say('begun');
    return new Promise(() => undefined);
  })) {
    break;
  }
  expect(seen?.aborted).toBe(true);
});
