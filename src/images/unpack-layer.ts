/**
 * Unpacks layers: plain ones, or gzip in small steps, so that a decompression bomb is detected early.
 */
import { Gunzip } from 'fflate';
import { joinBytes } from '../base/bytes.ts';
import { formatProblem, invalid, type Outcome } from '../base/errors.ts';
import { digestOf } from './digest.ts';
import { type FileTree, mergeLayers } from './file-tree.ts';
import { type TarEntry, untar } from './untar.ts';

/** The limit of all unpacked layers of an image: they are held in memory. */
export const MAX_UNPACKED_BYTES = 1024 * 1024 * 1024;

const STEP_BYTES = 64 * 1024;
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

export type PackedLayer = {
  readonly bytes: Uint8Array;
  /** Of the unpacked layer, from the config of the image. */
  readonly diffId: string;
};

/** The files of an image, from its layers, lowest first. */
export function unpackLayers(
  layers: readonly PackedLayer[],
  limitBytes: number = MAX_UNPACKED_BYTES,
): Outcome<FileTree> {
  const unpacked: (readonly TarEntry[])[] = [];
  let left = limitBytes;
  for (const [number, { bytes, diffId }] of layers.entries()) {
    const refused = (message: string) => invalid<FileTree>([{ path: `layer ${number}`, message }]);
    const archive = inflate(bytes, left);
    if (typeof archive === 'string') return refused(archive);
    left -= archive.length;
    const got = digestOf(archive, diffId.startsWith('sha512:') ? 'sha512' : 'sha256');
    if (got !== diffId) return refused(`it unpacks to ${got}, not to ${diffId}`);
    const entries = untar(archive);
    if (entries.kind === 'invalid') return refused(entries.problems.map(formatProblem).join('; '));
    unpacked.push(entries.value);
  }
  return mergeLayers(unpacked);
}

/** The archive, or a problem. Without gzip's magic bytes it is taken for a plain one. */
function inflate(bytes: Uint8Array, limitBytes: number): Uint8Array | string {
  const tooLarge = `it unpacks to more than ${limitBytes} bytes`;
  if (ZSTD_MAGIC.every((byte, at) => bytes[at] === byte))
    return 'it is packed with zstd, which is not supported';
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.length > limitBytes ? tooLarge : bytes;
  const chunks: Uint8Array[] = [];
  let length = 0;
  const gunzip = new Gunzip((chunk) => {
    chunks.push(chunk);
    length += chunk.length;
  });
  try {
    for (let start = 0; start < bytes.length; start += STEP_BYTES) {
      // No step is marked as the last, or further gzip members would not be read. A truncated archive is detected
      // by its digest.
      gunzip.push(bytes.subarray(start, start + STEP_BYTES), false);
      if (length > limitBytes) return tooLarge;
    }
  } catch (error) {
    return `it cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`;
  }
  return joinBytes(chunks);
}
