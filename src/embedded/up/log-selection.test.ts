import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogQuery } from './log-query.ts';
import { LogSelection } from './log-selection.ts';

const time = (second: number) => `2026-11-15T17:00:0${second}.000000000Z`;
const line = (second: number, text: string, tag = 'F') => `${time(second)} stderr ${tag} ${text}\n`;
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (shown: Uint8Array) => new TextDecoder().decode(shown);
const since = (second: number) => 1_794_762_000_000_000_000n + BigInt(second) * 1_000_000_000n;

function selected(logQuery: Partial<LogQuery>, ...pieces: readonly Uint8Array[]): string {
  const none = { since: undefined, tailLines: undefined, limitBytes: undefined };
  const flags = { isFollowed: false, isPrevious: false, hasTimes: false };
  const selection = new LogSelection({ ...none, ...flags, ...logQuery });
  return [...pieces.map((piece) => selection.take(piece)), selection.end()].map(text).join('');
}

const LOG = line(1, 'one') + line(2, 'two') + line(3, 'three');

describe('LogSelection', () => {
  it.each<readonly [string, string, Partial<LogQuery>, string]>([
    ['garbage is left out', `garbage\n${LOG}`, {}, 'one\ntwo\nthree\n'],
    ['a torn line is left out where its time is', `${LOG}2026-11-1`, {}, 'one\ntwo\nthree\n'],
    ['a torn text is shown as far as it goes', LOG.slice(0, -3), {}, 'one\ntwo\nthr'],
    [
      'a torn line in the middle is a line',
      `${LOG.slice(0, -3)}\n${line(4, 'four')}`,
      {},
      'one\ntwo\nthr\nfour\n',
    ],
    ['nothing is shown of nothing', '', {}, ''],
    ['all is shown', LOG, {}, 'one\ntwo\nthree\n'],
    ['times stand before the lines', line(1, 'one'), { hasTimes: true }, `${time(1)} one\n`],
    ['older lines are left out', LOG, { since: since(2) }, 'two\nthree\n'],
    ['none is young enough', LOG, { since: since(4) }, ''],
    ['no more lines are shown than were asked for', LOG, { tailLines: 2 }, 'one\ntwo\n'],
    ['no line is shown', LOG, { tailLines: 0 }, ''],
    ['who follows gets more lines', LOG, { tailLines: 2, isFollowed: true }, 'one\ntwo\nthree\n'],
    ['lines that are too old count among the last', LOG, { tailLines: 2, since: since(2) }, 'two\n'],
    ['bytes are counted', LOG, { limitBytes: 6 }, 'one\ntw'],
    ['times count among the bytes', LOG, { limitBytes: 12, hasTimes: true }, '2026-11-15T1'],
    ['just as many bytes as there are', LOG, { limitBytes: 14 }, 'one\ntwo\nthree\n'],
    ['parts make a line', line(1, 'o', 'P') + line(2, 'ne'), {}, 'one\n'],
    [
      'a line in parts has one time',
      line(1, 'o', 'P') + line(2, 'ne') + line(3, 'x'),
      { hasTimes: true },
      `${time(1)} one\n${time(3)} x\n`,
    ],
  ])('%s', (_, log, logQuery, expected) => {
    expect(selected(logQuery, bytes(log))).toBe(expected);
  });

  it('returns the same text for any chunking', () => {
    const whole = bytes(`garbage\n${LOG}${line(4, 'grüße 🎉', 'P')}${line(5, '')}torn`);
    const cuts = fc.array(fc.nat(whole.length), { maxLength: 6 });
    const queries = fc.record({
      hasTimes: fc.boolean(),
      tailLines: fc.option(fc.nat(6), { nil: undefined }),
      limitBytes: fc.option(fc.nat(80), { nil: undefined }),
    });
    fc.assert(
      fc.property(cuts, queries, (places, logQuery) => {
        const ends = [...places.toSorted((a, b) => a - b), whole.length];
        const pieces = ends.map((end, at) => whole.slice(ends[at - 1] ?? 0, end));
        expect(selected(logQuery, ...pieces)).toBe(selected(logQuery, whole));
      }),
    );
  });

  it('does not buffer an endless line', () => {
    const piece = bytes('x'.repeat(256 * 1024));
    const pieces = Array.from({ length: 20 }, () => piece);
    expect(selected({}, ...pieces, bytes(`\n${LOG}`))).toBe('one\ntwo\nthree\n');
  });
});
