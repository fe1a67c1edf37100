import { describe, expect, it } from 'vitest';
import { ago, aPod, aReplicaSet, ownedBy } from '../../../../test/support/build-workloads.ts';
import { formatWrites } from '../../../../test/support/format-writes.ts';
import { pod, replicaSet } from '../../../kubernetes/types/index.ts';
import { claim, claimWrites, controllerReference } from './ownership.ts';

const set = aReplicaSet();
const reference = ownedBy(set);
const selector = { matchLabels: { app: 'web' } };
const mine = aPod('mine', {}, { ownerReferences: [reference] });
const strayed = aPod('strayed', {}, { ownerReferences: [reference], labels: { app: 'other' } });
const orphan = aPod('orphan');
const others = aPod('others', {}, { ownerReferences: [{ ...reference, uid: 'uid-other' }] });
const names = (objects: readonly { readonly metadata: { readonly name: string } }[]) =>
  objects.map(({ metadata }) => metadata.name);

describe('a claim', () => {
  it('keeps matching objects, adopts matching orphans, and releases others', () => {
    const claimed = claim(set, selector, [mine, strayed, orphan, others, aPod('x', {}, { labels: {} })]);
    expect(names(claimed.owned)).toEqual(['mine', 'orphan']);
    expect(names(claimed.adopt)).toEqual(['orphan']);
    expect(names(claimed.release)).toEqual(['strayed']);
  });

  it('adopts and releases nothing for a terminating owner', () => {
    const ending = aReplicaSet('web', {}, { deletionTimestamp: ago(1) });
    expect(claim(ending, selector, [mine, strayed, orphan])).toEqual({
      owned: [mine],
      adopt: [],
      release: [],
    });
  });

  it('adopts nothing that is terminating or in another namespace', () => {
    const claimed = claim(set, selector, [
      aPod('a', { leaves: true }),
      aPod('b', {}, { namespace: 'other' }),
    ]);
    expect(claimed.adopt).toEqual([]);
  });
});

describe('what a claim writes', () => {
  it('keeps other owners', () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'uid-x' };
    const owned = aPod('a', {}, { ownerReferences: [other, reference], labels: { app: 'other' } });
    const writes = claimWrites(pod, claim(set, selector, [owned]), controllerReference(replicaSet, set));
    expect(formatWrites(writes)).toEqual([`patch pods/a ${JSON.stringify({ ownerReferences: [other] })}`]);
  });

  it('adds a finalizer on adoption and removes it on release', () => {
    const tracked = aPod('b', {}, { ownerReferences: [reference], labels: {}, finalizers: ['x', 'track'] });
    const writes = claimWrites(pod, claim(set, selector, [orphan, tracked]), reference, 'track');
    expect(formatWrites(writes)).toEqual([
      `patch pods/orphan ${JSON.stringify({ ownerReferences: [reference], finalizers: ['track'] })}`,
      `patch pods/b ${JSON.stringify({ ownerReferences: null, finalizers: ['x'] })}`,
    ]);
  });
});
