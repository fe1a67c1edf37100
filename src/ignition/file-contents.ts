/**
 * What a file will hold, as far as the config itself tells.
 */
import { Gunzip } from 'fflate';
import { invalid, type Outcome, ok } from '../errors.ts';
import type { Resource } from './config.ts';
import { decodeDataUrl } from './data-url.ts';

/** No file of a config may unpack to more: a few kilobytes of gzip can claim gigabytes. */
export const MAX_CONTENTS_BYTES = 64 * 1024 * 1024;

/**
 * The bytes behind a resource that carries its own data. A resource without a source is an empty file; one
 * that names a place on the network cannot be read here.
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

/** In small steps, so that a bomb is noticed before it has unpacked. */
function inflate(bytes: Uint8Array): Uint8Array | string {
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
  if (!isFinished) return 'gzip data ends too early';
  const result = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    result.set(chunk, offset);
    offset += chunk.length;
  }
  return result;
}

const STEP_BYTES = 16 * 1024;
