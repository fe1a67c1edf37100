/** An authenticated user, and the well-known names. */
import type { JsonObject } from '../../base/json.ts';

export type User = {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
};

/** Members may do anything, whatever the roles say, so that broken roles can be repaired. */
export const MASTERS_GROUP = 'system:masters';
/** Authenticated users. */
export const AUTHENTICATED_GROUP = 'system:authenticated';
/** Anonymous users. */
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated';
export const ANONYMOUS_NAME = 'system:anonymous';

/** Requests without credentials. */
export const anonymousUser: User = { name: ANONYMOUS_NAME, groups: [UNAUTHENTICATED_GROUP] };

/** Key of `extra`, set by issuers of certificates and tokens. */
export const CREDENTIAL_ID_KEY = 'authentication.kubernetes.io/credential-id';

export function isMaster(user: User): boolean {
  return user.groups.includes(MASTERS_GROUP);
}

/** Adds `system:authenticated`, unless the groups already state whether the user is authenticated. */
export function asAuthenticated(user: User): User {
  const { name, groups } = user;
  const isKnown = groups.includes(AUTHENTICATED_GROUP) || groups.includes(UNAUTHENTICATED_GROUP);
  if (name === ANONYMOUS_NAME || isKnown) return user;
  return { ...user, groups: [...groups, AUTHENTICATED_GROUP] };
}

/** UserInfo of the API, without empty fields. */
export function userInfo({ name, uid = '', groups, extra = {} }: User): JsonObject {
  return {
    ...(name === '' ? {} : { username: name }),
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
