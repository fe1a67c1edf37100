/**
 * Index sets of Indexed jobs: `1,3-5,7`, in ascending order.
 */

type Indexes =
  | { readonly kind: 'read'; readonly intervals: readonly Interval[]; readonly count: number }
  | { readonly kind: 'failed'; readonly message: string };

type Interval = { readonly first: number; readonly last: number };

/** Every index is below `completions`. */
export function readIndexes(text: string, completions: number): Indexes {
  const intervals: Interval[] = [];
  let count = 0;
  let previous: number | undefined;
  for (const part of text === '' ? [] : text.split(',')) {
    const interval = readInterval(part, completions);
    if (typeof interval === 'string') return { kind: 'failed', message: interval };
    const { first, last } = interval;
    if (previous !== undefined && previous >= first) return failed(previous, first);
    intervals.push(interval);
    count += last - first + 1;
    previous = last;
  }
  return { kind: 'read', intervals, count };
}

/** The first index in both sets, as far as they are valid. */
export function firstShared(one: Indexes, other: Indexes): number | undefined {
  if (one.kind === 'failed' || other.kind === 'failed') return undefined;
  let [at, otherAt] = [0, 0];
  for (;;) {
    const [a, b] = [one.intervals[at], other.intervals[otherAt]];
    if (a === undefined || b === undefined) return undefined;
    if (a.first <= b.last && b.first <= a.last) return Math.max(a.first, b.first);
    if (a.first < b.first) at++;
    else otherAt++;
  }
}

function readInterval(text: string, completions: number): Interval | string {
  const parts = text.split('-');
  if (parts.length > 2) {
    return `the fragment "${text}" violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const numbers: number[] = [];
  for (const part of parts) {
    if (!/^\+?[0-9]+$/.test(part)) return `cannot convert string to integer for index: "${part}"`;
    if (Number(part) >= completions) return `too large index: "${part}"`;
    numbers.push(Number(part));
  }
  const [first = 0, last = first] = numbers;
  return numbers.length > 1 && first >= last ? orderMessage(first, last) : { first, last };
}

function failed(previous: number, current: number): Indexes {
  return { kind: 'failed', message: orderMessage(previous, current) };
}

function orderMessage(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}
