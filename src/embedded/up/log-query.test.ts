import { describe, expect, it } from 'vitest';
import { type LogWish, readLogQuery } from './log-query.ts';

const NOW_MS = 1_794_762_000_000;
const NOTHING: LogWish = {
  isFollowed: false,
  isPrevious: false,
  hasTimes: false,
  since: undefined,
  tailLines: undefined,
  limitBytes: undefined,
};

describe('the query for a log', () => {
  it.each([
    'tailLines=x',
    'tailLines=1.5',
    'limitBytes=99999999999999999999',
    'sinceSeconds=1h',
    'sinceTime=yesterday',
    'sinceTime=2026-11-15',
  ])('cannot be read: %s', (query) => {
    expect(readLogQuery(query, NOW_MS)).toEqual({
      ...{ kind: 'refused', status: 400, text: '{"message": "Unable to decode query."}' },
    });
  });

  it.each([
    'tailLines=-1',
    'limitBytes=0',
    'sinceSeconds=0',
    'sinceSeconds=1&sinceTime=2026-11-15T17:00:00Z',
  ])('means nothing: %s', (query) => {
    expect(readLogQuery(query, NOW_MS)).toEqual({
      ...{ kind: 'refused', status: 422, text: '{"message": "Invalid request."}' },
    });
  });

  it.each<readonly [string, Partial<LogWish>]>([
    ['', {}],
    ['follow=false&previous=0&timestamps=FALSE&tailLines=&sinceTime=', {}],
    ['follow=true&previous=1&timestamps=', { isFollowed: true, isPrevious: true, hasTimes: true }],
    ['tailLines=0&limitBytes=1', { tailLines: 0, limitBytes: 1 }],
    ['tailLines=9223372036854775807', { tailLines: Number(2n ** 63n) }],
    ['sinceSeconds=60', { since: (1_794_762_000n - 60n) * 1_000_000_000n }],
    ['sinceSeconds=9223372036854775807', { since: (1_794_762_000n - (2n ** 63n - 1n)) * 1_000_000_000n }],
    ['sinceTime=2026-11-15T18:00:00.5%2B01:00', { since: 1_794_762_000_500_000_000n }],
  ])('is read: %s', (query, wish) => {
    expect(readLogQuery(query, NOW_MS)).toEqual({ kind: 'wish', wish: { ...NOTHING, ...wish } });
  });
});
