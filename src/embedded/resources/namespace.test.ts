/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import {
  causeText,
  created,
  someContext,
  statusUpdated,
  updated,
} from '../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../base/json.ts';
import { namespaceStrategy as strategy } from './namespace.ts';

const LABEL = 'kubernetes.io/metadata.name';
const NEITHER = 'name is neither a standard finalizer name nor is it fully qualified';
const namespace = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'n', ...metadata },
  spec,
});

function finalized(old: JsonObject, sent: JsonObject) {
  const [, subresource] = Object.entries(strategy.subresources).find(([name]) => name === 'finalize') ?? [];
  if (subresource === undefined) throw new Error('no finalize subresource');
  const object = subresource.prepareForUpdate(sent, old, someContext);
  return { object, causes: subresource.validateUpdate(object, old).map(causeText) };
}

describe('the strategy of Namespaces', () => {
  it('makes a new namespace active, with its name label and finalizer, whatever was sent', () => {
    const labels = { [LABEL]: 'other', a: 'b' };
    const sent = { ...namespace({ finalizers: ['x/y'] }, { labels }), status: { phase: 'Terminating' } };
    const { object, causes } = created(strategy, sent);
    expect(causes).toEqual([]);
    expect(object).toMatchObject({
      metadata: { labels: { [LABEL]: 'n', a: 'b' } },
      spec: { finalizers: ['x/y', 'kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  it('requires finalizers that are standard or qualified', () => {
    expect(created(strategy, namespace({ finalizers: ['foo'] })).causes).toEqual([
      `spec.finalizers FieldValueInvalid: Invalid value: "foo": ${NEITHER}`,
    ]);
  });

  it('keeps the name label and the finalizers on update', () => {
    const old = created(strategy, namespace()).object;
    for (const labels of [{}, { [LABEL]: 'other' }]) {
      const sent = namespace({ finalizers: ['a/b'] }, { labels });
      expect(updated(strategy, old, { ...sent, status: { phase: 'Terminating' } }).object).toMatchObject({
        metadata: { labels: { [LABEL]: 'n' } },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      });
    }
  });

  it('allows the Terminating phase only with a deletion timestamp', () => {
    const old = created(strategy, namespace()).object;
    const ended = { ...old, status: { phase: 'Terminating' } };
    expect(statusUpdated(strategy, old, ended).causes).toEqual([
      'status.Phase FieldValueInvalid: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ]);
    const going = { ...old, metadata: { name: 'n', deletionTimestamp: '2024-01-01T00:00:00Z' } };
    expect(statusUpdated(strategy, going, { ...going, status: { phase: 'Terminating' } }).causes).toEqual([]);
    expect(statusUpdated(strategy, going, going).causes).toEqual([
      'status.Phase FieldValueInvalid: Invalid value: "Active": may only be \'Terminating\' if `deletionTimestamp` is not empty',
    ]);
  });

  it('removes finalizers through the finalize subresource', () => {
    const old = created(strategy, namespace()).object;
    const emptied = finalized(old, { ...namespace({}), status: { phase: 'Terminating' } });
    expect(emptied).toMatchObject({ causes: [], object: { spec: {}, status: { phase: 'Active' } } });
    expect(finalized(old, namespace({ finalizers: ['foo'] })).causes).toEqual([
      `spec.finalizers[0] FieldValueInvalid: Invalid value: "foo": ${NEITHER}`,
    ]);
  });

  it('requires a DNS label as name', () => {
    expect(strategy.validateName('a.b', false)).toEqual(['must not contain dots']);
    expect(strategy.validateName('a-', true)).toEqual([]);
  });
});
