/**
 * The name of a rendered MachineConfig: the pool and a digest of the content, so that the same content always has the
 * same name, also after it was changed and restored.
 */
import { md5 } from '@noble/hashes/legacy.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { RENDERED_PREFIX } from './select-sources.ts';

/** `specText` is the canonical JSON of the spec. MD5 is only used as a name; nothing depends on its strength. */
export function renderedName(pool: string, specText: string): string {
  return `${RENDERED_PREFIX}${pool}-${bytesToHex(md5(utf8ToBytes(specText)))}`;
}
