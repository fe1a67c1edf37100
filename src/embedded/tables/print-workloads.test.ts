import { describe, expect, it } from 'vitest';
import type { Json } from '../../base/json.ts';
import { parseTimestamp } from '../../base/text/timestamps.ts';
import {
  daemonSetPrinter,
  deploymentPrinter,
  jobPrinter,
  podDisruptionBudgetPrinter,
  replicaSetPrinter,
} from './print-workloads.ts';

const nowMs = parseTimestamp('2026-01-01T00:00:00Z') ?? 0;
const metadata = { name: 'a', creationTimestamp: '2025-12-31T23:59:00Z' };
const containers = [
  { name: 'main', image: 'main:1' },
  { name: 'more', image: 'more:2' },
];

type Fields = { readonly [name: string]: Json };

// Recorded from kube-apiserver 1.33.
describe('the row of a workload', () => {
  const selector = {
    matchLabels: { tier: 'b', app: 'a' },
    matchExpressions: [
      { key: 'zz', operator: 'DoesNotExist' },
      { key: 'app', operator: 'In', values: ['b', 'a'] },
    ],
  };

  it('has desired and actual numbers of pods', () => {
    const template = { spec: { containers, nodeSelector: { b: 'x', a: '' } } };
    const wide = ['main,more', 'main:1,more:2', 'app=a,app in (a,b),tier=b,!zz'];
    const replicas = {
      metadata,
      spec: { replicas: 4, selector, template },
      status: { replicas: 3, readyReplicas: 1, updatedReplicas: 2, availableReplicas: 5 },
    };
    expect(deploymentPrinter.row(replicas, nowMs).cells).toEqual(['a', '1/4', 2, 5, '60s', ...wide]);
    expect(replicaSetPrinter.row(replicas, nowMs).cells).toEqual(['a', 4, 3, 1, '60s', ...wide]);
    const status = {
      desiredNumberScheduled: 5,
      currentNumberScheduled: 4,
      numberReady: 3,
      updatedNumberScheduled: 2,
      numberAvailable: 1,
    };
    const cells = daemonSetPrinter.row({ metadata, spec: { selector, template }, status }, nowMs).cells;
    expect(cells).toEqual(['a', 5, 4, 3, 2, 1, 'a=,b=x', '60s', ...wide]);
  });

  it.each<[string, Json, string, string]>([
    ['missing', null, '', '<none>'],
    ['empty', {}, '', '<none>'],
    ['wrong', { matchExpressions: [{ key: 'a', operator: 'Like' }] }, '<invalid>', '<error>'],
  ])('has a selector that is %s', (_, wrong, ofDeployment, ofReplicaSet) => {
    const object = { spec: { selector: wrong } };
    expect(deploymentPrinter.row(object, nowMs).cells.at(-1)).toBe(ofDeployment);
    expect(replicaSetPrinter.row(object, nowMs).cells.at(-1)).toBe(ofReplicaSet);
  });
});

describe('the row of a job', () => {
  const startTime = '2025-12-31T23:50:00Z';
  const is = (...types: readonly string[]) => types.map((type) => ({ type, status: 'True' }));

  it.each<[string, { readonly [part: string]: Fields }, readonly [string, string, string]]>([
    ['new', {}, ['Running', '0/1', '']],
    ['running', { spec: { completions: 5 }, status: { startTime, succeeded: 1 } }, ['Running', '1/5', '10m']],
    ['one of several at a time', { spec: { parallelism: 3 } }, ['Running', '0/1 of 3', '']],
    ['one at a time', { spec: { parallelism: 1 } }, ['Running', '0/1', '']],
    [
      'done',
      { status: { startTime, completionTime: '2025-12-31T23:52:30Z', conditions: is('Complete') } },
      ['Complete', '0/1', '2m30s'],
    ],
    [
      'failed',
      { status: { startTime, conditions: is('FailureTarget', 'Failed') } },
      ['Failed', '0/1', '10m'],
    ],
    ['failing', { status: { conditions: is('FailureTarget') } }, ['FailureTarget', '0/1', '']],
    ['suspended', { status: { conditions: is('Suspended') } }, ['Suspended', '0/1', '']],
    ['resumed', { status: { conditions: [{ type: 'Suspended', status: 'False' }] } }, ['Running', '0/1', '']],
    [
      'going',
      { metadata: { deletionTimestamp: startTime }, status: { conditions: is('Suspended') } },
      ['Terminating', '0/1', ''],
    ],
    [
      'deleted after completion',
      { metadata: { deletionTimestamp: startTime }, status: { conditions: is('Complete') } },
      ['Complete', '0/1', ''],
    ],
  ])('that is %s', (_, object, cells) => {
    expect(jobPrinter.row(object, nowMs).cells.slice(1, 4)).toEqual(cells);
  });
});

describe('the row of a PodDisruptionBudget', () => {
  it.each<[Fields, readonly Json[]]>([
    [{ minAvailable: '50%' }, ['50%', 'N/A', 2]],
    [{ maxUnavailable: 0 }, ['N/A', '0', 2]],
    [{}, ['N/A', 'N/A', 2]],
  ])('with %j', (spec, cells) => {
    const object = { metadata, spec, status: { disruptionsAllowed: 2 } };
    expect(podDisruptionBudgetPrinter.row(object, nowMs).cells).toEqual(['a', ...cells, '60s']);
  });
});
