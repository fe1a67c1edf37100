/**
 * The paths of resources and objects.
 */
import { assert, Failure } from '../../base/errors.ts';
import type { AnyResource, ObjectKey } from './kube.ts';

type Named = Pick<AnyResource, 'group' | 'version' | 'plural' | 'scope'>;

/** Of all objects of a resource, or of one namespace. */
export function collectionPath(resource: Named, namespace = ''): string {
  const { group, version, plural, scope } = resource;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  assert(namespace === '' || scope === 'Namespaced', `${plural} lie in no namespace`);
  return namespace === '' ? `${root}/${plural}` : `${root}/namespaces/${segment(namespace)}/${plural}`;
}

/** Of one object, or a subresource of it. */
export function objectPath(
  resource: Named,
  { name, namespace = '' }: ObjectKey,
  subresource?: string,
): string {
  const { plural, scope } = resource;
  assert(namespace !== '' || scope === 'Cluster', `${plural} are namespaced, and no namespace is given`);
  const path = `${collectionPath(resource, namespace)}/${segment(name)}`;
  return subresource === undefined ? path : `${path}/${segment(subresource)}`;
}

/**
 * A name as a path segment. Names may come from annotations, which anyone can write: an empty one would turn the deletion of
 * an object into that of the collection, and dots would lead to another path.
 */
function segment(name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/%]/.test(name)) {
    throw new Failure('stalled', 'InvalidName', `${JSON.stringify(name)} is not a valid object name`);
  }
  return encodeURIComponent(name);
}

/** `a=1&b=2`; undefined values are omitted. */
export function queryText(values: { readonly [name: string]: string | number | undefined }): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
}
