/**
 * What the API takes and refuses in signature policies, of the cluster and of a namespace alike.
 */
import { checkFields, type FieldRow, sampleOf } from '../../test/support/field-rows.ts';
import { long, many } from '../../test/support/shared-rows.ts';
import { clusterImagePolicy } from './cluster-image-policy.ts';
import { imagePolicy } from './image-policy.ts';

const base64 = btoa;
const begin = (label: string) => `-----BEGIN ${label}-----`;
const end = (label: string) => `-----END ${label}-----`;
const pem = (label: string, body = 'MFkwEwYHKoZIzj0CAQ') => `${begin(label)}\n${body}\n${end(label)}`;

const key = base64(pem('PUBLIC KEY'));
const certificate = base64(pem('CERTIFICATE'));
const bothCertificates = base64(`${pem('CERTIFICATE')}\n${pem('CERTIFICATE')}\n`);

const fulcioCAWithRekor = {
  fulcioCAData: certificate,
  rekorKeyData: key,
  fulcioSubject: { oidcIssuer: 'https://issuer.example.com/', signedEmail: 'me@example.com' },
};
const pki = { caRootsData: certificate, pkiCertificateSubject: { email: 'me@example.com' } };

const policyWith = (rootOfTrust: unknown) => ({
  name: 'policy',
  spec: { scopes: ['registry.example.com'], policy: { rootOfTrust } },
});
const byKey = policyWith({ policyType: 'PublicKey', publicKey: { keyData: key } });
const byFulcio = policyWith({ policyType: 'FulcioCAWithRekor', fulcioCAWithRekor });
const byPki = policyWith({ policyType: 'PKI', pki });

const trust = 'spec.policy.rootOfTrust';

/** A field that holds PEM: how it begins, how it ends, how long it may be. */
const pemRows = (at: string, label: 'PUBLIC KEY' | 'CERTIFICATE'): readonly FieldRow[] => {
  const name = at.slice(at.lastIndexOf('.') + 1);
  const good = [base64(pem(label)), base64(`${pem(label)}\n`)];
  return [
    {
      at,
      good,
      bad: [
        base64(`\n${pem(label)}`),
        base64(`${long(60)}${end(label)}`),
        base64(pem('PRIVATE KEY', long(60))),
      ],
      message: `the ${name} must start with base64 encoding of '${begin(label)}'.`,
    },
    {
      at,
      good,
      bad: [base64(`${pem(label)}\n\n`), base64(`${begin(label)}${long(60)}`), base64(`${pem(label)} `)],
      message: `the ${name} must end with base64 encoding of '${end(label)}'.`,
    },
    { at, good, bad: [base64(pem(label, long(6144)))], message: 'Too long: may not be more than 8192 bytes' },
  ];
};
const bundleRows = (at: string): readonly FieldRow[] => [
  ...pemRows(at, 'CERTIFICATE'),
  {
    at,
    good: [certificate, bothCertificates],
    bad: [base64(`${begin('CERTIFICATE')}\n${pem('CERTIFICATE')}`)],
    message: `${at.slice(at.lastIndexOf('.') + 1)} must be base64 encoding of valid PEM format data contain the same number of '${begin('CERTIFICATE')}' and '${end('CERTIFICATE')}' markers.`,
  },
  {
    at,
    good: [base64(`${begin('CERTIFICATE')}${end('CERTIFICATE')}`)],
    bad: [base64(begin('CERTIFICATE'))],
    message: 'should be at least 72 chars long',
  },
];
const emailRows = (at: string): readonly FieldRow[] => [
  {
    at,
    good: ['a@b', 'first.last+tag@example.com'],
    bad: ['', 'a', '@b', 'a@', 'a b@c', 'a@b c'],
    message: 'invalid email address',
  },
  { at, good: [`a@${long(318)}`], bad: [`a@${long(319)}`], message: 'Too long' },
];

