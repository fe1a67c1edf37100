import { describe, expect, it } from 'vitest';
import type { Node } from '../kubernetes/types/index.ts';
import { cordonHolder } from './cordon.ts';
import type { DrainRecord } from './drain-record.ts';

const ours: DrainRecord = {
  request: 'drain-x',
  cordonedBy: 'millwright',
  beganMs: 0,
  attempts: 1,
  attemptBeganMs: 0,
};

/** A node on which each of these has set the cordon. */
const heldBy = (...managers: readonly string[]): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'n',
    managedFields: [
      { manager: 'kubelet', fieldsV1: { 'f:status': {} } },
      ...managers.map((manager) => ({ manager, fieldsV1: { 'f:spec': { 'f:unschedulable': {} } } })),
    ],
  },
  spec: { unschedulable: true },
});

describe('cordonHolder: a cordon', () => {
  it.each<[string, Node, DrainRecord | undefined, string]>([
    ['is ours by the drain record', heldBy(), ours, 'millwright'],
    ['is not ours without a record', heldBy(), undefined, 'other'],
    ['is not ours if it existed before the drain', heldBy(), { ...ours, cordonedBy: 'other' }, 'other'],
    ['is not ours after ours was removed', heldBy(), { ...ours, cordonedBy: 'nobody' }, 'other'],
    ['is ours if we are its only field manager', heldBy('drainer'), ours, 'millwright'],
    ['is ours if the record was lost', heldBy('drainer'), undefined, 'millwright'],
    ['is not ours if another client renewed it', heldBy('kubectl-cordon'), ours, 'other'],
    ['is not ours if another client manages it too', heldBy('drainer', 'argocd'), ours, 'other'],
  ])('%s', (_, node, record, expected) => {
    expect(cordonHolder(node, record, 'drainer')).toBe(expected);
  });

  it('is attributed by the record where the field manager is unknown', () => {
    expect(cordonHolder(heldBy('kubectl-cordon'), ours)).toBe('millwright');
  });
});
