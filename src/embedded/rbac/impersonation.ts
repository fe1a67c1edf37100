/**
 * Acting as somebody else: the headers behind `kubectl --as` and `--as-group`.
 *
 * Everything that is taken on (name, groups, uid, extra values) is a right of its own, which the real user must have.
 */
import { quoted } from '../../base/text/index.ts';
import { harmless, type ResourceAttributes } from './attributes.ts';
import { parseServiceAccountName, serviceAccountGroups, serviceAccountName } from './service-account.ts';
import { ANONYMOUS_NAME, asAuthenticated, UNAUTHENTICATED_GROUP, type User } from './user.ts';

/** Names in lower case. A header that came more than once is a list: commas within a value mean nothing. */
export type ImpersonationHeaders = { readonly [name: string]: string | readonly string[] | undefined };

type Impersonation =
  /** Nobody is impersonated. */
  | { readonly kind: 'none' }
  /** What the real user must be allowed, in this order, and who he is then. */
  | { readonly kind: 'as'; readonly user: User; readonly checks: readonly ResourceAttributes[] }
  /** A 500 in plain text. */
  | { readonly kind: 'failed'; readonly body: string };

/** `uri`: path and query as they came, for the message. */
export function impersonation(headers: ImpersonationHeaders, realUser: User, uri: string): Impersonation {
  const taken = takenOn(headers);
  if (taken.length === 0) return { kind: 'none' };
  const [first] = taken;
  if (first?.kind !== 'User' && first?.kind !== 'ServiceAccount') {
    const requests = taken.map(takenText).join(' ');
    const message = `requested [${requests}] without impersonating a user`;
    return { kind: 'failed', body: harmless(`Internal Server Error: ${quoted(uri)}: ${message}\n`) };
  }
  return {
    kind: 'as',
    user: impersonated(taken),
    checks: taken.map((one) => checkOf(one, realUser)),
  };
}

/** One thing that is taken on. The kinds are those that the server prints. */
type Taken =
  | { readonly kind: 'User' | 'Group' | 'UID'; readonly name: string }
  | { readonly kind: 'ServiceAccount'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'UserExtra'; readonly name: string; readonly key: string };

const EXTRA_PREFIX = 'impersonate-extra-';

/** Of a name and a uid the first counts, and an empty one not at all; an empty group is a group. */
function takenOn(headers: ImpersonationHeaders): readonly Taken[] {
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

function named(kind: 'User' | 'UID', name: string): readonly Taken[] {
  return name === '' ? [] : [{ kind, name }];
}

function valuesOf(header: string | readonly string[] | undefined): readonly string[] {
  if (header === undefined) return [];
  return typeof header === 'string' ? [header] : header;
}

/** Keys may hold what a header name may not; such characters come escaped. */
function extraKey(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}

function impersonated(taken: readonly Taken[]): User {
  const namesOf = (kind: Taken['kind']) => taken.filter((one) => one.kind === kind).map(({ name }) => name);
  const [uid] = namesOf('UID');
  const named = namesOf('Group');
  const extra = extraOf(taken);
  const account = taken.find((one) => one.kind === 'ServiceAccount');
  // Whoever names groups names all of them; else those of an account are known.
  const groups =
    named.length === 0 && account !== undefined ? serviceAccountGroups(account.namespace) : named;
  return withOwnGroup({
    name: account === undefined ? (namesOf('User')[0] ?? '') : serviceAccountName(account),
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  });
}

function extraOf(taken: readonly Taken[]): ReadonlyMap<string, readonly string[]> {
  const extra = new Map<string, string[]>();
  for (const one of taken) {
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

function checkOf(taken: Taken, user: User): ResourceAttributes {
  const about = { kind: 'resource', user, verb: 'impersonate', subresource: '', namespace: '' } as const;
  const { name } = taken;
  switch (taken.kind) {
    case 'User':
      return { ...about, ...CORE, resource: 'users', name };
    case 'Group':
      return { ...about, ...CORE, resource: 'groups', name };
    case 'ServiceAccount':
      return { ...about, ...CORE, resource: 'serviceaccounts', namespace: taken.namespace, name };
    case 'UserExtra':
      return { ...about, ...AUTHENTICATION, resource: 'userextras', subresource: taken.key, name };
    case 'UID':
      return { ...about, ...AUTHENTICATION, resource: 'uids', name };
  }
}

/** As Go prints a reference: kind, namespace, name, uid, version, resourceVersion and field, most of them empty. */
function takenText(taken: Taken): string {
  switch (taken.kind) {
    case 'ServiceAccount':
      return `{${taken.kind} ${taken.namespace} ${taken.name}    }`;
    case 'UserExtra':
      return `{${taken.kind}  ${taken.name}  authentication.k8s.io/v1  ${taken.key}}`;
    case 'UID':
      return `{${taken.kind}  ${taken.name}  authentication.k8s.io/v1  }`;
    default:
      return `{${taken.kind}  ${taken.name}    }`;
  }
}
