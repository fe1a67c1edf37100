/**
 * Service accounts as users: `system:serviceaccount:NAMESPACE:NAME`.
 */
import { checkDnsLabel, checkDnsSubdomain } from '../../kubernetes/meta/index.ts';
import { CREDENTIAL_ID_KEY, type User } from './user.ts';

export type ServiceAccountIdentity = {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The pod that the token is bound to; both or none. */
  readonly podName?: string;
  readonly podUid?: string;
  /** The node that the token is bound to, or on which its pod runs. */
  readonly nodeName?: string;
  readonly nodeUid?: string;
  /** `JTI=` with the `jti` of the token; see {@link credentialId}. */
  readonly credentialId?: string;
};

/** The user of a service account token, without the group `system:authenticated`. */
export function serviceAccountUser(identity: ServiceAccountIdentity): User {
  const { namespace, name, uid } = identity;
  const extra = extraOf(identity);
  return {
    name: serviceAccountName({ namespace, name }),
    uid,
    groups: serviceAccountGroups(namespace),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** The identifier of a token in logs and `extra`. */
export function credentialId(tokenId: string): string {
  return `JTI=${tokenId}`;
}

type ServiceAccountName = { readonly namespace: string; readonly name: string };

export function serviceAccountName({ namespace, name }: ServiceAccountName): string {
  return `${USER_PREFIX}${namespace}:${name}`;
}

export function serviceAccountGroups(namespace: string): readonly string[] {
  return [ACCOUNTS_GROUP, `${ACCOUNTS_GROUP}:${namespace}`];
}

/** Undefined for other users. */
export function parseServiceAccountName(userName: string): ServiceAccountName | undefined {
  if (!userName.startsWith(USER_PREFIX)) return undefined;
  const [namespace = '', name = '', ...more] = userName.slice(USER_PREFIX.length).split(':');
  const isName = checkDnsLabel(namespace).length === 0 && checkDnsSubdomain(name).length === 0;
  return isName && more.length === 0 ? { namespace, name } : undefined;
}

/** Without building a string: this runs for every subject. */
export function isServiceAccount(userName: string, { namespace, name }: ServiceAccountName): boolean {
  return (
    userName.length === USER_PREFIX.length + namespace.length + 1 + name.length &&
    userName.startsWith(USER_PREFIX) &&
    userName.endsWith(name) &&
    userName.startsWith(namespace, USER_PREFIX.length) &&
    userName.charAt(USER_PREFIX.length + namespace.length) === ':'
  );
}

const USER_PREFIX = 'system:serviceaccount:';
const ACCOUNTS_GROUP = 'system:serviceaccounts';
const EXTRA_PREFIX = 'authentication.kubernetes.io/';

function extraOf(identity: ServiceAccountIdentity): NonNullable<User['extra']> {
  const { podName = '', podUid = '', nodeName = '', nodeUid = '', credentialId: id = '' } = identity;
  const isBoundToPod = podName !== '' && podUid !== '';
  return {
    ...(id === '' ? {} : { [CREDENTIAL_ID_KEY]: [id] }),
    ...(nodeName === '' ? {} : { [`${EXTRA_PREFIX}node-name`]: [nodeName] }),
    ...(nodeName === '' || nodeUid === '' ? {} : { [`${EXTRA_PREFIX}node-uid`]: [nodeUid] }),
    ...(isBoundToPod ? { [`${EXTRA_PREFIX}pod-name`]: [podName], [`${EXTRA_PREFIX}pod-uid`]: [podUid] } : {}),
  };
}
