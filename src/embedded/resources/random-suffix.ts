/**
 * The ends of names that the server makes up.
 */

/** Without vowels and what looks like them, so that no words come out. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const LENGTH = 5;

/** Five letters or digits. `random` gives numbers of at least 0 and below 1. */
export function randomSuffix(random: () => number): string {
  return Array.from({ length: LENGTH }, () => ALPHABET.charAt(Math.floor(random() * ALPHABET.length))).join(
    '',
  );
}
