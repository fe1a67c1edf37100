import { describe, expect, it } from 'vitest';
import {
  selfSubjectReview,
  TOKEN_EXPIRED,
  tokenError,
  tokenQuestion,
  tokenReview,
  wrongAudience,
} from './identity-reviews.ts';

const carol = { name: 'carol', uid: 'carol-uid', groups: ['builders', 'system:authenticated'] };

describe('selfSubjectReview', () => {
  it('returns the user and the time', () => {
    expect(selfSubjectReview({ ...carol, extra: { a: ['b'] } }, '2026-01-02T03:04:05Z')).toEqual({
      kind: 'answer',
      object: {
        kind: 'SelfSubjectReview',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: { creationTimestamp: '2026-01-02T03:04:05Z' },
        status: {
          userInfo: {
            username: 'carol',
            uid: 'carol-uid',
            groups: ['builders', 'system:authenticated'],
            extra: { a: ['b'] },
          },
        },
      },
    });
  });

  it('omits empty fields', () => {
    const user = { name: 'x', uid: '', groups: [], extra: {} };
    expect(selfSubjectReview(user, '')).toMatchObject({
      object: { status: { userInfo: { username: 'x' } } },
    });
  });
});

describe('a token review', () => {
  it('needs a token', () => {
    const refused = { kind: 'badRequest', message: 'token is required for TokenReview in authentication' };
    for (const review of [{}, { spec: { token: '' } }, { spec: { token: 5 } }]) {
      expect(tokenQuestion(review)).toEqual(refused);
    }
    expect(tokenQuestion({ spec: { token: 't', audiences: ['vault'] } })).toEqual({
      kind: 'question',
      token: 't',
      audiences: ['vault'],
    });
  });

  it('reports why a token is rejected', () => {
    const sent = { metadata: { name: 'x' }, spec: { token: 't' } };
    expect(tokenReview(sent, { kind: 'unknown', error: tokenError() })).toEqual({
      kind: 'answer',
      object: {
        metadata: { name: 'x', creationTimestamp: null },
        spec: { token: 't' },
        status: { user: {}, error: 'invalid bearer token' },
      },
    });
  });

  it('returns the user and the audiences of the token', () => {
    const known = { kind: 'known', user: carol, audiences: ['vault'] } as const;
    expect(tokenReview({ spec: { token: 't' } }, known)).toMatchObject({
      object: {
        status: {
          authenticated: true,
          user: { username: 'carol', uid: 'carol-uid', groups: ['builders', 'system:authenticated'] },
          audiences: ['vault'],
        },
      },
    });
  });

  it('reports the causes of the issuer', () => {
    const mismatch = wrongAudience({ ofToken: ['https://kubernetes.default.svc'], wanted: ['vault', 'x'] });
    expect(tokenError(mismatch)).toBe(
      '[invalid bearer token, token audiences ["https://kubernetes.default.svc"] is invalid for the target audiences ["vault" "x"]]',
    );
    expect(tokenError(TOKEN_EXPIRED)).toBe('[invalid bearer token, service account token has expired]');
  });
});