for (const kind of [clusterImagePolicy, imagePolicy]) {
  checkFields(kind, sampleOf(kind, byKey), [
    { at: 'spec', good: [byKey.spec], bad: [undefined], message: 'Required value' },
    { at: 'spec.scopes', good: [['a.io'], []], bad: [undefined], message: 'Required value' },
    { at: 'spec.policy', good: [byKey.spec.policy], bad: [undefined], message: 'Required value' },
    {
      at: `${trust}.policyType`,
      good: ['PublicKey'],
      bad: ['Key'],
      message: 'Unsupported value: "Key": supported values: "PublicKey", "FulcioCAWithRekor", "PKI"',
    },
  ]);
}

checkFields(clusterImagePolicy, sampleOf(clusterImagePolicy, byKey), [
  {
    at: 'spec.scopes',
    good: [many(256, (index) => `r${index}.io`)],
    bad: [many(257, (index) => `r${index}.io`)],
    message: 'Too many: 257: must have at most 256 items',
  },
  {
    at: 'spec.scopes',
    good: [['a.io', 'b.io']],
    bad: [['a.io', 'a.io']],
    path: 'spec.scopes[1]',
    message: 'Duplicate value: "a.io"',
  },
  {
    at: 'spec.scopes',
    good: [[`a.io/${long(507)}`]],
    bad: [[`a.io/${long(508)}`]],
    path: 'spec.scopes[0]',
    message: 'Too long: may not be more than 512 bytes',
  },
  {
    at: 'spec.scopes',
    good: ['localhost', 'localhost:5000', 'localhost/a', 'localhost:5000/a:tag', 'a.io/b', 'a.io'].map(
      (s) => [s],
    ),
    bad: ['', 'busybox', 'busybox:latest', 'library/a.b', 'registry:5000/a', 'localhosts', '*'].map((s) => [
      s,
    ]),
    path: 'spec.scopes[0]',
    message: "invalid image scope format, scope must contain a fully qualified domain name or 'localhost'",
  },
  {
    at: 'spec.scopes',
    good: [['*.example.com'], ['*.a']],
    bad: [
      ['*.example.com/a'],
      ['a.*.com'],
      ['example*.com'],
      ['*.example.com:5000'],
      ['*'],
      ['*.'],
      ['a.io/*'],
    ],
    path: 'spec.scopes[0]',
    message:
      'invalid image scope with wildcard, a wildcard can only be at the start of the domain and is only supported for subdomain matching, not path matching',
  },
  {
    at: 'spec.scopes',
    good: [
      'a.io:5000/b/c_d',
      'a.io/b:v1.0',
      `a.io/b@sha256:${'0123456789abcdefABCDEF'.repeat(2)}`,
      `a.io/b:tag@sha256:${'f'.repeat(64)}`,
    ].map((scope) => [scope]),
    bad: [
      'a.io/B',
      'a.io/',
      'a.io//b',
      'https://a.io',
      'a.io/b@sha256:0123',
      `a.io/b@sha256:${'g'.repeat(64)}`,
      `a.io/b:${long(129)}`,
      'a.io/b___c',
    ].map((scope) => [scope]),
    path: 'spec.scopes[0]',
    message: 'invalid repository namespace or image specification in the image scope',
  },
  {
    at: trust,
    good: [
      { policyType: 'PublicKey', publicKey: { keyData: key } },
      { policyType: 'PublicKey', publicKey: { keyData: key, rekorKeyData: key } },
    ],
    bad: [
      { policyType: 'PublicKey' },
      { policyType: 'PKI', pki, publicKey: { keyData: key } },
      { policyType: 'FulcioCAWithRekor', fulcioCAWithRekor, publicKey: { keyData: key } },
    ],
    message: 'publicKey is required when policyType is PublicKey, and forbidden otherwise',
  },
  {
    at: trust,
    good: [{ policyType: 'FulcioCAWithRekor', fulcioCAWithRekor }],
    bad: [
      { policyType: 'FulcioCAWithRekor' },
      { policyType: 'PublicKey', publicKey: { keyData: key }, fulcioCAWithRekor },
    ],
    message: 'fulcioCAWithRekor is required when policyType is FulcioCAWithRekor, and forbidden otherwise',
  },
  {
    at: trust,
    good: [{ policyType: 'PKI', pki }],
    bad: [{ policyType: 'PKI' }, { policyType: 'PublicKey', publicKey: { keyData: key }, pki }],
    message: 'pki is required when policyType is PKI, and forbidden otherwise',
  },
  { at: `${trust}.publicKey.keyData`, good: [key], bad: [undefined], message: 'Required value' },
  ...pemRows(`${trust}.publicKey.keyData`, 'PUBLIC KEY'),
  ...pemRows(`${trust}.publicKey.rekorKeyData`, 'PUBLIC KEY'),
  {
    at: `${trust}.publicKey.keyData`,
    good: [base64(`${begin('PUBLIC KEY')}${end('PUBLIC KEY')}`)],
    bad: [base64(begin('PUBLIC KEY'))],
    message: 'should be at least 68 chars long',
  },
]);

