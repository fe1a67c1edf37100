/**
 * Objects written into the store of a simulated cluster as they are: with their age, which decides about the order of nodes, and without the
 * checks of the API server, which the real one has made.
 */
import { kinds } from '../../api/index.ts';
import { assert } from '../../base/errors.ts';
import type { Store } from '../../embedded/apiserver/index.ts';
import { apiVersionOf } from '../../kubernetes/meta/index.ts';
import {
  configMap,
  daemonSet,
  namespace as namespaceKind,
  node,
  pod,
  podDisruptionBudget,
  replicaSet,
  serviceAccount,
} from '../../kubernetes/types/index.ts';

/** Kinds that a simulated cluster can be filled with. */
const KINDS = [
  ...kinds,
  ...[configMap, daemonSet, namespaceKind, node, pod, podDisruptionBudget, replicaSet, serviceAccount],
] as const;

type StoredKind = (typeof KINDS)[number];

type StoredObject = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
};

const encoder = new TextEncoder();

export async function storeObjects(store: Store, objects: readonly StoredObject[]): Promise<void> {
  for (const object of objects) {
    const { apiVersion: _, kind: _kind, metadata, ...rest } = object;
    // Metadata stand in front, as the server stores them.
    const value = encoder.encode(JSON.stringify({ metadata, ...rest }));
    const written = await store.commit([{ kind: 'put', key: keyOf(object), expect: 'any', value }]);
    assert(written.kind === 'committed', 'what is written regardless of its version is written');
  }
}

/** Undefined for kinds that no simulation knows. */
export function kindOf(object: Pick<StoredObject, 'apiVersion' | 'kind'>): StoredKind | undefined {
  return KINDS.find((kind) => kind.kind === object.kind && apiVersionOf(kind) === object.apiVersion);
}

function keyOf(object: StoredObject): string {
  const kind = kindOf(object);
  assert(kind !== undefined, `${object.apiVersion} ${object.kind} is a kind that can be stored`);
  const { name, namespace = '' } = object.metadata;
  const place = kind.scope === 'Namespaced' ? `${namespace}/` : '';
  return `${kind.group}/${kind.plural}/${place}${name}`;
}
