/**
 * Content digests: `sha256:` and 64 hexadecimal digits, or `sha512:` and 128.
 */
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { assert } from '../base/errors.ts';

export type Algorithm = 'sha256' | 'sha512';

const PATTERN = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

/** Whether it is a digest of a supported algorithm. */
export function isDigest(text: string): boolean {
  return PATTERN.test(text);
}

export function algorithmOf(digest: string): Algorithm {
  assert(isDigest(digest), 'a digest was checked before it is used');
  return digest.startsWith('sha256:') ? 'sha256' : 'sha512';
}

export function digestOf(bytes: Uint8Array, algorithm: Algorithm = 'sha256'): string {
  const hash = algorithm === 'sha256' ? sha256 : sha512;
  return `${algorithm}:${bytesToHex(hash(bytes))}`;
}

interface Digester {
  update(bytes: Uint8Array): void;
  /** Called once. */
  digest(): string;
}

/** For streamed content. */
export function createDigester(algorithm: Algorithm): Digester {
  const hash = algorithm === 'sha256' ? sha256.create() : sha512.create();
  return {
    update: (bytes) => {
      hash.update(bytes);
    },
    digest: () => `${algorithm}:${bytesToHex(hash.digest())}`,
  };
}
