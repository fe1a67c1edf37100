import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { annotations } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { type DrainRecord, formatDrainRecord, parseDrainRecord } from './drain-record.ts';
import { isCordonedByUs } from './drain-state.ts';

const record: DrainRecord = {
  request: 'drain-rendered-worker-1',
  cordonedBy: 'millwright',
  beganMs: Date.UTC(2025, 4, 22, 14, 17, 58),
  attempts: 2,
  attemptBeganMs: Date.UTC(2025, 4, 22, 14, 20, 28),
};
const text = formatDrainRecord(record);

describe('an invalid record', () => {
  it.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['no object', '[]'],
    ['null', 'null'],
    ['missing fields', JSON.stringify({ request: 'drain-x' })],
    ['an unknown holder', text.replace('millwright', 'unknown')],
    ['a wrong time', text.replace('2025-05-22T14:17:58Z', 'noon')],
    ['a wrong count', text.replace('"attempts":2', '"attempts":-1')],
    ['deep nesting', '['.repeat(10_000)],
    ['endless text', `{"request":"${'x'.repeat(100_000)}"}`],
    ['a trap', '{"__proto__":{"request":"drain-x","cordonedBy":"millwright"}}'],
  ])('is ignored: %s', (_, given) => {
    expect(parseDrainRecord(given)).toBeUndefined();
  });

  it('does not mark the cordon as ours', () => {
    const aNode = (unschedulable: boolean, drain?: string): Node => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n', annotations: drain === undefined ? {} : { [annotations.drain]: drain } },
      spec: { unschedulable },
    });
    expect(
      [aNode(true, text), aNode(false, text), aNode(true, '{'), aNode(true)].map(isCordonedByUs),
    ).toEqual([true, false, false, false]);
  });
});

describe('a record', () => {
  it('is formatted as documented', () => {
    expect(
      JSON.parse(
        formatDrainRecord({
          ...record,
          retryAtMs: record.attemptBeganMs + 150_000,
          lastError: 'e',
          lastRefusal: { namespace: 'shop', pod: 'web-0', budget: 'web', message: 'm' },
        }),
      ),
    ).toEqual({
      request: 'drain-rendered-worker-1',
      cordonedBy: 'millwright',
      began: '2025-05-22T14:17:58Z',
      attempts: 2,
      attemptBegan: '2025-05-22T14:20:28Z',
      retryAt: '2025-05-22T14:22:58Z',
      lastRefusal: { namespace: 'shop', pod: 'web-0', budget: 'web', message: 'm' },
      lastError: 'e',
    });
  });

  it('survives formatting and parsing', () => {
    const moment = fc.integer({ min: 0, max: 4_000_000_000_000 });
    const records: fc.Arbitrary<DrainRecord> = fc.record(
      {
        request: fc.string(),
        cordonedBy: fc.constantFrom('millwright' as const, 'other' as const, 'nobody' as const),
        beganMs: moment,
        attempts: fc.nat(),
        attemptBeganMs: moment,
        retryAtMs: moment,
        isSkipped: fc.constant(true as const),
        lastRefusal: fc.record(
          { namespace: fc.string(), pod: fc.string(), budget: fc.string(), message: fc.string() },
          { requiredKeys: ['namespace', 'pod', 'message'] },
        ),
        lastError: fc.string(),
        cordonError: fc.record({
          verb: fc.constantFrom('cordon' as const, 'uncordon' as const),
          message: fc.string(),
        }),
      },
      { requiredKeys: ['request', 'cordonedBy', 'beganMs', 'attempts', 'attemptBeganMs'] },
    );
    fc.assert(
      fc.property(records, (one) => {
        expect(parseDrainRecord(formatDrainRecord(one))).toEqual(one);
      }),
    );
  });

  it('truncates long messages', () => {
    const long = formatDrainRecord({ ...record, lastError: 'x'.repeat(50_000) });
    expect(long.length).toBeLessThan(3000);
    expect(parseDrainRecord(long)?.lastError).toMatch(/^x{2000}…$/);
  });

  it.each([5, { verb: 'dance', message: 'm' }, { verb: 'cordon' }])(
    'does without an error of the cordon that makes no sense: %j',
    (cordonError) => {
      expect(parseDrainRecord(JSON.stringify({ ...JSON.parse(text), cordonError }))).toEqual(record);
    },
  );

  it.each(['{"lastRefusal":5}', '{"lastRefusal":{"pod":"p"}}'])(
    'does without a refusal that makes no sense: %s',
    (part) => {
      const { lastRefusal } = JSON.parse(part) as { lastRefusal: unknown };
      expect(parseDrainRecord(JSON.stringify({ ...JSON.parse(text), lastRefusal }))).toEqual(record);
    },
  );
});
