/**
 * File modes: numbers in Ignition, octal in people's heads.
 */

/** What a mode may hold besides nothing: read, write and execute for three, and the special bits. */
export const MAX_MODE = 0o7777;
export const MAX_PLAIN_MODE = 0o777;

/** `420` → `0644`. */
export function formatMode(mode: number): string {
  return `0${mode.toString(8)}`;
}