const fulcio = `${trust}.fulcioCAWithRekor`;
checkFields(clusterImagePolicy, sampleOf(clusterImagePolicy, byFulcio), [
  { at: `${fulcio}.fulcioCAData`, good: [certificate], bad: [undefined], message: 'Required value' },
  { at: `${fulcio}.rekorKeyData`, good: [key], bad: [undefined], message: 'Required value' },
  {
    at: `${fulcio}.fulcioSubject.oidcIssuer`,
    good: ['http://a'],
    bad: [undefined],
    message: 'Required value',
  },
  { at: `${fulcio}.fulcioSubject.signedEmail`, good: ['a@b'], bad: [undefined], message: 'Required value' },
  ...pemRows(`${fulcio}.fulcioCAData`, 'CERTIFICATE'),
  ...pemRows(`${fulcio}.rekorKeyData`, 'PUBLIC KEY'),
  ...emailRows(`${fulcio}.fulcioSubject.signedEmail`),
  {
    at: `${fulcio}.fulcioSubject.oidcIssuer`,
    good: ['https://issuer.example.com/path?query', 'http://a:80'],
    bad: ['', 'issuer', 'issuer.example.com', 'https://a b/'],
    message: 'oidcIssuer must be a valid URL',
  },
  {
    at: `${fulcio}.fulcioSubject.oidcIssuer`,
    good: [`https://a/${long(2038)}`],
    bad: [`https://a/${long(2039)}`],
    message: 'Too long: may not be more than 2048 bytes',
  },
]);

const subject = `${trust}.pki.pkiCertificateSubject`;
checkFields(imagePolicy, sampleOf(imagePolicy, byPki), [
  { at: `${trust}.pki.caRootsData`, good: [certificate], bad: [undefined], message: 'Required value' },
  { at: subject, good: [{ email: 'a@b' }], bad: [undefined], message: 'Required value' },
  ...bundleRows(`${trust}.pki.caRootsData`),
  ...bundleRows(`${trust}.pki.caIntermediatesData`),
  {
    at: subject,
    good: [{ email: 'a@b' }, { hostname: 'a.b' }, { email: 'a@b', hostname: 'a.b' }],
    bad: [{}],
    message: 'at least one of email or hostname must be set in pkiCertificateSubject',
  },
  ...emailRows(`${subject}.email`),
  {
    at: `${subject}.hostname`,
    good: ['example.com', '*.example.com', 'a', '*.a-1'],
    bad: ['', '*', '*.', '*.*.a', 'Example.com', 'a_b', 'a..b', '-a', 'a.*.b'],
    message:
      "hostname must be a valid dns 1123 subdomain name, optionally prefixed by '*.'. It must consist only of lowercase alphanumeric characters, hyphens, periods and the optional preceding asterisk.",
  },
  { at: `${subject}.hostname`, good: [long(253)], bad: [long(254)], message: 'Too long' },
]);

