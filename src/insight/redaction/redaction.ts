/**
 * How a secret is replaced. The digest is keyed: within one dump equal secrets have equal marks, and nobody can find a short
 * password by trying, since the key is thrown away.
 */
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

export type Redaction = {
  /** What stands in place of the text: `[redacted 0123456789ab]`. */
  readonly mark: (text: string) => string;
};

const DIGITS = 12;

/** `key`: random, of this dump alone. */
export function redactionWith(key: Uint8Array): Redaction {
  return {
    mark: (text) => {
      const digest = bytesToHex(hmac(sha256, key, utf8ToBytes(text)));
      return `[redacted ${digest.slice(0, DIGITS)}]`;
    },
  };
}
