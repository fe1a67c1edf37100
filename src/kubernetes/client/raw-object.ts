/**
 * An object as it is received. The server has validated it; only what this module relies on is checked here.
 */
import { isObject, own } from '../../base/json.ts';
import type { AnyObject } from './kube.ts';

export type RawObject = AnyObject & {
  readonly apiVersion: string;
  readonly kind: string;
};

type TypeOf = { readonly apiVersion: string; readonly kind: string };

/** Undefined where the value is not an API object. Items of a list have no type of their own: the list has it. */
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
  // Checked above as far as this module depends on it.
  return (isTyped ? value : { ...type, ...value }) as RawObject;
}

/** `namespace/name`, or the name alone. Neither contains a slash, so keys are unique. */
export function keyOf({
  name,
  namespace = '',
}: {
  readonly name: string;
  readonly namespace?: string;
}): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
