/**
 * The credentials with which nodes pull OS images: Secrets → the auth file in the ControllerConfig that daemons copy to nodes.
 *
 *     machine-os-puller in the namespace of Millwright ─────┐
 *     pull-secret in the namespace of Millwright ───────────┼─> ControllerConfig: spec.internalRegistryPullSecret
 *     openshift-config/pull-secret ─────────────────────────┘
 *
 * For a registry that several of them name, the last one wins. Where a Secret is invalid, that is reported on it and nodes keep what they have: a typing error must not break pulls that
 * work.
 */
import { formatProblem } from '../base/errors.ts';
import { byteLength, isObject, type Json, parseJson } from '../base/json.ts';
import { type Finding, referenceTo } from '../config/registries/index.ts';
import { type Secret, secret as secretKind } from '../kubernetes/types/index.ts';
import { authFileOf } from './builds/registry-secret.ts';

/** The ControllerConfig, which holds more, must stay below 1.5 MB. */
const MAX_BYTES = 256 * 1024;

type NodeCredentials = {
  /** Empty where there have never been any: then nodes use those of the kubelet. */
  readonly authFile: string;
  readonly findings: readonly Finding[];
};

/** `secrets`: later ones win. `present`: the auth file that nodes have. */
export function nodeCredentials(secrets: readonly Secret[], present: string): NodeCredentials {
  const findings: Finding[] = [];
  const auths = new Map<string, Json>();
  for (const secret of secrets) {
    const read = authFileOf(secret);
    if (read.kind === 'invalid') {
      const message = `${read.problems.map(formatProblem).join('; ')}: nodes keep their present credentials`;
      findings.push(invalidSecret(secret, message));
      continue;
    }
    for (const [registry, entry] of Object.entries(entriesOf(read.value))) auths.set(registry, entry);
  }
  const authFile = JSON.stringify({ auths: Object.fromEntries(auths) });
  const [last] = secrets.slice(-1);
  if (last !== undefined && byteLength(authFile) > MAX_BYTES) {
    const message = `all pull secrets together are ${byteLength(authFile)} bytes, more than ${MAX_BYTES}: nodes keep their present credentials`;
    findings.push(invalidSecret(last, message));
  }
  if (findings.length > 0) return { authFile: present, findings };
  // Credentials that were removed are removed from nodes; where there never were any, nothing changes.
  return { authFile: secrets.length === 0 && present === '' ? '' : authFile, findings };
}

function entriesOf(authFile: string): { readonly [registry: string]: Json } {
  const document = parseJson(authFile);
  return isObject(document) && isObject(document.auths) ? document.auths : {};
}

function invalidSecret(secret: Secret, message: string): Finding {
  return { about: referenceTo(secretKind, secret.metadata), reason: 'InvalidPullSecret', message };
}
