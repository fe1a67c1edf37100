/**
 * The owner reference of an object to the one that controls it: it is garbage collected with its owner, whose deletion waits for it.
 */
import { type AnyKind, apiVersionOf } from './kind.ts';
import type { ObjectMeta, OwnerReference } from './object-meta.ts';

export function controllerReference(
  kind: Pick<AnyKind, 'group' | 'version' | 'kind'>,
  { name, uid = '' }: ObjectMeta,
): OwnerReference {
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}
