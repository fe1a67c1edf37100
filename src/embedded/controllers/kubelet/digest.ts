/**
 * Deterministic ids and jitter derived from names, so that a cluster behaves the same after a restart.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** 64 hexadecimal digits. */
export function digestOf(...parts: readonly (string | number)[]): string {
  return bytesToHex(sha256(utf8ToBytes(parts.join('\n'))));
}

/** In [0, 1). FNV-1a with a final mix; not cryptographic. */
export function fractionOf(...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const part of parts) {
    for (const letter of `${part}\n`) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
