/**
 * Suffixes of generated names.
 */

/** No vowels and no similar digits, to avoid accidental words. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const LENGTH = 5;

/** Five characters. `random` is in [0, 1). */
export function randomSuffix(random: () => number): string {
  return Array.from({ length: LENGTH }, () => ALPHABET.charAt(Math.floor(random() * ALPHABET.length))).join(
    '',
  );
}
