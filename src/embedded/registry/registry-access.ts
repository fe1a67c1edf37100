/**
 * Authorization of the registry: the hook that every request passes, and basic authentication.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { base64Bytes } from '../../base/text/index.ts';

export type RegistryAction = 'pull' | 'push' | 'delete';

type RegistryAccess = {
  /** The raw header. */
  readonly authorization: string | undefined;
  /** Undefined for the API version check and the catalog. */
  readonly repository?: string;
  readonly action: RegistryAction;
};

export interface Authorizer {
  /** The `WWW-Authenticate` challenge. */
  readonly challenge: string;
  /** `unknown`: not authenticated. `denied`: authenticated but not authorized. */
  authorize(access: RegistryAccess): Promise<'allowed' | 'unknown' | 'denied'>;
}

type BasicAuthorizerOptions = {
  readonly realm: string;
  /** By name. */
  readonly passwords: ReadonlyMap<string, string>;
  /** Authorizes authenticated users. Default: everything. */
  readonly mayAct?: (user: string, access: Pick<RegistryAccess, 'repository' | 'action'>) => boolean;
};

/** Users with passwords. */
export function createBasicAuthorizer(options: BasicAuthorizerOptions): Authorizer {
  const { realm, passwords, mayAct = () => true } = options;
  return {
    challenge: `Basic realm="${realm.replace(/["\\]/g, '')}"`,
    async authorize({ authorization, repository, action }) {
      const user = userOf(authorization, passwords);
      if (user === undefined) return 'unknown';
      const access = repository === undefined ? { action } : { repository, action };
      return mayAct(user, access) ? 'allowed' : 'denied';
    },
  };
}

function userOf(header: string | undefined, passwords: ReadonlyMap<string, string>): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(header ?? '')?.[1];
  const bytes = encoded === undefined ? undefined : base64Bytes(encoded);
  if (bytes === undefined) return undefined;
  const [user = '', ...rest] = new TextDecoder().decode(bytes).split(':');
  const expected = passwords.get(user);
  // Compared for unknown users too, to avoid a timing leak.
  const isRight = isSameSecret(rest.join(':'), expected ?? '');
  return isRight && expected !== undefined ? user : undefined;
}

/** In constant time. */
function isSameSecret(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => sha256(new TextEncoder().encode(text)));
  if (a === undefined || b === undefined) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at++) difference |= (a[at] ?? 0) ^ (b[at] ?? 0);
  return difference === 0;
}
