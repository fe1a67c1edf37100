/**
 * Unpacks gzip data in pieces, so that it can pause between them, and never beyond the size that the data declares at its end.
 */
import { Gunzip } from 'fflate';
import { piecesOf } from '../../base/bytes.ts';
import { crc32 } from './crc32.ts';

/** The unpacked size that the data declares, modulo 2^32; undefined where it is no gzip data. */
export function declaredBytes(packed: Uint8Array): number | undefined {
  return outerProblem(packed) === undefined ? trailerOf(packed).sizeBytes : undefined;
}

/**
 * Yields the unpacked bytes, piece by piece; returns the problem, if there is one. Data that unpacks to more than it declares is
 * damaged: a caller that has checked the declared size needs to check nothing else.
 *
 * The library checks neither ends nor checksums, so this does.
 */
export function* gunzipPieces(packed: Uint8Array): Generator<Uint8Array, string | undefined> {
  const problem = outerProblem(packed);
  if (problem !== undefined) return problem;
  const declared = trailerOf(packed);
  const chunks: Uint8Array[] = [];
  let isFinished = false;
  const gunzip = new Gunzip((chunk, final) => {
    chunks.push(chunk);
    isFinished = final;
  });
  const stepBytes = stepBytesFor(packed, declared.sizeBytes);
  let [length, checksum] = [0, 0];
  for (let start = 0; start < packed.length; start += stepBytes) {
    try {
      gunzip.push(packed.subarray(start, start + stepBytes), start + stepBytes >= packed.length);
    } catch (error) {
      return `gzip data cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`;
    }
    for (const chunk of chunks.splice(0)) {
      length += chunk.length;
      if (length > declared.sizeBytes) return DAMAGED;
      for (const piece of piecesOf(chunk)) {
        checksum = crc32(piece, checksum);
        yield piece;
      }
    }
  }
  if (!isFinished) return TOO_EARLY;
  // The library reads only the first of several concatenated members: rejecting is better than truncating.
  return length === declared.sizeBytes && checksum === declared.checksum ? undefined : DAMAGED;
}

/** Magic number and compression method. */
const MAGIC = [0x1f, 0x8b, 8];
/** Header and trailer. */
const SHORTEST_BYTES = 18;
const TRAILER_BYTES = 8;
const TOO_EARLY = 'gzip data ends too early';
/** The format cannot pack anything better: a size beyond it is not the size of this data, whose end is missing. */
const MAX_RATIO = 1040;
const DAMAGED = 'gzip data is damaged, or several behind one another: its checksum differs';

function outerProblem(packed: Uint8Array): string | undefined {
  if (MAGIC.some((byte, at) => at < packed.length && packed[at] !== byte))
    return 'gzip data cannot be unpacked: invalid header';
  if (packed.length < SHORTEST_BYTES) return TOO_EARLY;
  return trailerOf(packed).sizeBytes > packed.length * MAX_RATIO ? TOO_EARLY : undefined;
}

type Trailer = { readonly checksum: number; readonly sizeBytes: number };

function trailerOf(packed: Uint8Array): Trailer {
  const start = packed.byteOffset + packed.length - TRAILER_BYTES;
  const view = new DataView(packed.buffer, start, TRAILER_BYTES);
  return { checksum: view.getUint32(0, true), sizeBytes: view.getUint32(4, true) };
}

/** What one step should unpack to: some milliseconds of work. */
const STEP_TARGET_BYTES = 512 * 1024;
/** Each step costs something by itself. */
const MIN_STEP_BYTES = 1024;
const MAX_STEP_BYTES = 16 * 1024;

function stepBytesFor(packed: Uint8Array, sizeBytes: number): number {
  const proportional = Math.ceil((packed.length * STEP_TARGET_BYTES) / Math.max(1, sizeBytes));
  return Math.min(MAX_STEP_BYTES, Math.max(MIN_STEP_BYTES, proportional));
}
