import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tailStart } from './log-tail.ts';

async function tail(log: string, lines: number, start = 0): Promise<string> {
  const bytes = new TextEncoder().encode(log);
  const read = async (from: number, to: number) => bytes.subarray(from, to);
  const at = await tailStart(read, { start, end: bytes.length }, lines);
  return new TextDecoder().decode(bytes.subarray(at));
}

describe('the last lines of a log', () => {
  it.each([
    ['', 3, ''],
    ['a\nb\nc\n', 0, ''],
    ['a\nb\nc\n', 2, 'b\nc\n'],
    ['a\nb\nc\n', 3, 'a\nb\nc\n'],
    ['a\nb\nc\n', 9, 'a\nb\nc\n'],
    ['a\nb\ntorn', 1, 'b\ntorn'],
    ['\n\n\n', 2, '\n\n'],
  ])('of %j, for a count of %d, are %j', async (log, lines, expected) => {
    expect(await tail(log, lines)).toBe(expected);
  });

  it('are found across blocks and within the extent', async () => {
    const log = `gone\n${Array.from({ length: 30_000 }, (_, at) => `line ${at}\n`).join('')}`;
    for (const lines of [1, 7_000, 29_999, 30_000, 40_000]) {
      const expected = Array.from({ length: Math.min(lines, 30_000) }, (_, at) => 30_000 - lines + at);
      const got = (await tail(log, lines, 5)).split('\n').slice(0, -1);
      expect(got).toHaveLength(expected.length);
      expect(got.at(-1)).toBe('line 29999');
    }
  });

  it('equal those of splitting the text', async () => {
    const logs = fc.string({ unit: fc.constantFrom('a', '\n') });
    await fc.assert(
      fc.asyncProperty(logs, fc.nat(8), async (log, lines) => {
        const whole = log.slice(0, log.lastIndexOf('\n') + 1);
        const torn = log.slice(whole.length);
        const all = whole.split('\n').slice(0, -1);
        const last = lines === 0 ? [] : all.slice(-lines);
        expect(await tail(log, lines)).toBe(last.map((one) => `${one}\n`).join('') + torn);
      }),
    );
  });
});
