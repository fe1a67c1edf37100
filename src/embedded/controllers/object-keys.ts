/**
 * Work queue keys: `namespace/name`, or the name alone for cluster-scoped objects.
 */
import type { AnyObject, ObjectKey } from '../../kubernetes/client/index.ts';

export function keyOf({ metadata: { name, namespace } }: AnyObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

export function objectKeyOf(key: string): ObjectKey {
  const [first = '', second] = key.split('/');
  return second === undefined ? { name: first } : { namespace: first, name: second };
}

export function keyOfObject({ metadata: { name, namespace } }: AnyObject): ObjectKey {
  return namespace === undefined ? { name } : { namespace, name };
}
