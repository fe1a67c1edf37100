/**
 * Service account tokens: JSON Web Tokens (RFC 7519) with the claims of Kubernetes.
 *
 * The server verifies only its own tokens, so a symmetric key is enough: HMAC with SHA-256. The algorithm is fixed:
 * any other header is rejected first.
 */
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { isObject, own, parseJson } from '../../../base/json.ts';
import { base64Bytes, base64UrlText } from '../../../base/text/index.ts';
import type { TokenClaims } from './token-claims.ts';

/** Enough for several audiences and names of full length. */
export const MAX_TOKEN_CHARS = 32 * 1024;

export function signToken(key: Uint8Array, claims: TokenClaims): string {
  const signed = `${HEADER}.${base64UrlText(utf8ToBytes(JSON.stringify(claims)))}`;
  return `${signed}.${signatureOf(key, signed)}`;
}

/**
 * `foreign`: not one of our tokens, so another authenticator may accept it. `forged`: it claims to be one. The others
 * have a valid signature, but not now.
 */
type TokenRejection = 'foreign' | 'forged' | 'expired' | 'early';

type TokenVerification =
  | { readonly kind: 'valid'; readonly claims: TokenClaims }
  | { readonly kind: 'refused'; readonly reason: TokenRejection };

/** Allows for clock skew, as Kubernetes does. */
const LEEWAY_MS = 60_000;

/** `now`: milliseconds since 1970. Never throws. */
export function verifyToken(key: Uint8Array, token: string, now: number): TokenVerification {
  if (token.length > MAX_TOKEN_CHARS) return refused('foreign');
  const [header, payload, signature, ...rest] = token.split('.');
  if (header !== HEADER || payload === undefined || signature === undefined || rest.length > 0) {
    return refused('foreign');
  }
  if (!isSameText(signature, signatureOf(key, `${header}.${payload}`))) return refused('forged');
  const claims = readClaims(payload);
  if (claims === undefined) return refused('forged');
  if (now - LEEWAY_MS > claims.exp * 1000) return refused('expired');
  if (now + LEEWAY_MS < claims.nbf * 1000) return refused('early');
  return { kind: 'valid', claims };
}

const refused = (reason: TokenRejection): TokenVerification => ({ kind: 'refused', reason });

const HEADER = base64UrlText(utf8ToBytes('{"alg":"HS256","typ":"JWT"}'));

function signatureOf(key: Uint8Array, signed: string): string {
  return base64UrlText(hmac(sha256, key, utf8ToBytes(signed)));
}

/** Constant time, against timing attacks. */
function isSameText(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false;
  let difference = 0;
  for (let index = 0; index < expected.length; index++) {
    difference |= given.charCodeAt(index) ^ expected.charCodeAt(index);
  }
  return difference === 0;
}

/** The signature is ours, but another version may have written other claims. */
function readClaims(payload: string): TokenClaims | undefined {
  const bytes = base64Bytes(payload.padEnd(Math.ceil(payload.length / 4) * 4, '='));
  if (bytes === undefined) return undefined;
  const claims: unknown = parseJson(new TextDecoder().decode(bytes));
  return isClaims(claims) ? claims : undefined;
}

function isClaims(value: unknown): value is TokenClaims {
  if (!isObject(value)) return false;
  const details = own(value, 'kubernetes.io');
  if (!isObject(details)) return false;
  const account = own(details, 'serviceaccount');
  const areRefs = ['node', 'pod', 'secret'].every((key) => {
    const ref = own(details, key);
    return ref === undefined || isRef(ref);
  });
  const warnAfter = own(details, 'warnafter');
  return (
    ['exp', 'iat', 'nbf'].every((key) => Number.isSafeInteger(own(value, key))) &&
    ['iss', 'jti', 'sub'].every((key) => typeof own(value, key) === 'string') &&
    isTexts(own(value, 'aud')) &&
    typeof own(details, 'namespace') === 'string' &&
    isRef(account) &&
    typeof own(account, 'uid') === 'string' &&
    areRefs &&
    (warnAfter === undefined || Number.isSafeInteger(warnAfter))
  );
}

function isRef(value: unknown): value is { readonly [key: string]: unknown } {
  if (!isObject(value) || typeof own(value, 'name') !== 'string') return false;
  const uid = own(value, 'uid');
  return uid === undefined || typeof uid === 'string';
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
