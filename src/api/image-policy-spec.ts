/**
 * What a signature policy says, for the whole cluster (ClusterImagePolicy) or one namespace (ImagePolicy):
 * which images it covers, by whom they must be signed, and as what.
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

const publicKey = object('A key pair: the signature must fit this public key.', {
  keyData: required(publicKeyData('keyData', 'The public key, PEM in base64.', { minLength: 68 })),
  rekorKeyData: publicKeyData(
    'rekorKeyData',
    'The public key of a Rekor log, PEM in base64. With it, the signature must also stand in that log.',
  ),
});

const fulcioCAWithRekor = object(
  'Short-lived certificates of a Fulcio authority, given to people who have logged in, and a Rekor log of them.',
  {
    fulcioCAData: required(
      bytes('The certificate of the Fulcio authority, PEM in base64.', {
        maxLength: MAX_KEY_LENGTH,
        rules: pem('fulcioCAData', 'CERTIFICATE'),
      }),
    ),
    rekorKeyData: required(publicKeyData('rekorKeyData', 'The public key of the Rekor log, PEM in base64.')),
    fulcioSubject: required(
      object('Who must have logged in, and where.', {
        oidcIssuer: required(
          string('The URL of the OpenID Connect issuer that vouched for the signer.', {
            maxLength: 2048,
            rules: [{ rule: 'isURL(self)', message: 'oidcIssuer must be a valid URL' }],
          }),
        ),
        signedEmail: required(emailAddress('The email address of the signer.')),
      }),
    ),
  },
);

const pki = object('Certificates of an authority of your own.', {
  caRootsData: required(
    certificateBundle('caRootsData', 'The root certificates, one or more, PEM in base64.'),
  ),
  caIntermediatesData: certificateBundle(
    'caIntermediatesData',
    'The certificates between the roots and that of the signer, PEM in base64.',
  ),
  pkiCertificateSubject: required(
    object(
      'Whom the certificate of the signer must name. Where both are given, both must fit.',
      {
        email: emailAddress('An email address among its alternative names.'),
        hostname: string('A DNS name among its alternative names. May begin with *. for a wildcard.', {
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
  'Whose signature counts.',
  {
    policyType: required(
      oneOf('What kind of root it is; the field of that name holds the rest.', [
        'PublicKey',
        'FulcioCAWithRekor',
        'PKI',
      ]),
    ),
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
  'As what the image must be signed, where that is not the name by which it is pulled. MatchRepoDigestOrExact if not given.',
  {
    matchPolicy: required(
      oneOf(
        'How the name in the signature is compared. MatchRepoDigestOrExact: the same reference, or the same repository for an image pulled by digest. MatchRepository: the same repository. ExactRepository: the repository given below. RemapIdentity: the same reference after its beginning was replaced.',
        ['MatchRepoDigestOrExact', 'MatchRepository', 'ExactRepository', 'RemapIdentity'],
      ),
    ),
    exactRepository: object('The one repository that signatures must name.', {
      repository: required(repository('The repository, without tag or digest.')),
    }),
    remapIdentity: object(
      'How names are changed before they are compared, for images pulled from a mirror.',
      {
        prefix: required(
          repository('The beginning to replace. Names that begin otherwise stay as they are.'),
        ),
        signedPrefix: required(repository('What to put in its place.')),
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

export const imagePolicySpec = object('What must be signed, and by whom.', {
  scopes: required(
    list(
      'The images that the policy covers. Where several scopes fit an image, the narrowest one decides.',
      string(
        'An image, a repository, a namespace of repositories or a registry, written in full (docker.io/library/busybox, not busybox), or *.domain for every host below a domain.',
        { maxLength: 512, rules: imageScope },
      ),
      { maxItems: 256, list: 'set' },
    ),
  ),
  policy: required(
    object('How the images are verified.', { rootOfTrust: required(rootOfTrust), signedIdentity }),
  ),
});
export type ImagePolicySpec = Infer<typeof imagePolicySpec>;

export const imagePolicyStatus = object('What became of the policy.', {
  conditions: conditions('Whether the policy is in force, and why not.', { minItems: 1, maxItems: 8 }),
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

/** The rules stand on decoded bytes, hence the conversion to a string. */
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
