import { expect, it } from 'vitest';
import type { SnapshotObject } from '../../insight/index.ts';
import { inUsualNamespace } from './usual-namespace.ts';

const anObject = (apiVersion: string, kind: string, namespace?: string): SnapshotObject => ({
  ...{ apiVersion, kind },
  metadata: { name: 'web', ...(namespace === undefined ? {} : { namespace }) },
});

it.each([
  ['a Pod without one', anObject('v1', 'Pod'), 'default'],
  ['a budget without one', anObject('policy/v1', 'PodDisruptionBudget'), 'default'],
  ['a budget with an empty one', anObject('policy/v1', 'PodDisruptionBudget', ''), 'default'],
  ['a Pod with one', anObject('v1', 'Pod', 'shop'), 'shop'],
  ['a Node', anObject('v1', 'Node'), undefined],
])('the namespace of %s', (_, object, namespace) => {
  expect(inUsualNamespace(object).metadata.namespace).toBe(namespace);
});
