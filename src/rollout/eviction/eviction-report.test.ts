import { describe, expect, it } from 'vitest';
import { annotations } from '../../api/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { type DrainRecord, type DrainRefusal, formatDrainRecord, parseDrainRecord } from '../drain-record.ts';
import { evictionReport } from './eviction-report.ts';

const record: DrainRecord = {
  request: 'drain-v1',
  cordonedBy: 'millwright',
  beganMs: 0,
  attempts: 1,
  attemptBeganMs: 0,
};
const NOW = 100_000;
const refusal = (pod: string, message = 'no'): DrainRefusal => ({
  namespace: 'shop',
  pod,
  budget: 'web',
  message,
});

function aNode(of: DrainRecord | undefined, asked = 'drain-v1'): Node {
  const drain = of === undefined ? {} : { [annotations.drain]: formatDrainRecord(of) };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', annotations: { [annotations.desiredDrain]: asked, ...drain } },
    spec: { unschedulable: true },
  };
}

/** The refusal that would be written, whether nothing would, and the texts of events. */
function report(node: Node, refusals: readonly DrainRefusal[], nowMs = NOW) {
  const given = evictionReport(node, { refusals, nowMs, settings: { blockedAfterMs: 5_000 } });
  if (given === undefined) return undefined;
  const written = parseDrainRecord(given.change.annotations[annotations.drain] ?? '');
  return {
    refused: written?.lastRefusal,
    sinceMs: written?.refusedSinceMs,
    rest: written?.attempts,
    events: given.events.map(({ message }) => message),
  };
}

describe('a refused eviction', () => {
  const BLOCKED = "Cannot evict pod as it would violate the pod's disruption budget.";
  const lasting = { ...record, lastRefusal: refusal('web-0', BLOCKED), refusedSinceMs: NOW };

  it('is recorded at once, with pod and disruption budget, and without a warning', () => {
    expect(report(aNode(record), [refusal('web-0', BLOCKED)])).toEqual({
      refused: refusal('web-0', BLOCKED),
      sinceMs: NOW,
      rest: 1,
      events: [],
    });
  });

  it('causes a warning once it has lasted for a few seconds', () => {
    expect(report(aNode(lasting), [refusal('web-0', BLOCKED)], NOW + 4_999)).toBeUndefined();
    expect(report(aNode(lasting), [refusal('web-0', BLOCKED)], NOW + 5_000)).toEqual({
      refused: refusal('web-0', BLOCKED),
      sinceMs: NOW,
      rest: 1,
      events: [
        'node n: the drain is blocked: error when evicting pods/"web-0" -n "shop": disruption budget web: Cannot evict pod as it would violate the pod\'s disruption budget.',
      ],
    });
    const warned = { ...lasting, isRefusalWarned: true } as const;
    expect(report(aNode(warned), [refusal('web-0', BLOCKED)], NOW + 60_000)).toBeUndefined();
  });

  it('causes a warning if the clock has been set back since', () => {
    expect(report(aNode(lasting), [refusal('web-0', BLOCKED)], NOW - 1)?.events).toHaveLength(1);
  });

  it('is reported without a budget where none blocked it', () => {
    const broken: DrainRefusal = {
      namespace: 'shop',
      pod: 'web-0',
      message: 'This pod has more than one PodDisruptionBudget',
    };
    const reported = { ...record, lastRefusal: broken, refusedSinceMs: NOW - 5_000 };
    expect(report(aNode(reported), [broken])?.events[0]).toContain('-n "shop": This pod has more than one');
  });

  it('is not recorded again while it persists', () => {
    expect(
      report(aNode({ ...record, lastRefusal: refusal('b') }), [refusal('a'), refusal('b')]),
    ).toBeUndefined();
    const long = refusal('a', 'x'.repeat(9000));
    expect(report(aNode({ ...record, lastRefusal: long }), [long])).toBeUndefined();
  });

  it('is recorded for the first pod by name', () => {
    expect(report(aNode(record), [refusal('c'), refusal('b')])?.refused).toEqual(refusal('b'));
  });

  it('is reported again if the message of the server changes', () => {
    const reported = { ...lasting, isRefusalWarned: true, lastRefusal: refusal('a', 'no') } as const;
    const again = report(aNode(reported), [refusal('a', 'still not')], NOW + 60_000);
    expect([again?.refused, again?.events.length]).toEqual([refusal('a', 'still not'), 1]);
  });

  it('stays reported while its pod exists, also in rounds that do not evict it', () => {
    const reported = { ...record, lastRefusal: refusal('x') };
    expect(report(aNode(reported), [refusal('a')])).toBeUndefined();
    expect(report(aNode(reported), [])).toBeUndefined();
  });

  it.each<[string, Node]>([
    ['there is no record', aNode(undefined)],
    ['the record is of another request', aNode(record, 'uncordon-v1')],
  ])('is not reported if %s', (_, node) => {
    expect(report(node, [refusal('a')])).toBeUndefined();
  });
});
