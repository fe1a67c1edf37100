import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimsFor } from './token-claims.ts';
import { MAX_TOKEN_CHARS, signToken, verifyToken } from './tokens.ts';

const key = new Uint8Array(32).fill(7);
const NOW = 1_794_742_565_000;
const claims = claimsFor({
  namespace: 'größe',
  serviceAccount: { name: 'robot', uid: 'u' },
  audiences: [],
  expirationSeconds: 600,
  id: 'x',
  now: NOW,
});
const token = signToken(key, claims);
const [header = '', payload = '', signature = ''] = token.split('.');

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
/** A token with any content, signed as node's own library does it. */
const signed = (head: unknown, body: unknown, secret = key) => {
  const text = `${encode(head)}.${encode(body)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};
const ourHeader = { alg: 'HS256', typ: 'JWT' };

describe('verifyToken rejects a token', () => {
  it.each<[string, string, string]>([
    ['that is not a JWT', 'nobody', 'foreign'],
    ['that is empty', '', 'foreign'],
    ['with four parts', `${token}.x`, 'foreign'],
    ['with two parts', `${header}.${payload}`, 'foreign'],
    ['that needs no signature', `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`, 'foreign'],
    ['of another algorithm', signed({ alg: 'HS512', typ: 'JWT' }, claims), 'foreign'],
    ['with a header in another order', signed({ typ: 'JWT', alg: 'HS256' }, claims), 'foreign'],
    ['that is too long', `${token}${'x'.repeat(MAX_TOKEN_CHARS)}`, 'foreign'],
    ['without a signature', `${header}.${payload}.`, 'forged'],
    ['with half a signature', `${header}.${payload}.${signature.slice(0, 20)}`, 'forged'],
    ['with padding', `${token}=`, 'forged'],
    ['of another key', signed(ourHeader, claims, new Uint8Array(32)), 'forged'],
    ['with other claims', `${header}.${encode({ ...claims, sub: 'root' })}.${signature}`, 'forged'],
    ['whose claims are not an object', signed(ourHeader, 'x'), 'forged'],
    ['whose claims lack an account', signed(ourHeader, { ...claims, 'kubernetes.io': {} }), 'forged'],
    ['with a non-numeric exp', signed(ourHeader, { ...claims, exp: 'never' }), 'forged'],
    ['with an audience that is not a list', signed(ourHeader, { ...claims, aud: 'a' }), 'forged'],
    [
      'bound to a pod without a name',
      signed(ourHeader, { ...claims, 'kubernetes.io': { ...claims['kubernetes.io'], pod: {} } }),
      'forged',
    ],
  ])('%s', (_, text, reason) => {
    expect(verifyToken(key, text, NOW)).toEqual({ kind: 'refused', reason });
  });

  it.each([
    ['a minute before it begins', -60_001, 'early'],
    ['a minute after it ended', 600_000 + 60_001, 'expired'],
  ])('%s', (_, offset, reason) => {
    expect(verifyToken(key, token, NOW + offset)).toEqual({ kind: 'refused', reason });
  });

  it('with any character changed', () => {
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...'AZaz09-_.'), (index, character) => {
        fc.pre(token[index] !== character);
        const changed = `${token.slice(0, index)}${character}${token.slice(index + 1)}`;
        expect(verifyToken(key, changed, NOW).kind).toBe('refused');
      }),
    );
  });

  it('of any form without throwing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (first, second) => {
        for (const text of [first, `${header}.${first}.${second}`]) {
          expect(verifyToken(key, text, NOW).kind).toBe('refused');
        }
      }),
    );
  });
});

describe('verifyToken accepts a token', () => {
  it.each([0, -60_000, 600_000, 660_000])('%d ms after it was signed', (offset) => {
    expect(verifyToken(key, token, NOW + offset)).toEqual({ kind: 'valid', claims });
  });

  it('that another library accepts', () => {
    const expected = createHmac('sha256', key).update(`${header}.${payload}`).digest('base64url');
    expect(signature).toBe(expected);
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual(ourHeader);
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual(claims);
  });

  it('with names of any length', () => {
    for (let length = 1; length < 8; length++) {
      const one = { ...claims, sub: 'x'.repeat(length) };
      expect(verifyToken(key, signToken(key, one), NOW)).toEqual({ kind: 'valid', claims: one });
    }
  });
});
