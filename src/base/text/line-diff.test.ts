import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineDiff } from './line-diff.ts';

const shown = (before: string, after: string) =>
  lineDiff(before, after).map(({ beforeStart, afterStart, lines }) => [
    `-${beforeStart} +${afterStart}`,
    ...lines.map(({ kind, text }) => ({ same: ' ', removed: '-', added: '+' })[kind] + text),
  ]);

/** What the text becomes if every hunk is applied. */
function patched(before: string, after: string): string {
  const lines = before === '' ? [] : before.split('\n').slice(0, before.endsWith('\n') ? -1 : undefined);
  const result: string[] = [];
  let at = 0;
  for (const { beforeStart, lines: hunk } of lineDiff(before, after)) {
    result.push(...lines.slice(at, beforeStart - 1));
    at = beforeStart - 1;
    for (const { kind, text } of hunk) {
      if (kind !== 'added') expect(lines[at++]).toBe(text);
      if (kind !== 'removed') result.push(text);
    }
  }
  return [...result, ...lines.slice(at)].map((line) => `${line}\n`).join('');
}

describe('the difference of two texts', () => {
  it('is empty for equal texts', () => {
    expect(shown('a\nb\n', 'a\nb\n')).toEqual([]);
  });

  it('has three lines around a changed one', () => {
    const text = (middle: string) => ['1', '2', '3', '4', middle, '6', '7', '8', '9', ''].join('\n');
    expect(shown(text('5'), text('five'))).toEqual([
      ['-2 +2', ' 2', ' 3', ' 4', '-5', '+five', ' 6', ' 7', ' 8'],
    ]);
  });

  it('joins changes whose surroundings meet, and separates others', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `${index}`);
    const changed = lines.map((line, index) => ([2, 6, 25].includes(index) ? `${line}!` : line));
    expect(shown(lines.join('\n'), changed.join('\n')).map(([head]) => head)).toEqual(['-1 +1', '-23 +23']);
  });

  it('shows a text that is new or gone as a whole', () => {
    expect(shown('', 'a\nb\n')).toEqual([['-1 +1', '+a', '+b']]);
    expect(shown('a\n', '')).toEqual([['-1 +1', '-a']]);
  });

  it('leads from one text to the other, with no more lines than needed for small texts', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
      .map((lines) => lines.map((line) => `${line}\n`).join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(patched(before, after)).toBe(after);
        const edits = lineDiff(before, after)
          .flatMap(({ lines }) => lines)
          .filter(({ kind }) => kind !== 'same').length;
        expect(edits).toBe(shortestEdits(before.split('\n'), after.split('\n')));
      }),
    );
  });

  it('shows texts that have little in common as replaced, in bounded time', () => {
    const before = Array.from({ length: 5_000 }, (_, index) => `old ${index}`).join('\n');
    const after = Array.from({ length: 5_000 }, (_, index) => `new ${index}`).join('\n');
    expect(lineDiff(before, after)[0]?.lines.length).toBe(10_000);
  });
});

/** By the longest common subsequence. */
function shortestEdits(a: readonly string[], b: readonly string[]): number {
  const row = new Array<number>(b.length + 1).fill(0);
  for (const line of a) {
    let diagonal = 0;
    for (const [index, other] of b.entries()) {
      const above = row[index + 1] ?? 0;
      row[index + 1] = line === other ? diagonal + 1 : Math.max(above, row[index] ?? 0);
      diagonal = above;
    }
  }
  return a.length + b.length - 2 * (row[b.length] ?? 0);
}
