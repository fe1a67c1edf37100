import { describe, expect, it } from 'vitest';
import { aConfigMap, ago } from '../../../test/support/build-workloads.ts';
import { formatWrites } from '../../../test/support/format-writes.ts';
import type { AnyObject, ResourceOf } from '../../kubernetes/client/index.ts';
import type { OwnerReference } from '../../kubernetes/meta/index.ts';
import { configMap } from '../../kubernetes/types/index.ts';
import { decideGarbage, type OwnerState } from './decide-garbage.ts';

const resource: ResourceOf<AnyObject> = configMap;

function reference(name: string, blockOwnerDeletion = false): OwnerReference {
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid: `uid-${name}`, blockOwnerDeletion };
}

type Given = {
  readonly owners?: { readonly [name: string]: OwnerState };
  readonly dependents?: readonly AnyObject[];
  readonly finalizers?: readonly string[];
  readonly isTerminating?: boolean;
};

function decide({
  owners = {},
  dependents = [],
  finalizers = [],
  isTerminating = false,
}: Given): readonly string[] {
  const references = Object.keys(owners).map((name) => reference(name, true));
  const object = aConfigMap('it', {
    ...(references.length === 0 ? {} : { ownerReferences: references }),
    ...(finalizers.length === 0 ? {} : { finalizers }),
    ...(isTerminating ? { deletionTimestamp: ago(1) } : {}),
  });
  const writes = decideGarbage({
    resource,
    object,
    owners: Object.values(owners).map((state, index) => ({
      reference: references[index] ?? reference('none'),
      state,
    })),
    dependents: dependents.map((one) => ({ resource, object: one })),
  });
  return formatWrites(writes);
}

const child = aConfigMap('child', { ownerReferences: [reference('it', true), reference('other')] });
const looseChild = aConfigMap('loose', { ownerReferences: [reference('it')] });
const waitingChild = aConfigMap('waiting', {
  ownerReferences: [reference('it', true)],
  finalizers: ['foregroundDeletion'],
  deletionTimestamp: ago(1),
});

describe('decideGarbage for an object with owners', () => {
  it.each<[string, Given, readonly string[]]>([
    ['stays while all are there', { owners: { a: 'solid', b: 'solid' } }, []],
    [
      'goes when none is left',
      { owners: { a: 'dangling', b: 'dangling' } },
      ['delete configmaps/it Background'],
    ],
    ['goes when its owner waits for it', { owners: { a: 'waiting' } }, ['delete configmaps/it Background']],
    [
      'goes in the foreground when its owner waits and it owns something itself',
      { owners: { a: 'waiting' }, dependents: [looseChild] },
      ['delete configmaps/it Foreground'],
    ],
    ['stays where it cannot be known', { owners: { a: 'dangling', b: 'unknown' } }, []],
    [
      'forgets owners that are gone or go, while one is there',
      { owners: { a: 'solid', b: 'dangling', c: 'waiting' } },
      [`patch configmaps/it ${JSON.stringify({ ownerReferences: [reference('a', true)] })}`],
    ],
    [
      'goes as it was marked to go',
      { owners: { a: 'dangling' }, finalizers: ['orphan'] },
      ['delete configmaps/it Orphan'],
    ],
    [
      'goes in the foreground where it was marked so',
      { owners: { a: 'dangling' }, finalizers: ['foregroundDeletion'] },
      ['delete configmaps/it Foreground'],
    ],
    [
      'is not deleted twice',
      { owners: { a: 'dangling' }, isTerminating: true, finalizers: ['example.com/x'] },
      [],
    ],
    [
      'does not wait in a circle',
      { owners: { a: 'waiting' }, dependents: [waitingChild] },
      [
        `patch configmaps/it ${JSON.stringify({ ownerReferences: [reference('a', false)] })}`,
        'delete configmaps/it Foreground',
      ],
    ],
  ])('%s', (_, given, expected) => {
    expect(decide(given)).toEqual(expected);
  });
});

describe('decideGarbage for a terminating object', () => {
  it.each<[string, Given, readonly string[]]>([
    ['waits for what blocks it', { finalizers: ['foregroundDeletion'], dependents: [child] }, []],
    [
      'does not wait for what does not block it',
      { finalizers: ['example.com/x', 'foregroundDeletion'], dependents: [looseChild] },
      ['patch configmaps/it {"finalizers":["example.com/x"]}'],
    ],
    [
      'lets go of what it owns before it goes',
      { finalizers: ['orphan'], dependents: [child, looseChild] },
      [
        `patch configmaps/child ${JSON.stringify({ ownerReferences: [reference('other')] })}`,
        'patch configmaps/loose {"ownerReferences":null}',
        'patch configmaps/it {"finalizers":null}',
      ],
    ],
    ['is left alone by others', { finalizers: ['example.com/x'], dependents: [child] }, []],
  ])('%s', (_, given, expected) => {
    expect(decide({ ...given, isTerminating: true })).toEqual(expected);
  });

  it('may have the finalizers without being deleted', () => {
    expect(decide({ finalizers: ['orphan', 'foregroundDeletion'], dependents: [child] })).toEqual([]);
  });
});
