/**
 * A signature policy, for the whole cluster (ClusterImagePolicy) or one namespace (ImagePolicy): its scopes, the root
 * of trust and the signed identity.
 */

import { conditions } from '../kubernetes/meta/index.ts';
import {
  bytes,
  type Infer,
  list,
  object,
  oneOf,
  required,
  type Schema,
  string,
  type ValidationRule,
} from '../kubernetes/schema/index.ts';
import { imageScope, signedRepository } from './registry-names.ts';
import { matching } from './rules.ts';
import { unionMember } from './union-rule.ts';

const MAX_KEY_LENGTH = 8192;

const publicKey = object('Verification with a public key.', {
  keyData: required(publicKeyData('keyData', 'Public key, base64-encoded PEM.', { minLength: 68 })),
  rekorKeyData: publicKeyData(
    'rekorKeyData',
    'Public key of a Rekor log, base64-encoded PEM. If set, the signature must be recorded in that log.',
  ),
});

const fulcioCAWithRekor = object(
  'Verification with short-lived certificates of a Fulcio CA and a Rekor log.',
  {
    fulcioCAData: required(
      bytes('Certificate of the Fulcio CA, base64-encoded PEM.', {
        maxLength: MAX_KEY_LENGTH,
        rules: pem('fulcioCAData', 'CERTIFICATE'),
      }),
    ),
    rekorKeyData: required(publicKeyData('rekorKeyData', 'Public key of the Rekor log, base64-encoded PEM.')),
    fulcioSubject: required(
      object('Identity that the certificate was issued to.', {
        oidcIssuer: required(
          string('URL of the OpenID Connect issuer.', {
            maxLength: 2048,
            rules: [{ rule: 'isURL(self)', message: 'oidcIssuer must be a valid URL' }],
          }),
        ),
        signedEmail: required(emailAddress('Email address of the signer.')),
      }),
    ),
  },
);

const pki = object('Verification with certificates of your own CA.', {
  caRootsData: required(
    certificateBundle('caRootsData', 'One or more root certificates, base64-encoded PEM.'),
  ),
  caIntermediatesData: certificateBundle(
    'caIntermediatesData',
    'Intermediate certificates, base64-encoded PEM.',
  ),
  pkiCertificateSubject: required(
    object(
      'Subject that the certificate of the signer must have. If both are set, both must match.',
      {
        email: emailAddress('Email address in the subject alternative names.'),
        hostname: string('DNS name in the subject alternative names. May begin with *. for a wildcard.', {
          maxLength: 253,
          rules: [
            matching(
              '^(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
              "hostname must be a valid dns 1123 subdomain name, optionally prefixed by '*.'. It must consist only of lowercase alphanumeric characters, hyphens, periods and the optional preceding asterisk.",
            ),
          ],
        }),
      },
      {
        rules: [
          {
            rule: 'has(self.email) || has(self.hostname)',
            message: 'at least one of email or hostname must be set in pkiCertificateSubject',
          },
        ],
      },
    ),
  ),
});

const rootOfTrust = object(
  'Root of trust of the signatures.',
  {
    policyType: required(oneOf('Type of the root of trust.', ['PublicKey', 'FulcioCAWithRekor', 'PKI'])),
    publicKey,
    fulcioCAWithRekor,
    pki,
  },
  {
    rules: [
      unionMember({ field: 'pki', by: 'policyType', value: 'PKI' }),
      unionMember({ field: 'publicKey', by: 'policyType', value: 'PublicKey' }),
      unionMember({ field: 'fulcioCAWithRekor', by: 'policyType', value: 'FulcioCAWithRekor' }),
    ],
  },
);

const signedIdentity = object(
  'Identity that the signature must have, relative to the reference that is pulled. Defaults to MatchRepoDigestOrExact.',
  {
    matchPolicy: required(
      oneOf(
        'How the name in the signature is compared. MatchRepoDigestOrExact: the same reference, or the same repository for an image pulled by digest. MatchRepository: the same repository. ExactRepository: the repository given below. RemapIdentity: the same reference after its beginning was replaced.',
        ['MatchRepoDigestOrExact', 'MatchRepository', 'ExactRepository', 'RemapIdentity'],
      ),
    ),
    exactRepository: object('Repository that signatures must have.', {
      repository: required(repository('Repository without tag or digest.')),
    }),
    remapIdentity: object(
      'Mapping of references before they are compared, for images pulled from a mirror.',
      {
        prefix: required(repository('Prefix to replace. References with another prefix are unchanged.')),
        signedPrefix: required(repository('Prefix of the signed identity.')),
      },
    ),
  },
  {
    rules: [
      unionMember({ field: 'exactRepository', by: 'matchPolicy', value: 'ExactRepository' }),
      unionMember({ field: 'remapIdentity', by: 'matchPolicy', value: 'RemapIdentity' }),
    ],
  },
);

export const imagePolicySpec = object('Scopes of the policy and the required signatures.', {
  scopes: required(
    list(
      'Images that the policy applies to. If several scopes match an image, the narrowest one is used.',
      string(
        'A fully qualified image, repository, namespace or registry (docker.io/library/busybox, not busybox), or *.domain for every host below a domain.',
        { maxLength: 512, rules: imageScope },
      ),
      { maxItems: 256, list: 'set' },
    ),
  ),
  policy: required(
    object('Verification of the images.', { rootOfTrust: required(rootOfTrust), signedIdentity }),
  ),
});
export type ImagePolicySpec = Infer<typeof imagePolicySpec>;

export const imagePolicyStatus = object('Observed state of the policy.', {
  conditions: conditions('Whether the policy is in effect.', { minItems: 1, maxItems: 8 }),
});

function publicKeyData(
  field: string,
  description: string,
  limits: { readonly minLength?: number } = {},
): Schema<string> {
  return bytes(description, { ...limits, maxLength: MAX_KEY_LENGTH, rules: pem(field, 'PUBLIC KEY') });
}

function certificateBundle(field: string, description: string): Schema<string> {
  return bytes(description, {
    minLength: 72,
    maxLength: MAX_KEY_LENGTH,
    rules: [
      ...pem(field, 'CERTIFICATE'),
      {
        rule: "string(self).findAll('-----BEGIN CERTIFICATE-----').size() == string(self).findAll('-----END CERTIFICATE-----').size()",
        message: `${field} must be base64 encoding of valid PEM format data contain the same number of '-----BEGIN CERTIFICATE-----' and '-----END CERTIFICATE-----' markers.`,
      },
    ],
  });
}

/** The rules apply to decoded bytes, hence the conversion to a string. */
function pem(field: string, label: 'PUBLIC KEY' | 'CERTIFICATE'): readonly ValidationRule[] {
  return [
    {
      rule: `string(self).startsWith('-----BEGIN ${label}-----')`,
      message: `the ${field} must start with base64 encoding of '-----BEGIN ${label}-----'.`,
    },
    {
      rule: `string(self).endsWith('-----END ${label}-----\\n') || string(self).endsWith('-----END ${label}-----')`,
      message: `the ${field} must end with base64 encoding of '-----END ${label}-----'.`,
    },
  ];
}

function emailAddress(description: string): Schema<string> {
  return string(description, { maxLength: 320, rules: [matching('^\\S+@\\S+$', 'invalid email address')] });
}

function repository(description: string): Schema<string> {
  return string(description, { maxLength: 512, rules: signedRepository });
}
