/**
 * The lengths of file names and paths that Linux takes, in bytes.
 */
import { byteLength } from '../json.ts';

export const MAX_FILE_NAME_BYTES = 255;
export const MAX_PATH_BYTES = 4095;
/** Of a UTF-16 code unit. */
const MAX_UTF8_BYTES = 3;

/** A name beyond the limit; undefined where each name of the path fits. */
export function tooLongName(path: string): string | undefined {
  // Every path of every lookup comes here, and nearly all of them are short.
  if (path.length * MAX_UTF8_BYTES <= MAX_FILE_NAME_BYTES) return undefined;
  return path.split('/').find((name) => byteLength(name) > MAX_FILE_NAME_BYTES);
}

/** Whether a file can be written at the path: `spareBytes` are for what is put before or behind it meanwhile. */
export function isPathWithinLimits(path: string, spareBytes = 0): boolean {
  return byteLength(path) <= MAX_PATH_BYTES - spareBytes && tooLongName(path) === undefined;
}
