/**
 * The name of a rendered MachineConfig: its pool and a digest of its content, so that the same content has
 * the same name, and going back to an older content goes back to its name.
 */
import { md5 } from '@noble/hashes/legacy.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { RENDERED_PREFIX } from './select-sources.ts';

/** `specText` is the canonical JSON of the spec. MD5 is only a name here: nothing rests on its strength. */
export function renderedName(pool: string, specText: string): string {
  return `${RENDERED_PREFIX}${pool}-${bytesToHex(md5(utf8ToBytes(specText)))}`;
}
