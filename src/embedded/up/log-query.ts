/** Parses the query of a log request like a kubelet. */
import { parseDateTime } from '../../base/text/index.ts';

export type LogQuery = {
  readonly isFollowed: boolean;
  readonly isPrevious: boolean;
  readonly hasTimes: boolean;
  /** Nanoseconds since the epoch; older lines are omitted. */
  readonly since: bigint | undefined;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
};

type ParsedQuery =
  | { readonly kind: 'query'; readonly logQuery: LogQuery }
  /** With the exact texts of a kubelet. */
  | { readonly kind: 'rejected'; readonly status: number; readonly text: string };

const MALFORMED: ParsedQuery = {
  kind: 'rejected',
  status: 400,
  text: '{"message": "Unable to decode query."}',
};
const INVALID: ParsedQuery = { kind: 'rejected', status: 422, text: '{"message": "Invalid request."}' };
const NANOS_PER_MS = 1_000_000n;
const MS_PER_SECOND = 1000n;

export function parseLogQuery(query: string, nowMs: number): ParsedQuery {
  const values = new URLSearchParams(query);
  const tailLines = integerOf(values.get('tailLines'));
  const limitBytes = integerOf(values.get('limitBytes'));
  const sinceSeconds = integerOf(values.get('sinceSeconds'));
  const sinceTime = timeOf(values.get('sinceTime'));
  const parsed = [tailLines, limitBytes, sinceSeconds, sinceTime];
  if (parsed.includes('malformed')) return MALFORMED;
  const isInvalid =
    isBelow(tailLines, 0n) ||
    isBelow(limitBytes, 1n) ||
    isBelow(sinceSeconds, 1n) ||
    (sinceSeconds !== undefined && sinceTime !== undefined);
  if (isInvalid) return INVALID;
  const age = typeof sinceSeconds === 'bigint' ? sinceSeconds * MS_PER_SECOND : undefined;
  const ago = age === undefined ? undefined : (BigInt(Math.floor(nowMs)) - age) * NANOS_PER_MS;
  return {
    kind: 'query',
    logQuery: {
      isFollowed: flagOf(values.get('follow')),
      isPrevious: flagOf(values.get('previous')),
      hasTimes: flagOf(values.get('timestamps')),
      since: typeof sinceTime === 'bigint' ? sinceTime : ago,
      tailLines: countOf(tailLines),
      limitBytes: countOf(limitBytes),
    },
  };
}

type Parsed = bigint | undefined | 'malformed';

const MAX_INT64 = 2n ** 63n - 1n;

function integerOf(text: string | null): Parsed {
  if (text === null || text === '') return undefined;
  if (!/^[+-]?\d{1,19}$/.test(text)) return 'malformed';
  const value = BigInt(text.replace('+', ''));
  return value > MAX_INT64 || value < -MAX_INT64 ? 'malformed' : value;
}

function timeOf(text: string | null): Parsed {
  if (text === null || text === '' || text === 'null') return undefined;
  return parseDateTime(text) ?? 'malformed';
}

function isBelow(value: Parsed, minimum: bigint): boolean {
  return typeof value === 'bigint' && value < minimum;
}

/** Numbers beyond 2^53 exceed every log, so precision does not matter. */
function countOf(value: Parsed): number | undefined {
  return typeof value === 'bigint' ? Number(value) : undefined;
}

/** Like the kubelet: any value except false and 0. */
function flagOf(text: string | null): boolean {
  return text !== null && !['false', '0'].includes(text.toLowerCase());
}
