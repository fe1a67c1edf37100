/**
 * The difference of two texts, line by line, as `diff -u` shows it: changed lines with some that surround them.
 */

/** A run of lines that differ, with context. Line numbers begin at 1. */
export type Hunk = {
  readonly beforeStart: number;
  readonly afterStart: number;
  readonly lines: readonly DiffLine[];
};

export type DiffLine = { readonly kind: 'same' | 'removed' | 'added'; readonly text: string };

const CONTEXT = 3;
/** Beyond this the shortest difference takes too long to find: all lines are shown as replaced. */
const MAX_EDITS = 500;

export function lineDiff(before: string, after: string): readonly Hunk[] {
  return hunksOf(diffLines(linesOf(before), linesOf(after)));
}

/** A last line without a line break is a line, and a text without any has none. */
function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** By the algorithm of Myers, after equal lines at both ends are put aside. */
function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const shortest = Math.min(before.length, after.length);
  let head = 0;
  while (head < shortest && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shortest - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const [old, now] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const same = (lines: readonly string[]) => lines.map((text) => ({ kind: 'same', text }) as const);
  return [
    ...same(before.slice(0, head)),
    ...(editScript(old, now) ?? replaced(old, now)),
    ...same(before.slice(before.length - tail)),
  ];
}

function replaced(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  return [
    ...old.map((text) => ({ kind: 'removed', text }) as const),
    ...now.map((text) => ({ kind: 'added', text }) as const),
  ];
}

/** Undefined beyond the limit. */
function editScript(old: readonly string[], now: readonly string[]): readonly DiffLine[] | undefined {
  // For each diagonal, how far into `old` the furthest path reaches; a copy for every number of edits leads back.
  let furthest = new Map<number, number>([[1, 0]]);
  const steps: ReadonlyMap<number, number>[] = [];
  for (let edits = 0; edits <= Math.min(old.length + now.length, MAX_EDITS); edits++) {
    steps.push(new Map(furthest));
    const next = new Map(furthest);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = startOf(next, diagonal, edits);
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++;
      next.set(diagonal, x);
      if (x >= old.length && x - diagonal >= now.length) return backtracked(steps, old, now);
    }
    furthest = next;
  }
  return undefined;
}

function startOf(furthest: ReadonlyMap<number, number>, diagonal: number, edits: number): number {
  const [down, right] = [furthest.get(diagonal + 1) ?? -1, furthest.get(diagonal - 1) ?? -1];
  return diagonal === -edits || (diagonal !== edits && right < down) ? down : right + 1;
}

function backtracked(
  steps: readonly ReadonlyMap<number, number>[],
  old: readonly string[],
  now: readonly string[],
): readonly DiffLine[] {
  const reversed: DiffLine[] = [];
  let [x, y] = [old.length, now.length];
  for (const [edits, furthest] of [...steps.entries()].toReversed()) {
    const diagonal = x - y;
    const start = startOf(furthest, diagonal, edits);
    const isAddition = start === (furthest.get(diagonal + 1) ?? -1) && isDown(furthest, diagonal, edits);
    const [fromX, fromY] = isAddition ? [start, start - diagonal - 1] : [start - 1, start - diagonal];
    while (x > start && y > start - diagonal) {
      reversed.push({ kind: 'same', text: old[x - 1] ?? '' });
      x--;
      y--;
    }
    if (edits === 0) break;
    if (isAddition) reversed.push({ kind: 'added', text: now[fromY] ?? '' });
    else reversed.push({ kind: 'removed', text: old[fromX] ?? '' });
    [x, y] = [fromX, fromY];
  }
  return reversed.toReversed();
}

function isDown(furthest: ReadonlyMap<number, number>, diagonal: number, edits: number): boolean {
  const [down, right] = [furthest.get(diagonal + 1) ?? -1, furthest.get(diagonal - 1) ?? -1];
  return diagonal === -edits || (diagonal !== edits && right < down);
}

function hunksOf(lines: readonly DiffLine[]): readonly Hunk[] {
  const changed = lines.flatMap(({ kind }, index) => (kind === 'same' ? [] : [index]));
  const ranges: { from: number; to: number }[] = [];
  for (const index of changed) {
    const last = ranges.at(-1);
    const to = Math.min(lines.length, index + 1 + CONTEXT);
    if (last !== undefined && index - CONTEXT <= last.to) last.to = to;
    else ranges.push({ from: Math.max(0, index - CONTEXT), to });
  }
  const countBefore = (kind: DiffLine['kind'], end: number) =>
    lines.slice(0, end).filter((line) => line.kind !== kind).length;
  return ranges.map(({ from, to }) => ({
    beforeStart: countBefore('added', from) + 1,
    afterStart: countBefore('removed', from) + 1,
    lines: lines.slice(from, to),
  }));
}
