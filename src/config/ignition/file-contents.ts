/**
 * The contents of a file, as far as they are embedded in the config.
 */
import { Gunzip } from 'fflate';
import { invalid, type Outcome, ok } from '../../base/errors.ts';
import type { Resource } from './config.ts';
import { crc32 } from './crc32.ts';
import { decodeDataUrl } from './data-url.ts';

/** The limit of an unpacked file: a few kilobytes of gzip can expand to gigabytes. */
const MAX_CONTENTS_BYTES = 64 * 1024 * 1024;

/**
 * The bytes of a resource with an embedded source. A resource without a source is an empty file; one with a remote
 * source cannot be read here.
 */
export function fileContents(resource: Resource | undefined): Outcome<Uint8Array> {
  const { source, compression } = resource ?? {};
  if (source === undefined || source === '') return ok(new Uint8Array());
  const data = decodeDataUrl(source);
  if (typeof data === 'string') return invalid([{ path: 'source', message: data }]);
  if (compression === undefined || compression === '') return ok(data.bytes);
  if (compression !== 'gzip') {
    return invalid([
      { path: 'compression', message: `unsupported compression type ${JSON.stringify(compression)}` },
    ]);
  }
  const inflated = inflate(data.bytes);
  if (typeof inflated === 'string') return invalid([{ path: 'source', message: inflated }]);
  return ok(inflated);
}

/**
 * In small steps, so that a decompression bomb is detected early. The library checks neither ends nor checksums, so
 * this does.
 */
function inflate(bytes: Uint8Array): Uint8Array | string {
  if (MAGIC.some((byte, at) => at < bytes.length && bytes[at] !== byte))
    return 'gzip data cannot be unpacked: invalid header';
  if (bytes.length < SHORTEST_BYTES) return TOO_EARLY;
  const chunks: Uint8Array[] = [];
  let length = 0;
  let isFinished = false;
  const gunzip = new Gunzip((chunk, final) => {
    chunks.push(chunk);
    length += chunk.length;
    isFinished = final;
  });
  try {
    for (let start = 0; start < bytes.length; start += STEP_BYTES) {
      gunzip.push(bytes.subarray(start, start + STEP_BYTES), start + STEP_BYTES >= bytes.length);
      if (length > MAX_CONTENTS_BYTES) return `gzip data unpacks to more than ${MAX_CONTENTS_BYTES} bytes`;
    }
  } catch (error) {
    return `gzip data cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (!isFinished) return TOO_EARLY;
  const result = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    result.set(chunk, offset);
    offset += chunk.length;
  }
  // The library reads only the first of several concatenated members: rejecting is better than truncating.
  return isSummedUp(bytes, result)
    ? result
    : 'gzip data is damaged, or several behind one another: its checksum differs';
}

const STEP_BYTES = 16 * 1024;
/** Magic number and compression method. */
const MAGIC = [0x1f, 0x8b, 8];
/** Header and trailer. */
const SHORTEST_BYTES = 18;
const TRAILER_BYTES = 8;
const TOO_EARLY = 'gzip data ends too early';

/** The trailer holds checksum and size of the unpacked data. */
function isSummedUp(packed: Uint8Array, unpacked: Uint8Array): boolean {
  const trailer = new DataView(
    packed.buffer,
    packed.byteOffset + packed.length - TRAILER_BYTES,
    TRAILER_BYTES,
  );
  return trailer.getUint32(0, true) === crc32(unpacked) && trailer.getUint32(4, true) === unpacked.length;
}
