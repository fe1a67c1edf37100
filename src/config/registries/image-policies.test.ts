import { describe, expect, it } from 'vitest';
import {
  aClusterImagePolicy,
  anImagePolicy,
  byKey,
  objectsOf,
  PUBLIC_KEY,
  type SomeObject,
} from '../../../test/support/build-registries.ts';
import type { ImagePolicySpec } from '../../api/index.ts';
import { type Limits, readImagePolicies } from './image-policies.ts';

const NO_LIMITS: Limits = { allowed: [], rejected: [] };
const read = (objects: readonly SomeObject[], limits: Partial<Limits> = {}) =>
  readImagePolicies(objectsOf(...objects), { ...NO_LIMITS, ...limits });
const scopesOf = ({ cluster, namespaces }: ReturnType<typeof read>) => ({
  cluster: [...cluster.keys()],
  ...Object.fromEntries([...namespaces].map(([name, demands]) => [name, [...demands.keys()]])),
});
const place = { namespace: 'team', name: 'mine' };

describe('scopes of signature policies', () => {
  it.each<readonly [string, Partial<Limits>, string | undefined]>([
    ['quay.io/a', { allowed: ['docker.io'] }, 'is not nested inside allowedRegistries'],
    ['quay.io/a', { rejected: ['quay.io'] }, 'is nested inside blockedRegistries'],
    ['quay.io/a:v1', { rejected: ['quay.io/a'] }, 'is nested inside blockedRegistries'],
    ['quay.io/a', { allowed: ['quay.io'] }, undefined],
    ['quay.io/a:v1', { allowed: ['quay.io/a'] }, undefined],
    ['a.example.com', { allowed: ['*.example.com'] }, undefined],
    ['quay.io', { rejected: ['quay.io/a'] }, undefined],
  ])('%s within %j: %s', (scope, limits, why) => {
    const forCluster = read([aClusterImagePolicy('all', [scope])], limits);
    const forNamespace = read([anImagePolicy(place, [scope])], limits);
    const texts = [forCluster, forNamespace].map(({ findings }) => findings.map(({ message }) => message));
    if (why === undefined) {
      expect(texts).toEqual([[], []]);
      expect([scopesOf(forCluster), scopesOf(forNamespace)]).toEqual([
        { cluster: [scope] },
        { cluster: [], team: [scope] },
      ]);
      return;
    }
    const text = `configured for the scope ${scope} ${why}`;
    expect(texts).toEqual([[`clusterimagePolicy ${text}`], [`imagePolicy ${text}`]]);
    expect([scopesOf(forCluster), scopesOf(forNamespace)]).toEqual([{ cluster: [] }, { cluster: [] }]);
  });

  it('of a namespace are ignored where the cluster covers them', () => {
    const policies = read([
      anImagePolicy(place, ['quay.io/b', 'quay.io/a/x', 'docker.io/c', 'quay.io/a']),
      aClusterImagePolicy('all', ['quay.io/a', 'quay.io/b']),
    ]);
    expect(scopesOf(policies)).toEqual({ cluster: ['quay.io/a', 'quay.io/b'], team: ['docker.io/c'] });
    expect(policies.findings).toEqual([
      {
        about: { apiVersion: 'config.openshift.io/v1', kind: 'ImagePolicy', ...place },
        reason: 'ConflictScopes',
        message:
          'has conflicting scope(s) ["quay.io/a" "quay.io/a/x" "quay.io/b"] that equal to or nest inside existing clusterimagepolicy, only policy from clusterimagepolicy scope(s) will be applied',
      },
    ]);
  });

  it('of several policies combine all requirements, each once', () => {
    const other: ImagePolicySpec['policy'] = { ...byKey, signedIdentity: { matchPolicy: 'MatchRepository' } };
    const policies = [
      aClusterImagePolicy('b', ['quay.io'], other),
      aClusterImagePolicy('a', ['quay.io']),
      aClusterImagePolicy('c', ['quay.io']),
    ];
    const identities = (given: readonly SomeObject[]) =>
      read(given)
        .cluster.get('quay.io')
        ?.map(({ signedIdentity }) => signedIdentity);
    expect(identities(policies)).toEqual([{ type: 'matchRepoDigestOrExact' }, { type: 'matchRepository' }]);
    expect(identities([...policies].reverse())).toEqual(identities(policies));
  });
});

describe('signature requirements', () => {
  const demanded = (policy: ImagePolicySpec['policy']) =>
    read([aClusterImagePolicy('all', ['quay.io'], policy)]).cluster.get('quay.io');
  const identity = { signedIdentity: { type: 'matchRepoDigestOrExact' } };
  const data = btoa('-----BEGIN CERTIFICATE-----');

  it.each<readonly [string, ImagePolicySpec['policy']['rootOfTrust'], object]>([
    [
      'a key',
      { policyType: 'PublicKey', publicKey: { keyData: PUBLIC_KEY, rekorKeyData: PUBLIC_KEY } },
      { keyData: PUBLIC_KEY, rekorPublicKeyData: PUBLIC_KEY },
    ],
    [
      'a login',
      {
        policyType: 'FulcioCAWithRekor',
        fulcioCAWithRekor: {
          ...{ fulcioCAData: data, rekorKeyData: PUBLIC_KEY },
          fulcioSubject: { oidcIssuer: 'https://issuer.example', signedEmail: 'a@example.com' },
        },
      },
      {
        fulcio: { caData: data, oidcIssuer: 'https://issuer.example', subjectEmail: 'a@example.com' },
        rekorPublicKeyData: PUBLIC_KEY,
      },
    ],
    [
      'certificates',
      {
        policyType: 'PKI',
        pki: {
          caRootsData: data,
          caIntermediatesData: data,
          pkiCertificateSubject: { hostname: 'a.example' },
        },
      },
      { pki: { caRootsData: data, caIntermediatesData: data, subjectHostname: 'a.example' } },
    ],
  ])('by %s', (_, rootOfTrust, expected) => {
    expect(demanded({ rootOfTrust })).toEqual([{ type: 'sigstoreSigned', ...expected, ...identity }]);
  });

  it.each<readonly [NonNullable<ImagePolicySpec['policy']['signedIdentity']>, object]>([
    [{ matchPolicy: 'MatchRepoDigestOrExact' }, { type: 'matchRepoDigestOrExact' }],
    [{ matchPolicy: 'MatchRepository' }, { type: 'matchRepository' }],
    [
      { matchPolicy: 'ExactRepository', exactRepository: { repository: 'quay.io/a' } },
      { type: 'exactRepository', dockerRepository: 'quay.io/a' },
    ],
    [
      { matchPolicy: 'RemapIdentity', remapIdentity: { prefix: 'm.io', signedPrefix: 'quay.io' } },
      { type: 'remapIdentity', prefix: 'm.io', signedPrefix: 'quay.io' },
    ],
  ])('as %j', (signedIdentity, expected) => {
    expect(demanded({ ...byKey, signedIdentity })?.[0]).toMatchObject({ signedIdentity: expected });
  });
});
