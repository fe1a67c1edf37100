import { describe, expect, it } from 'vitest';
import { type LogQuery, parseLogQuery } from './log-query.ts';

const NOW_MS = 1_794_762_000_000;
const NOTHING: LogQuery = {
  isFollowed: false,
  isPrevious: false,
  hasTimes: false,
  since: undefined,
  tailLines: undefined,
  limitBytes: undefined,
};

describe('parseLogQuery', () => {
  it.each([
    'tailLines=x',
    'tailLines=1.5',
    'limitBytes=99999999999999999999',
    'sinceSeconds=1h',
    'sinceTime=yesterday',
    'sinceTime=2026-11-15',
  ])('rejects the malformed query %s', (query) => {
    expect(parseLogQuery(query, NOW_MS)).toEqual({
      kind: 'rejected',
      status: 400,
      text: '{"message": "Unable to decode query."}',
    });
  });

  it.each([
    'tailLines=-1',
    'limitBytes=0',
    'sinceSeconds=0',
    'sinceSeconds=1&sinceTime=2026-11-15T17:00:00Z',
  ])('rejects the invalid query %s', (query) => {
    expect(parseLogQuery(query, NOW_MS)).toEqual({
      kind: 'rejected',
      status: 422,
      text: '{"message": "Invalid request."}',
    });
  });

  it.each<readonly [string, Partial<LogQuery>]>([
    ['', {}],
    ['follow=false&previous=0&timestamps=FALSE&tailLines=&sinceTime=', {}],
    ['follow=true&previous=1&timestamps=', { isFollowed: true, isPrevious: true, hasTimes: true }],
    ['tailLines=0&limitBytes=1', { tailLines: 0, limitBytes: 1 }],
    ['tailLines=9223372036854775807', { tailLines: Number(2n ** 63n) }],
    ['sinceSeconds=60', { since: (1_794_762_000n - 60n) * 1_000_000_000n }],
    ['sinceSeconds=9223372036854775807', { since: (1_794_762_000n - (2n ** 63n - 1n)) * 1_000_000_000n }],
    ['sinceTime=2026-11-15T18:00:00.5%2B01:00', { since: 1_794_762_000_500_000_000n }],
  ])('parses %s', (query, logQuery) => {
    expect(parseLogQuery(query, NOW_MS)).toEqual({ kind: 'query', logQuery: { ...NOTHING, ...logQuery } });
  });
});
