/**
 * A short name for a pod template, such as ends the names of ReplicaSets. The same template always has the same one;
 * it is not the one that Kubernetes would compute, which nobody can rely on either.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from '../../../base/json.ts';
import type { PodTemplateSpec } from '../../../kubernetes/types/index.ts';

/** Without vowels and what looks like them, so that no words come out. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const LENGTH = 10;

/** `collisions`: how often the name that came out was taken already. */
export function templateHash(template: PodTemplateSpec, collisions = 0): string {
  const text = canonicalJson(template) + (collisions === 0 ? '' : String(collisions));
  const digest = sha256(utf8ToBytes(text));
  return Array.from(digest.subarray(0, LENGTH), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}
