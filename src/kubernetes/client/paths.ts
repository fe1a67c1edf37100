/**
 * Where a resource and its objects are found.
 */
import { assert, Failure } from '../../base/errors.ts';
import type { AnyResource, Place } from './kube.ts';

type Named = Pick<AnyResource, 'group' | 'version' | 'plural' | 'scope'>;

/** All objects of a resource, or those of one namespace. */
export function collectionPath(resource: Named, namespace = ''): string {
  const { group, version, plural, scope } = resource;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  assert(namespace === '' || scope === 'Namespaced', `${plural} lie in no namespace`);
  return namespace === '' ? `${root}/${plural}` : `${root}/namespaces/${segment(namespace)}/${plural}`;
}

/** One object, or a further door of it. */
export function objectPath(resource: Named, { name, namespace = '' }: Place, subresource?: string): string {
  const { plural, scope } = resource;
  assert(namespace !== '' || scope === 'Cluster', `${plural} lie in namespaces, and none is said`);
  const path = `${collectionPath(resource, namespace)}/${segment(name)}`;
  return subresource === undefined ? path : `${path}/${segment(subresource)}`;
}

/**
 * A name as a part of a path. Names come from annotations and the like, where anybody may have written them: an empty
 * one would turn the deletion of an object into that of all of them, and dots would lead elsewhere.
 */
function segment(name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/%]/.test(name)) {
    throw new Failure('stalled', 'InvalidName', `${JSON.stringify(name)} is no name that an object can have`);
  }
  return encodeURIComponent(name);
}

/** `a=1&b=2`; what is undefined is left out. */
export function queryText(values: { readonly [name: string]: string | number | undefined }): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
}
