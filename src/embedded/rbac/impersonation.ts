/**
 * Impersonation: the headers of `kubectl --as` and `--as-group`.
 *
 * Each impersonated attribute (name, groups, uid, extra) needs a permission of the real user.
 */
import { quoted } from '../../base/text/index.ts';
import { harmless, type ResourceAttributes } from './attributes.ts';
import { parseServiceAccountName, serviceAccountGroups, serviceAccountName } from './service-account.ts';
import { ANONYMOUS_NAME, asAuthenticated, UNAUTHENTICATED_GROUP, type User } from './user.ts';

/** Names in lower case. A repeated header is a list: commas within a value have no meaning. */
export type ImpersonationHeaders = { readonly [name: string]: string | readonly string[] | undefined };

type Impersonation =
  /** No impersonation. */
  | { readonly kind: 'none' }
  /** The permissions that the real user needs, in this order, and the impersonated user. */
  | { readonly kind: 'as'; readonly user: User; readonly checks: readonly ResourceAttributes[] }
  /** 500 in plain text. */
  | { readonly kind: 'failed'; readonly body: string };

/** `uri`: path and query, for the message. */
export function impersonation(headers: ImpersonationHeaders, realUser: User, uri: string): Impersonation {
  const fields = impersonatedFields(headers);
  if (fields.length === 0) return { kind: 'none' };
  const [first] = fields;
  if (first?.kind !== 'User' && first?.kind !== 'ServiceAccount') {
    const requests = fields.map(fieldText).join(' ');
    const message = `requested [${requests}] without impersonating a user`;
    return { kind: 'failed', body: harmless(`Internal Server Error: ${quoted(uri)}: ${message}\n`) };
  }
  return {
    kind: 'as',
    user: impersonated(fields),
    checks: fields.map((one) => checkOf(one, realUser)),
  };
}

/** One impersonated attribute, with the kind that kube-apiserver prints. */
type ImpersonatedField =
  | { readonly kind: 'User' | 'Group' | 'UID'; readonly name: string }
  | { readonly kind: 'ServiceAccount'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'UserExtra'; readonly name: string; readonly key: string };

const EXTRA_PREFIX = 'impersonate-extra-';

/** Of names and UIDs the first counts, unless it is empty; an empty group is a group. */
function impersonatedFields(headers: ImpersonationHeaders): readonly ImpersonatedField[] {
  const [name = ''] = valuesOf(headers['impersonate-user']);
  const [uid = ''] = valuesOf(headers['impersonate-uid']);
  const account = parseServiceAccountName(name);
  const extra = Object.keys(headers).filter((header) => header.startsWith(EXTRA_PREFIX));
  return [
    ...(account === undefined ? named('User', name) : [{ kind: 'ServiceAccount' as const, ...account }]),
    ...valuesOf(headers['impersonate-group']).map((group) => ({ kind: 'Group' as const, name: group })),
    ...extra.flatMap((header) => {
      const key = extraKey(header.slice(EXTRA_PREFIX.length));
      return valuesOf(headers[header]).map((value) => ({ kind: 'UserExtra' as const, name: value, key }));
    }),
    ...named('UID', uid),
  ];
}

function named(kind: 'User' | 'UID', name: string): readonly ImpersonatedField[] {
  return name === '' ? [] : [{ kind, name }];
}

function valuesOf(header: string | readonly string[] | undefined): readonly string[] {
  if (header === undefined) return [];
  return typeof header === 'string' ? [header] : header;
}

/** Characters that header names cannot contain are escaped. */
function extraKey(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}

function impersonated(fields: readonly ImpersonatedField[]): User {
  const namesOf = (kind: ImpersonatedField['kind']) =>
    fields.filter((one) => one.kind === kind).map(({ name }) => name);
  const [uid] = namesOf('UID');
  const named = namesOf('Group');
  const extra = extraOf(fields);
  const account = fields.find((one) => one.kind === 'ServiceAccount');
  // Explicit groups are complete; otherwise those of a service account are known.
  const groups =
    named.length === 0 && account !== undefined ? serviceAccountGroups(account.namespace) : named;
  return withOwnGroup({
    name: account === undefined ? (namesOf('User')[0] ?? '') : serviceAccountName(account),
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  });
}

function extraOf(fields: readonly ImpersonatedField[]): ReadonlyMap<string, readonly string[]> {
  const extra = new Map<string, string[]>();
  for (const one of fields) {
    if (one.kind !== 'UserExtra') continue;
    const values = extra.get(one.key);
    if (values === undefined) extra.set(one.key, [one.name]);
    else values.push(one.name);
  }
  return extra;
}

function withOwnGroup(user: User): User {
  if (user.name !== ANONYMOUS_NAME) return asAuthenticated(user);
  if (user.groups.includes(UNAUTHENTICATED_GROUP)) return user;
  return { ...user, groups: [...user.groups, UNAUTHENTICATED_GROUP] };
}

const AUTHENTICATION = { group: 'authentication.k8s.io', version: 'v1' } as const;
const CORE = { group: '', version: 'v1' } as const;

function checkOf(fields: ImpersonatedField, user: User): ResourceAttributes {
  const about = { kind: 'resource', user, verb: 'impersonate', subresource: '', namespace: '' } as const;
  const { name } = fields;
  switch (fields.kind) {
    case 'User':
      return { ...about, ...CORE, resource: 'users', name };
    case 'Group':
      return { ...about, ...CORE, resource: 'groups', name };
    case 'ServiceAccount':
      return { ...about, ...CORE, resource: 'serviceaccounts', namespace: fields.namespace, name };
    case 'UserExtra':
      return { ...about, ...AUTHENTICATION, resource: 'userextras', subresource: fields.key, name };
    case 'UID':
      return { ...about, ...AUTHENTICATION, resource: 'uids', name };
  }
}

/**
 * As Go prints an ObjectReference: kind, namespace, name, uid, version, resourceVersion and field, most of them
 * empty.
 */
function fieldText(fields: ImpersonatedField): string {
  switch (fields.kind) {
    case 'ServiceAccount':
      return `{${fields.kind} ${fields.namespace} ${fields.name}    }`;
    case 'UserExtra':
      return `{${fields.kind}  ${fields.name}  authentication.k8s.io/v1  ${fields.key}}`;
    case 'UID':
      return `{${fields.kind}  ${fields.name}  authentication.k8s.io/v1  }`;
    default:
      return `{${fields.kind}  ${fields.name}    }`;
  }
}
