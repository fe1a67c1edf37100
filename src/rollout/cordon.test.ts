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

describe('a cordon', () => {
  it.each<[string, Node, DrainRecord | undefined, string]>([
    ['is ours if the record says so', heldBy(), ours, 'millwright'],
    ['is not ours without a record', heldBy(), undefined, 'other'],
    ['is not ours if it was there before', heldBy(), { ...ours, cordonedBy: 'other' }, 'other'],
    ['is not ours if somebody took ours away', heldBy(), { ...ours, cordonedBy: 'nobody' }, 'other'],
    ['is ours if the server saw nobody else set it', heldBy('drainer'), ours, 'millwright'],
    ['is ours if the record was lost', heldBy('drainer'), undefined, 'millwright'],
    ['is not ours if somebody renewed it', heldBy('kubectl-cordon'), ours, 'other'],
    ['is not ours alone if somebody holds it too', heldBy('drainer', 'argocd'), ours, 'other'],
  ])('%s', (_, node, record, expected) => {
    expect(cordonHolder(node, record, 'drainer')).toBe(expected);
  });

  it('is attributed by the record where the field manager is unknown', () => {
    expect(cordonHolder(heldBy('kubectl-cordon'), ours)).toBe('millwright');
  });
});
