import { describe, expect, it } from 'vitest';
import { aMachineConfig, aPool } from '../../test/support/build.ts';
import { annotations, type MachineConfig } from '../api/index.ts';
import type { LabelSelector } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { relabellingOf } from './booted-pool.ts';

const aNode = (given: { readonly [key: string]: string }): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', annotations: given },
  spec: {},
});
const booted = { [annotations.firstPivotConfig]: 'rendered-gpu-1' };

function ownedBy(pool: string): MachineConfig {
  const config = aMachineConfig('rendered-gpu-1');
  const owner = {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigPool',
    name: pool,
    uid: 'u',
  };
  return { ...config, metadata: { ...config.metadata, ownerReferences: [owner] } };
}

type Case = {
  readonly given?: { readonly [key: string]: string };
  readonly config?: MachineConfig;
  readonly selector?: LabelSelector;
};

function labelsFor({
  given = booted,
  config = ownedBy('gpu'),
  selector = { matchLabels: { gpu: '' } },
}: Case) {
  return relabellingOf(aNode(given), {
    machineConfig: (name) => (name === config.metadata.name ? config : undefined),
    pool: (name) => (name === 'gpu' ? aPool('gpu', { nodeSelector: selector }) : undefined),
  });
}

it('a node whose first configuration was pruned gets the labels of the pool in its name', () => {
  const hash = '0123456789abcdef0123456789abcdef';
  const of = (name: string) => labelsFor({ given: { [annotations.firstPivotConfig]: name } });
  expect(of(`rendered-gpu-${hash}`)).toMatchObject({ pool: 'gpu', labels: { gpu: '' } });
  expect(of(`rendered-worker-${hash}`)).toBeUndefined();
  expect(of(`rendered-gone-${hash}`)).toBeUndefined();
  expect(of('gpu')).toBeUndefined();
});

describe('a node is not relabelled', () => {
  it.each<[string, Case]>([
    ['if its first configuration is unknown', { given: {} }],
    ['if its first configuration is gone', { config: aMachineConfig('rendered-gpu-2') }],
    ['if its first configuration has no owner', { config: aMachineConfig('rendered-gpu-1') }],
    ['if it was installed as a worker', { config: ownedBy('worker') }],
    ['if it was installed as control plane', { config: ownedBy('master') }],
    ['if its pool is gone', { config: ownedBy('other') }],
    [
      'if its labels were already applied',
      { given: { ...booted, [annotations.customPoolLabelsApplied]: '' } },
    ],
    [
      'if the pool selects by the absence of a label',
      { selector: { matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] } },
    ],
    [
      'if the pool selects one of several values',
      { selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['1', '2'] }] } },
    ],
  ])('%s', (_, given) => {
    expect(labelsFor(given)).toBeUndefined();
  });
});

describe('a node that was installed for a custom pool', () => {
  it('gets the labels of that pool once', () => {
    expect(labelsFor({})).toEqual({
      node: 'n',
      pool: 'gpu',
      labels: { gpu: '' },
      annotations: { [annotations.customPoolLabelsApplied]: '' },
    });
  });

  it.each<[string, LabelSelector, { readonly [key: string]: string }]>([
    ['one value', { matchExpressions: [{ key: 'a', operator: 'In', values: ['1'] }] }, { a: '1' }],
    ['presence', { matchExpressions: [{ key: 'a', operator: 'Exists' }] }, { a: '' }],
    ...(['In', 'Exists'] as const).map(
      (first): [string, LabelSelector, { readonly [key: string]: string }] => {
        const expressions = [
          { key: 'a', operator: 'In', values: ['1'] },
          { key: 'a', operator: 'Exists' },
        ] as const;
        const matchExpressions = first === 'In' ? expressions : expressions.toReversed();
        return [`the value where one key has both, ${first} first`, { matchExpressions }, { a: '1' }];
      },
    ),
    [
      'labels before expressions',
      {
        matchLabels: { a: '2' },
        matchExpressions: [
          { key: 'a', operator: 'Exists' },
          { key: 'b', operator: 'Exists' },
        ],
      },
      { a: '2', b: '' },
    ],
  ])('gets the labels of the selector: %s', (_, selector, labels) => {
    expect(labelsFor({ selector })?.labels).toEqual(labels);
  });
});
