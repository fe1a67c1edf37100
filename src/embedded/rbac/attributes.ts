/**
 * What a request asks for, as far as rights are concerned, and how the server says that it is refused.
 */
import { quoted } from '../../base/text/index.ts';
import type { User } from './user.ts';

export type Attributes = ResourceAttributes | PathAttributes;

/** A request for objects. Texts that do not apply are empty. */
export type ResourceAttributes = {
  readonly kind: 'resource';
  readonly user: User;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, or a special one. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** The plural. */
  readonly resource: string;
  readonly subresource: string;
  /** Empty for all namespaces, and for what has none. */
  readonly namespace: string;
  /** Empty for a collection, and for creation. */
  readonly name: string;
};

/** A request for a path that leads to no resource, such as `/healthz`. */
export type PathAttributes = {
  readonly kind: 'path';
  readonly user: User;
  /** The method in small letters. */
  readonly verb: string;
  readonly path: string;
};

/**
 * Why a request is forbidden: what stands behind `pods "a" is forbidden: `, or behind `forbidden: ` for a path. The
 * reason is that of `authorize`.
 */
export function forbiddenText(attributes: Attributes, reason = ''): string {
  const text = harmless(deedText(attributes));
  return reason === '' ? text : `${text}: ${reason}`;
}

/** The resource and its door, as rules name them: `pods/log`. */
export function combinedResource({ resource, subresource }: ResourceAttributes): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

/** So that no browser takes a message for a page. */
export function harmless(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function deedText(attributes: Attributes): string {
  const { user, verb } = attributes;
  const who = `User ${quoted(user.name)} cannot ${verb}`;
  if (attributes.kind === 'path') return `${who} path ${quoted(attributes.path)}`;
  const { group, namespace } = attributes;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quoted(namespace)}`;
  return `${who} resource ${quoted(combinedResource(attributes))} in API group ${quoted(group)} ${where}`;
}
