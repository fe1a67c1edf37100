/** Authentication by client certificate, static token or service account token. */

import { assert } from '../../base/errors.ts';
import {
  type Authentication,
  anonymousUser,
  asAuthenticated,
  TOKEN_EXPIRED,
  TOKEN_INVALIDATED,
  tokenError,
  type User,
  wrongAudience,
} from '../rbac/index.ts';
import { unauthorized } from '../status/index.ts';
import type { Catalog } from './catalog.ts';
import type { Request } from './http/http.ts';
import { type Binding, boundTo, TOKEN_ISSUER, type TokenClaims, userOfClaims } from './pki/token-claims.ts';
import { verifyToken } from './pki/tokens.ts';
import { readObject } from './store/records.ts';
import type { Store } from './store/store.ts';
import { metadataOf } from './store/stored-object.ts';

export type TokenUser = { readonly token: string; readonly user: User };

type AuthenticatorOptions = {
  readonly store: Store;
  readonly catalog: Catalog;
  /** Signs service account tokens. */
  readonly tokenKey: Uint8Array;
  readonly tokenUsers: readonly TokenUser[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #tokenUsers: ReadonlyMap<string, User>;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#tokenUsers = new Map(options.tokenUsers.map(({ token, user }) => [token, user]));
  }

  /** Throws a `StatusError` if the credentials are invalid. */
  authenticate(request: Request): User {
    // A valid certificate takes precedence over a token; an invalid one only matters without a token.
    if (request.certificateUser !== undefined) return asAuthenticated(request.certificateUser);
    const token = bearerToken(request.headers.authorization);
    if (token !== undefined) {
      const authentication = this.authenticateToken(token, []);
      if (authentication.kind === 'unknown') throw unauthorized();
      return authentication.user;
    }
    if (request.hasBadCertificate === true) throw unauthorized();
    return anonymousUser;
  }

  /** The user of a token for one of the audiences; an empty list means the server itself. */
  authenticateToken(token: string, audiences: readonly string[]): Authentication {
    const known = this.#tokenUsers.get(token);
    if (known !== undefined) {
      // A static token has no audiences: it is valid for this server.
      const fits = audiences.length === 0 || audiences.includes(TOKEN_ISSUER);
      if (!fits) return { kind: 'unknown', error: tokenError() };
      return { kind: 'known', user: asAuthenticated(known), audiences: [TOKEN_ISSUER] };
    }
    const { tokenKey, now } = this.#options;
    const verified = verifyToken(tokenKey, token, now());
    if (verified.kind === 'refused') {
      const causes = verified.reason === 'expired' ? [TOKEN_EXPIRED] : [];
      return { kind: 'unknown', error: tokenError(...causes) };
    }
    const { claims } = verified;
    const wanted = audiences.length === 0 ? [TOKEN_ISSUER] : audiences;
    const fitting = claims.aud.filter((audience) => wanted.includes(audience));
    if (fitting.length === 0) {
      return { kind: 'unknown', error: tokenError(wrongAudience({ ofToken: claims.aud, wanted })) };
    }
    if (!this.#isAlive(claims)) return { kind: 'unknown', error: tokenError(TOKEN_INVALIDATED) };
    return { kind: 'known', user: asAuthenticated(userOfClaims(claims)), audiences: fitting };
  }

  /** The service account and the object that the token is bound to must still exist, with the same UID. */
  #isAlive(claims: TokenClaims): boolean {
    return boundTo(claims).every((bound) => this.#uidOf(bound) === bound.uid);
  }

  #uidOf({ kind, namespace, name }: Binding): string | undefined {
    const { store, catalog } = this.#options;
    const resource = catalog.find('', 'v1', `${kind.toLowerCase()}s`);
    assert(resource !== undefined, `objects of kind ${kind} are served`);
    const live = readObject(store, resource, namespace, name);
    return live === undefined ? undefined : metadataOf(live.object).uid;
  }
}

function bearerToken(header: string | undefined): string | undefined {
  const [scheme, ...rest] = (header ?? '').trim().split(/ +/);
  if (scheme?.toLowerCase() !== 'bearer') return undefined;
  const token = rest.join(' ');
  return token === '' ? undefined : token;
}
