/**
 * Manifests may leave the namespace to kubectl's context, as the bases of kustomize do: objects of namespaced kinds without one are taken to be
 * in `default`. Namespaces of ConfigMaps are those of the components, and already there.
 */
import { kinds } from '../../api/index.ts';
import type { SnapshotObject } from '../../insight/index.ts';
import { apiVersionOf } from '../../kubernetes/meta/index.ts';
import { daemonSet, pod, podDisruptionBudget } from '../../kubernetes/types/index.ts';

const NAMESPACED: ReadonlySet<string> = new Set(
  [...kinds, pod, podDisruptionBudget, daemonSet]
    .filter(({ scope }) => scope === 'Namespaced')
    .map((kind) => `${apiVersionOf(kind)} ${kind.kind}`),
);

export function inUsualNamespace(object: SnapshotObject): SnapshotObject {
  const { apiVersion, kind, metadata } = object;
  const hasOne = metadata.namespace !== undefined && metadata.namespace !== '';
  if (hasOne || !NAMESPACED.has(`${apiVersion} ${kind}`)) return object;
  return { ...object, metadata: { ...metadata, namespace: 'default' } };
}
