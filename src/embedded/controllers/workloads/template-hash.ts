/**
 * A short hash of a pod template for the names of ReplicaSets. Deterministic, but not the hash of Kubernetes, which is not
 * guaranteed either.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from '../../../base/json.ts';
import type { PodTemplateSpec } from '../../../kubernetes/types/index.ts';

/** The alphabet of Kubernetes' SafeEncodeString, without vowels. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const LENGTH = 10;

/** `collisions` is the collisionCount of the Deployment. */
export function templateHash(template: PodTemplateSpec, collisions = 0): string {
  const text = canonicalJson(template) + (collisions === 0 ? '' : String(collisions));
  const digest = sha256(utf8ToBytes(text));
  return Array.from(digest.subarray(0, LENGTH), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}
