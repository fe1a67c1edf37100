/**
 * A user as the server knows it once a request is authenticated, and the names that mean something to the server.
 */
import type { JsonObject } from '../../base/json.ts';

export type User = {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
};

/** Its members may do anything, whatever the roles say: so a cluster whose roles are broken can be mended. */
export const MASTERS_GROUP = 'system:masters';
/** Everybody who said who he is. */
export const AUTHENTICATED_GROUP = 'system:authenticated';
/** Everybody who did not. */
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated';
export const ANONYMOUS_NAME = 'system:anonymous';

/** Whoever brings no credentials. */
export const anonymousUser: User = { name: ANONYMOUS_NAME, groups: [UNAUTHENTICATED_GROUP] };

/** What is said of a user in the extra field, by those who issue certificates and tokens. */
export const CREDENTIAL_ID_KEY = 'authentication.kubernetes.io/credential-id';

export function isMaster(user: User): boolean {
  return user.groups.includes(MASTERS_GROUP);
}

/** The user with the group of all who said who they are, unless the groups already tell one way or the other. */
export function asAuthenticated(user: User): User {
  const { name, groups } = user;
  const isTold = groups.includes(AUTHENTICATED_GROUP) || groups.includes(UNAUTHENTICATED_GROUP);
  if (name === ANONYMOUS_NAME || isTold) return user;
  return { ...user, groups: [...groups, AUTHENTICATED_GROUP] };
}

/** The user as the API shows it: what is empty is left out. */
export function userInfo({ name, uid = '', groups, extra = {} }: User): JsonObject {
  return {
    ...(name === '' ? {} : { username: name }),
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
