/** What is asked of a log beside whose it is, read as a kubelet reads it. */
import { parseDateTime } from '../../base/text/index.ts';

export type LogWish = {
  readonly isFollowed: boolean;
  readonly isPrevious: boolean;
  readonly hasTimes: boolean;
  /** Nanoseconds since 1970; older lines are left out. */
  readonly since: bigint | undefined;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
};

type ReadQuery =
  | { readonly kind: 'wish'; readonly wish: LogWish }
  /** The very texts of a kubelet. */
  | { readonly kind: 'refused'; readonly status: number; readonly text: string };

const UNREADABLE: ReadQuery = {
  kind: 'refused',
  status: 400,
  text: '{"message": "Unable to decode query."}',
};
const INVALID: ReadQuery = { kind: 'refused', status: 422, text: '{"message": "Invalid request."}' };
const NANOS_PER_MS = 1_000_000n;
const MS_PER_SECOND = 1000n;

export function readLogQuery(query: string, nowMs: number): ReadQuery {
  const values = new URLSearchParams(query);
  const tailLines = wholeOf(values.get('tailLines'));
  const limitBytes = wholeOf(values.get('limitBytes'));
  const sinceSeconds = wholeOf(values.get('sinceSeconds'));
  const sinceTime = timeOf(values.get('sinceTime'));
  const read = [tailLines, limitBytes, sinceSeconds, sinceTime];
  if (read.includes('unreadable')) return UNREADABLE;
  const isInvalid =
    isBelow(tailLines, 0n) ||
    isBelow(limitBytes, 1n) ||
    isBelow(sinceSeconds, 1n) ||
    (sinceSeconds !== undefined && sinceTime !== undefined);
  if (isInvalid) return INVALID;
  const age = typeof sinceSeconds === 'bigint' ? sinceSeconds * MS_PER_SECOND : undefined;
  const ago = age === undefined ? undefined : (BigInt(Math.floor(nowMs)) - age) * NANOS_PER_MS;
  return {
    kind: 'wish',
    wish: {
      isFollowed: flagOf(values.get('follow')),
      isPrevious: flagOf(values.get('previous')),
      hasTimes: flagOf(values.get('timestamps')),
      since: typeof sinceTime === 'bigint' ? sinceTime : ago,
      tailLines: countOf(tailLines),
      limitBytes: countOf(limitBytes),
    },
  };
}

type Read = bigint | undefined | 'unreadable';

const MAX_INT64 = 2n ** 63n - 1n;

function wholeOf(text: string | null): Read {
  if (text === null || text === '') return undefined;
  if (!/^[+-]?\d{1,19}$/.test(text)) return 'unreadable';
  const value = BigInt(text.replace('+', ''));
  return value > MAX_INT64 || value < -MAX_INT64 ? 'unreadable' : value;
}

function timeOf(text: string | null): Read {
  if (text === null || text === '' || text === 'null') return undefined;
  return parseDateTime(text) ?? 'unreadable';
}

function isBelow(value: Read, least: bigint): boolean {
  return typeof value === 'bigint' && value < least;
}

/** What is beyond exact numbers is beyond every log too. */
function countOf(value: Read): number | undefined {
  return typeof value === 'bigint' ? Number(value) : undefined;
}

/** As Go reads it: whatever is said and is not no. */
function flagOf(text: string | null): boolean {
  return text !== null && !['false', '0'].includes(text.toLowerCase());
}
