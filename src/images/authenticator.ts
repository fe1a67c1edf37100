/**
 * Authenticates to registries: anonymously, with user and password, or with a token of their token service for one
 * repository and a limited time.
 *
 *     registry ──401, Bearer realm──> service ──token──> registry
 *
 * A scheme that a host required once is used from then on. A secret is sent only to its registry and to the
 * token service that this names, and is never part of a message.
 */

import type { Clock } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { numberAt, valueAt } from '../base/json-fields.ts';
import { base64Text } from '../base/text/index.ts';
import type { Credentials } from './auth-file.ts';
import { type Challenge, parseChallenge } from './challenge.ts';
import { readErrorResponse, responseFailure } from './error-response.ts';
import { inTime, paced } from './paced.ts';
import { readBytes } from './read-bytes.ts';
import type { RegistryTransport } from './transport.ts';

type AuthenticatorOptions = {
  readonly transport: RegistryTransport;
  readonly clock: Clock;
  readonly credentialsFor: (repository: string) => Credentials | undefined;
  /** Whether plain HTTP is permitted for a host. */
  readonly isPlainHttp: (host: string) => boolean;
  readonly userAgent: string;
  /** The timeout of the token service. */
  readonly stalledMs: number;
};

/** The scopes of a request; more than one where a blob is mounted from another repository. */
export type Access = {
  readonly host: string;
  readonly repository: string;
  readonly scopes: readonly string[];
  readonly signal: AbortSignal;
};

type Bearer = Extract<Challenge, { kind: 'bearer' }>;
type Token = { readonly value: string; readonly expiresAtMs: number };

const MAX_TOKEN_BYTES = 1024 * 1024;
/** The default of the specification. */
const DEFAULT_TOKEN_LIFE_S = 60;
/** Tokens are not used this close to their expiry. */
const TOKEN_MARGIN_MS = 10_000;
const MAX_TOKENS = 1_000;

export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #challenges = new Map<string, Challenge>();
  readonly #tokens = new Map<string, Token>();

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** The known `Authorization` header; undefined where the host has not required one yet. */
  async authorization(access: Access): Promise<string | undefined> {
    const challenge = this.#challenges.get(access.host);
    if (challenge === undefined) return undefined;
    const credentials = this.#options.credentialsFor(`${access.host}/${access.repository}`);
    if (challenge.kind === 'basic')
      return credentials === undefined ? undefined : basicAuthorization(credentials);
    return `Bearer ${await this.#token(challenge, access, credentials)}`;
  }

  /**
   * After a 401 response to `sent`: the authorization to retry with, or undefined if there is none, so that the response
   * is final.
   */
  async answer(
    access: Access,
    { sent, header }: { readonly sent: string | undefined; readonly header: string | undefined },
  ): Promise<string | undefined> {
    const challenge = parseChallenge(header);
    if (challenge === undefined) return undefined;
    this.#challenges.set(access.host, challenge);
    this.#tokens.delete(keyOf(access));
    const next = await this.authorization(access);
    return next === sent ? undefined : next;
  }

  async #token(challenge: Bearer, access: Access, credentials: Credentials | undefined): Promise<string> {
    const now = this.#options.clock.monotonic();
    const kept = this.#tokens.get(keyOf(access));
    if (kept !== undefined && kept.expiresAtMs - TOKEN_MARGIN_MS > now) return kept.value;
    const token = await this.#fetchToken(challenge, access, credentials);
    if (this.#tokens.size >= MAX_TOKENS) this.#tokens.clear();
    this.#tokens.set(keyOf(access), token);
    return token.value;
  }

  async #fetchToken(
    { realm, service }: Bearer,
    { host, scopes, signal }: Access,
    credentials: Credentials | undefined,
  ): Promise<Token> {
    const url = this.#realmUrl(realm, host);
    if (service !== undefined) url.searchParams.set('service', service);
    for (const scope of scopes) url.searchParams.append('scope', scope);
    if (credentials !== undefined) url.searchParams.set('account', credentials.username);
    const { clock, stalledMs, transport, userAgent } = this.#options;
    const sent = transport.send({
      method: 'GET',
      url: url.href,
      signal,
      headers: {
        accept: 'application/json',
        'user-agent': userAgent,
        ...(credentials === undefined ? {} : { authorization: basicAuthorization(credentials) }),
      },
    });
    const pace = { clock, stalledMs, what: 'requesting bearer token' };
    const answered = await inTime(sent, pace);
    const response = { ...answered, body: paced(answered.body, pace) };
    if (response.status === 401 || response.status === 403) {
      const doing = 'unable to retrieve auth token: invalid username/password';
      throw responseFailure(doing, await readErrorResponse(response));
    }
    if (response.status !== 200) {
      throw responseFailure('requesting bearer token', await readErrorResponse(response));
    }
    return this.#readToken(await readBytes(response.body, MAX_TOKEN_BYTES));
  }

  #realmUrl(realm: string, host: string): URL {
    const url = URL.canParse(realm) ? new URL(realm) : undefined;
    const isPlain = url?.protocol === 'http:' && this.#options.isPlainHttp(url.host);
    if (url === undefined || (url.protocol !== 'https:' && !isPlain)) {
      throw new Failure('stalled', 'BadChallenge', `${host} names no safe place to get a token from`);
    }
    return url;
  }

  #readToken(bytes: Uint8Array | undefined): Token {
    const document = parseJson(new TextDecoder().decode(bytes));
    const value = valueAt(document, 'token') ?? valueAt(document, 'access_token');
    // The token becomes a header value: line breaks are not permitted.
    if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) {
      throw new Failure('transient', 'BadToken', 'requesting bearer token: the answer holds no token');
    }
    const life = numberAt(document, 'expires_in');
    const lifeS = life > 0 ? life : DEFAULT_TOKEN_LIFE_S;
    return { value, expiresAtMs: this.#options.clock.monotonic() + lifeS * 1000 };
  }
}

function basicAuthorization({ username, password }: Credentials): string {
  return `Basic ${base64Text(new TextEncoder().encode(`${username}:${password}`))}`;
}

function keyOf({ host, scopes }: Access): string {
  return [host, ...scopes].join(' ');
}
