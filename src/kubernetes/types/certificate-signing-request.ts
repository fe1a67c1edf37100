/**
 * CertificateSigningRequest: a request for a certificate, to be approved and then signed. The embedded API server does not
 * serve it.
 */
import type { ObjectOfKind } from '../meta/index.ts';
import { bytes, int32, list, mapOf, named, pointer, required, string, struct } from '../schema/index.ts';
import { defineBuiltin, statusSubresource } from './builtin.ts';
import { conditionFields } from './conditions.ts';
import { always, keyed, nullableTime, strings } from './fields.ts';

const usages = list('What the key is used for.', named('certificates.KeyUsage', string('One use.')), {
  list: 'atomic',
});

export const certificateSigningRequest = defineBuiltin({
  group: 'certificates.k8s.io',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  shortNames: ['csr'],
  scope: 'Cluster',
  description: 'A request for a certificate.',
  subresources: [statusSubresource, { name: 'approval', verbs: ['get', 'patch', 'update'] }],
  fields: {
    spec: required(
      struct(
        'certificates.CertificateSigningRequestSpec',
        'The request, and who sent it. It cannot be changed.',
        {
          request: required(bytes('The request (PKCS #10) as PEM.')),
          signerName: always(string('Who shall sign it.')),
          expirationSeconds: pointer(int32('How long the certificate shall be valid.')),
          usages,
          username: string('Who sent it; set by the server.'),
          uid: string('The uid of the sender.'),
          groups: strings('The groups of the sender.', 'A group.'),
          extra: mapOf('More about the sender.', strings('The values.', 'A value.')),
        },
      ),
    ),
    status: struct('certificates.CertificateSigningRequestStatus', 'What became of it.', {
      conditions: keyed(
        'Approved, Denied or Failed.',
        struct('certificates.CertificateSigningRequestCondition', 'A decision.', {
          ...conditionFields('certificates.Request', 'core.ConditionStatus'),
          lastUpdateTime: nullableTime('When it was last changed.'),
        }),
        ['type'],
      ),
      certificate: bytes('The certificates as PEM, once it is signed.'),
    }),
  },
});
export type CertificateSigningRequest = ObjectOfKind<typeof certificateSigningRequest>;
