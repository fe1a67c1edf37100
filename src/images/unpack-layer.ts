/**
 * A layer as a registry keeps it, unpacked: plain, or by gzip in small steps, so that a bomb is noticed while it grows.
 */
import { Gunzip } from 'fflate';
import { formatProblem, invalid, type Outcome } from '../base/errors.ts';
import { digestOf } from './digest.ts';
import { type FileTree, mergeLayers } from './file-tree.ts';
import { joinBytes } from './read-bytes.ts';
import { type TarEntry, untar } from './untar.ts';

/** All layers of an image together may unpack to so much: they are held in memory. */
export const MAX_UNPACKED_BYTES = 1024 * 1024 * 1024;

const STEP_BYTES = 64 * 1024;
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

export type PackedLayer = {
  readonly bytes: Uint8Array;
  /** Of what it unpacks to, as the config of the image says. */
  readonly diffId: string;
};

/** The files of an image, from its layers, the lowest first. */
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

/** The archive, or what is wrong with it. What does not begin as gzip does is taken to be one already. */
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
      // No step is said to be the last, or further parts behind the first would not be read. What is cut short is found
      // out by its digest.
      gunzip.push(bytes.subarray(start, start + STEP_BYTES), false);
      if (length > limitBytes) return tooLarge;
    }
  } catch (error) {
    return `it cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`;
  }
  return joinBytes(chunks);
}