const identity = 'spec.policy.signedIdentity';
const repositoryRows = (at: string): readonly FieldRow[] => [
  {
    at,
    good: ['a.io/b', 'a.io:5000/b', 'localhost:5000', 'localhost', 'a.io'],
    bad: ['a.io/b:tag', 'a.io/b:tag', 'localhost:5000/a:tag', 'a.io/b@sha256:0123', 'a.io:5000'],
    message: 'invalid repository or prefix in the signedIdentity, should not include the tag or digest',
  },
  {
    at,
    good: ['a.io/b__c/d---e/f.g', 'localhost:5000/a', 'A.io'],
    bad: ['', 'busybox', 'library/busybox', 'a.io/B', 'a.io/', 'a.io/b..c', '*.a.io', 'https://a.io'],
    message:
      "invalid repository or prefix in the signedIdentity. The repository or prefix must starts with 'localhost' or a valid '.' separated domain. If contains registry paths, the path component names must start with at least one letter or number, with following parts able to be separated by one period, one or two underscore and multiple dashes.",
  },
  { at, good: [`a.io/${long(507)}`], bad: [`a.io/${long(508)}`], message: 'Too long' },
];
const identifiedBy = (signedIdentity: unknown) =>
  sampleOf(clusterImagePolicy, {
    name: 'policy',
    spec: { scopes: byKey.spec.scopes, policy: { ...byKey.spec.policy, signedIdentity } },
  });

checkFields(clusterImagePolicy, identifiedBy({ matchPolicy: 'MatchRepository' }), [
  {
    at: `${identity}.matchPolicy`,
    good: ['MatchRepoDigestOrExact'],
    bad: [undefined],
    message: 'Required value',
  },
  {
    at: `${identity}.matchPolicy`,
    good: ['MatchRepository'],
    bad: ['Exact'],
    message:
      'Unsupported value: "Exact": supported values: "MatchRepoDigestOrExact", "MatchRepository", "ExactRepository", "RemapIdentity"',
  },
  {
    at: identity,
    good: [{ matchPolicy: 'ExactRepository', exactRepository: { repository: 'a.io/b' } }],
    bad: [
      { matchPolicy: 'ExactRepository' },
      { matchPolicy: 'MatchRepository', exactRepository: { repository: 'a.io/b' } },
    ],
    message: 'exactRepository is required when matchPolicy is ExactRepository, and forbidden otherwise',
  },
  {
    at: identity,
    good: [{ matchPolicy: 'RemapIdentity', remapIdentity: { prefix: 'a.io', signedPrefix: 'b.io' } }],
    bad: [
      { matchPolicy: 'RemapIdentity' },
      { matchPolicy: 'MatchRepository', remapIdentity: { prefix: 'a.io', signedPrefix: 'b.io' } },
    ],
    message: 'remapIdentity is required when matchPolicy is RemapIdentity, and forbidden otherwise',
  },
]);

checkFields(
  clusterImagePolicy,
  identifiedBy({ matchPolicy: 'ExactRepository', exactRepository: { repository: 'a.io/b' } }),
  repositoryRows(`${identity}.exactRepository.repository`),
);

checkFields(
  clusterImagePolicy,
  identifiedBy({ matchPolicy: 'RemapIdentity', remapIdentity: { prefix: 'a.io', signedPrefix: 'b.io' } }),
  [
    { at: `${identity}.remapIdentity.prefix`, good: ['a.io'], bad: [undefined], message: 'Required value' },
    {
      at: `${identity}.remapIdentity.signedPrefix`,
      good: ['a.io'],
      bad: [undefined],
      message: 'Required value',
    },
    ...repositoryRows(`${identity}.remapIdentity.prefix`),
    ...repositoryRows(`${identity}.remapIdentity.signedPrefix`),
  ],
);

const condition = (type: string) => ({
  type,
  status: 'False',
  reason: 'ConflictScopes',
  message: 'why',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
checkFields(imagePolicy, sampleOf(imagePolicy, byKey), [
  {
    at: 'status.conditions',
    good: [[condition('Pending'), condition('Applied')]],
    bad: [[]],
    message: 'should have at least 1 items',
  },
  {
    at: 'status.conditions',
    good: [many(8, (index) => condition(`C${index}`))],
    bad: [many(9, (index) => condition(`C${index}`))],
    message: 'Too many: 9: must have at most 8 items',
  },
  {
    at: 'status.conditions',
    good: [[condition('Pending')]],
    bad: [[condition('Pending'), condition('Pending')]],
    path: 'status.conditions[1]',
    message: 'Duplicate value',
  },
]);
