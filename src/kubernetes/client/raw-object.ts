/**
 * An object as it comes off the wire. The server has held it to its schema; here is checked only what this module itself
 * relies on.
 */
import { isObject, own } from '../../base/json.ts';
import type { AnyObject } from './kube.ts';

export type RawObject = AnyObject & {
  readonly apiVersion: string;
  readonly kind: string;
};

type TypeOf = { readonly apiVersion: string; readonly kind: string };

/** Undefined where the value is no object of the API. Items of a list do not say what they are: the list does. */
export function rawObject(value: unknown, type: TypeOf): RawObject | undefined {
  if (!isObject(value)) return undefined;
  const metadata = own(value, 'metadata');
  if (!isObject(metadata)) return undefined;
  const name = own(metadata, 'name');
  const namespace = own(metadata, 'namespace') ?? '';
  const version = own(metadata, 'resourceVersion') ?? '';
  if (typeof name !== 'string' || name === '') return undefined;
  if (typeof namespace !== 'string' || typeof version !== 'string') return undefined;
  const isTyped = typeof own(value, 'apiVersion') === 'string' && typeof own(value, 'kind') === 'string';
  // Checked above, as far as anything here depends on it.
  return (isTyped ? value : { ...type, ...value }) as RawObject;
}

/** `namespace/name`, or the name alone. Neither holds a slash, so two objects never share one. */
export function keyOf({
  name,
  namespace = '',
}: {
  readonly name: string;
  readonly namespace?: string;
}): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
