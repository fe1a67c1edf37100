/**
 * The signature requirement of policy.json (containers-policy.json(5)) for a policy of ours.
 */
import type { ImagePolicySpec } from '../../api/index.ts';
import type { JsonObject } from '../../base/json.ts';

/** Keys and certificates are base64 in both places. */
export function signatureRequirement({ rootOfTrust, signedIdentity }: ImagePolicySpec['policy']): JsonObject {
  return { type: 'sigstoreSigned', ...trusted(rootOfTrust), signedIdentity: identity(signedIdentity) };
}

function trusted({
  policyType,
  publicKey,
  fulcioCAWithRekor,
  pki,
}: ImagePolicySpec['policy']['rootOfTrust']): JsonObject {
  switch (policyType) {
    case 'PublicKey':
      return present({ keyData: publicKey?.keyData, rekorPublicKeyData: publicKey?.rekorKeyData });
    case 'FulcioCAWithRekor': {
      const { fulcioCAData, rekorKeyData, fulcioSubject } = fulcioCAWithRekor ?? {};
      const { oidcIssuer, signedEmail } = fulcioSubject ?? {};
      const fulcio = present({ caData: fulcioCAData, oidcIssuer, subjectEmail: signedEmail });
      return { fulcio, ...present({ rekorPublicKeyData: rekorKeyData }) };
    }
    case 'PKI': {
      const { caRootsData, caIntermediatesData, pkiCertificateSubject } = pki ?? {};
      const { email, hostname } = pkiCertificateSubject ?? {};
      const subject = { subjectEmail: email, subjectHostname: hostname };
      return { pki: present({ caRootsData, caIntermediatesData, ...subject }) };
    }
  }
}

function identity(given: ImagePolicySpec['policy']['signedIdentity']): JsonObject {
  const { matchPolicy = 'MatchRepoDigestOrExact', exactRepository, remapIdentity } = given ?? {};
  switch (matchPolicy) {
    case 'MatchRepoDigestOrExact':
      return { type: 'matchRepoDigestOrExact' };
    case 'MatchRepository':
      return { type: 'matchRepository' };
    case 'ExactRepository':
      return { type: 'exactRepository', ...present({ dockerRepository: exactRepository?.repository }) };
    case 'RemapIdentity': {
      const { prefix, signedPrefix } = remapIdentity ?? {};
      return { type: 'remapIdentity', ...present({ prefix, signedPrefix }) };
    }
  }
}

/** Readers of the file are strict: a field that is present must not be empty. */
function present(fields: { readonly [name: string]: string | undefined }): JsonObject {
  const kept = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value] as const],
  );
  return Object.fromEntries(kept);
}
