import { describe, expect, it } from 'vitest';
import { annotations } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { type DrainRecord, type DrainRefusal, formatDrainRecord, parseDrainRecord } from './drain-record.ts';
import { evictionReport } from './eviction-report.ts';

const record: DrainRecord = {
  request: 'drain-v1',
  cordonedBy: 'millwright',
  beganMs: 0,
  attempts: 1,
  attemptBeganMs: 0,
};
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
function report(node: Node, refusals: readonly DrainRefusal[]) {
  const given = evictionReport(node, refusals);
  if (given === undefined) return undefined;
  const written = parseDrainRecord(given.change.annotations[annotations.drain] ?? '');
  return {
    refused: written?.lastRefusal,
    rest: written?.attempts,
    events: given.events.map(({ message }) => message),
  };
}

describe('a refused eviction', () => {
  it('is reported at once, with pod and disruption budget', () => {
    expect(
      report(aNode(record), [
        refusal('web-0', "Cannot evict pod as it would violate the pod's disruption budget."),
      ]),
    ).toEqual({
      refused: refusal('web-0', "Cannot evict pod as it would violate the pod's disruption budget."),
      rest: 1,
      events: [
        'node n: the drain is blocked: error when evicting pods/"web-0" -n "shop": disruption budget web: Cannot evict pod as it would violate the pod\'s disruption budget.',
      ],
    });
  });

  it('is reported without a budget where none blocked it', () => {
    const broken: DrainRefusal = {
      namespace: 'shop',
      pod: 'web-0',
      message: 'This pod has more than one PodDisruptionBudget',
    };
    expect(report(aNode(record), [broken])?.events[0]).toContain('-n "shop": This pod has more than one');
  });

  it('is not reported again while it persists', () => {
    expect(
      report(aNode({ ...record, lastRefusal: refusal('b') }), [refusal('a'), refusal('b')]),
    ).toBeUndefined();
    const long = refusal('a', 'x'.repeat(9000));
    expect(report(aNode({ ...record, lastRefusal: long }), [long])).toBeUndefined();
  });

  it('is reported for the first pod by name', () => {
    expect(report(aNode(record), [refusal('c'), refusal('b')])?.refused).toEqual(refusal('b'));
  });

  it('is reported again if the message of the server changes', () => {
    const reported = { ...record, lastRefusal: refusal('a', 'no') };
    expect(report(aNode(reported), [refusal('a', 'still not')])?.refused).toEqual(refusal('a', 'still not'));
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
