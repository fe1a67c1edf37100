/** The authorization attributes of a request, and the message if it is forbidden. */
import { quoted } from '../../base/text/index.ts';
import type { User } from './user.ts';

export type Attributes = ResourceAttributes | PathAttributes;

/** A request for a resource. Attributes that do not apply are empty. */
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
  /** Empty for all namespaces and for cluster-scoped resources. */
  readonly namespace: string;
  /** Empty for collections and creation. */
  readonly name: string;
};

/** A request for a non-resource path, such as `/healthz`. */
export type PathAttributes = {
  readonly kind: 'path';
  readonly user: User;
  /** The method in lower case. */
  readonly verb: string;
  readonly path: string;
};

/** The text after `pods "a" is forbidden: `, or after `forbidden: ` for a path. The reason comes from `authorize`. */
export function forbiddenText(attributes: Attributes, reason = ''): string {
  const text = harmless(actionText(attributes));
  return reason === '' ? text : `${text}: ${reason}`;
}

/** The resource with its subresource, as in rules: `pods/log`. */
export function combinedResource({ resource, subresource }: ResourceAttributes): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

/** Escaped, so that browsers do not interpret a message as HTML. */
export function harmless(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function actionText(attributes: Attributes): string {
  const { user, verb } = attributes;
  const who = `User ${quoted(user.name)} cannot ${verb}`;
  if (attributes.kind === 'path') return `${who} path ${quoted(attributes.path)}`;
  const { group, namespace } = attributes;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quoted(namespace)}`;
  return `${who} resource ${quoted(combinedResource(attributes))} in API group ${quoted(group)} ${where}`;
}
