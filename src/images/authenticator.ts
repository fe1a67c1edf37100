/**
 * Proving to a registry who we are: not at all, by user and password, or by a token that its service gives for one
 * repository and a while.
 *
 *     registry ──401, Bearer realm──> service ──token──> registry
 *
 * What a host asked for once is brought along from then on. A secret is sent to the registry that it is for and to the
 * service which that names, to nobody else, and never stands in a message.
 */

import type { Clock } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { numberAt, valueAt } from '../base/json-fields.ts';
import { base64Text } from '../base/text/index.ts';
import type { Credentials } from './auth-file.ts';
import { type Challenge, parseChallenge } from './challenge.ts';
import { inTime, paced } from './paced.ts';
import { readBytes } from './read-bytes.ts';
import { readRefusal, refusedFailure } from './refusal.ts';
import type { RegistryTransport } from './transport.ts';

type AuthenticatorOptions = {
  readonly transport: RegistryTransport;
  readonly clock: Clock;
  readonly credentialsFor: (repository: string) => Credentials | undefined;
  /** Whether a host may be spoken to in plain, where everybody on the way can listen. */
  readonly isPlainHttp: (host: string) => boolean;
  readonly userAgent: string;
  /** How long a service may keep us waiting. */
  readonly stalledMs: number;
};

/** What is to be done to which repository; more than one where something is mounted from another. */
export type Access = {
  readonly host: string;
  readonly repository: string;
  readonly scopes: readonly string[];
  readonly signal: AbortSignal;
};

type Bearer = Extract<Challenge, { kind: 'bearer' }>;
type Token = { readonly value: string; readonly expiresAtMs: number };

const MAX_TOKEN_BYTES = 1024 * 1024;
/** What the specification says where a service says nothing. */
const DEFAULT_TOKEN_LIFE_S = 60;
/** A token that is about to expire is not begun with. */
const TOKEN_MARGIN_MS = 10_000;
const MAX_TOKENS = 1_000;

export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #challenges = new Map<string, Challenge>();
  readonly #tokens = new Map<string, Token>();

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** What to send along with a request, as far as is known; undefined where the host has asked for nothing yet. */
  async authorization(access: Access): Promise<string | undefined> {
    const challenge = this.#challenges.get(access.host);
    if (challenge === undefined) return undefined;
    const credentials = this.#options.credentialsFor(`${access.host}/${access.repository}`);
    if (challenge.kind === 'basic')
      return credentials === undefined ? undefined : basicAuthorization(credentials);
    return `Bearer ${await this.#token(challenge, access, credentials)}`;
  }

  /**
   * The registry said 401 to `sent`. What to send instead; undefined where there is nothing else to try, so that its
   * answer stands.
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
      ...{ method: 'GET', url: url.href, signal },
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
      throw refusedFailure(doing, await readRefusal(response));
    }
    if (response.status !== 200) {
      throw refusedFailure('requesting bearer token', await readRefusal(response));
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
    // A token ends up in a header: one that would end it is none.
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
