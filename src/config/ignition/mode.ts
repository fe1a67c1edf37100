/**
 * File modes: decimal numbers in Ignition, shown in octal.
 */

/** The bits of a mode: permissions and the special bits. */
export const MAX_MODE = 0o7777;
export const MAX_PLAIN_MODE = 0o777;

/** `420` → `0644`. */
export function formatMode(mode: number): string {
  return `0${mode.toString(8)}`;
}
