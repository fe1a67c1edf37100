import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import { podPrinter } from './print-pods.ts';

/** Address, node, nominated node and readiness gates. */
const wideOf = (pod: JsonObject) => podPrinter.row(pod, 0).cells.slice(5);

// Recorded from kube-apiserver 1.33.
describe('the wide row of a pod', () => {
  it.each<[string, JsonObject, readonly Json[]]>([
    ['nowhere', {}, ['<none>', '<none>', '<none>', '<none>']],
    [
      'on a node',
      { spec: { nodeName: 'n' }, status: { podIPs: [{ ip: '10.0.0.2' }, { ip: 'fd00::2' }] } },
      ['10.0.0.2', 'n', '<none>', '<none>'],
    ],
    [
      'with podIP',
      { status: { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.2' }] } },
      ['10.0.0.1', '<none>', '<none>', '<none>'],
    ],
    [
      'with readiness gates',
      {
        spec: { readinessGates: [{ conditionType: 'x' }, { conditionType: 'y' }, { conditionType: 'z' }] },
        status: {
          nominatedNodeName: 'nn',
          conditions: [
            { type: 'x', status: 'True' },
            { type: 'y', status: 'False' },
          ],
        },
      },
      ['<none>', '<none>', 'nn', '1/3'],
    ],
  ])('%s', (_, pod, cells) => {
    expect(wideOf(pod)).toEqual(cells);
  });
});

describe('the row of a pod', () => {
  it.each([
    ['Succeeded', 'The pod has completed successfully.'],
    ['Failed', 'The pod failed.'],
  ])('has a condition once it has %s', (phase, message) => {
    expect(podPrinter.row({ status: { phase } }, 0).conditions).toEqual([
      { type: 'Completed', status: 'True', reason: phase, message },
    ]);
  });

  it('has no condition before', () => {
    expect(podPrinter.row({ status: { phase: 'Running' } }, 0)).not.toHaveProperty('conditions');
  });
});
