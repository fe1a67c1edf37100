/**
 * Pushes a blob: not at all where it exists, by a mount from another repository, in one request, or
 * in chunks that are resumed after an interruption.
 */
import { Failure } from '../base/errors.ts';
import { readErrorResponse, responseFailure } from './error-response.ts';
import { readBytes } from './read-bytes.ts';
import type { RegistryRequest, RegistryResponse, Requests } from './requests.ts';

/** Content that can be read repeatedly, from any offset. */
export type BlobSource = {
  readonly digest: string;
  readonly size: number;
  readonly read: (from: number) => AsyncIterable<Uint8Array>;
};

type PushBlobOptions = {
  readonly requests: Requests;
  readonly host: string;
  readonly repository: string;
  readonly source: BlobSource;
  /** A repository of the same registry that may have the blob. */
  readonly mountFrom?: string | undefined;
  /** The size of chunks, which are held in memory; by default one request. */
  readonly chunkBytes?: number | undefined;
  readonly attempts: number;
  readonly signal?: AbortSignal | undefined;
};

export type PushedBlob = 'present' | 'mounted' | 'uploaded';

/** The limit for the minimum chunk size that a registry requires. */
const MAX_CHUNK_BYTES = 64 * 1024 * 1024;

export async function pushBlob(options: PushBlobOptions): Promise<PushedBlob> {
  if (await isPresent(options)) return 'present';
  for (let attempt = 1; ; attempt++) {
    const begun = await begin(options);
    if (begun === 'mounted') return 'mounted';
    try {
      await (options.chunkBytes === undefined ? uploadWhole(options, begun) : uploadChunks(options, begun));
      return 'uploaded';
    } catch (error) {
      const isTransient = error instanceof Failure && error.kind === 'transient';
      if (!isTransient || attempt >= options.attempts) throw error;
    }
  }
}

/** Begins an upload and cancels it: whether the registry accepts one is not known otherwise. */
export async function checkUpload(options: Omit<PushBlobOptions, 'source' | 'attempts'>): Promise<void> {
  const request = { ...options, source: bytesSource('', new Uint8Array()), attempts: 1 };
  const begun = await begin(request);
  if (begun === 'mounted') return;
  const answer = await options.requests.ask(ask(request, 'DELETE', { url: locationOf(begun) }));
  // Registries delete uploads that are never finished anyway.
  await readBytes(answer.body, MAX_CHUNK_BYTES).catch(() => undefined);
}

async function isPresent(options: PushBlobOptions): Promise<boolean> {
  const answer = await options.requests.ask(ask(options, 'HEAD', { path: `blobs/${options.source.digest}` }));
  if (answer.status === 200) return true;
  if (answer.status === 404) return false;
  throw responseFailure(
    `checking whether a blob ${options.source.digest} exists`,
    await readErrorResponse(answer),
  );
}

/** The URL of the upload. */
async function begin(options: PushBlobOptions): Promise<RegistryResponse | 'mounted'> {
  const { source, mountFrom } = options;
  const query =
    mountFrom === undefined ? '' : `?mount=${source.digest}&from=${encodeURIComponent(mountFrom)}`;
  const answer = await options.requests.ask({
    ...ask(options, 'POST', { path: `blobs/uploads/${query}` }),
    isRepeatable: true,
    alsoPull: mountFrom,
    headers: { 'content-length': '0' },
  });
  if (answer.status === 201) return 'mounted';
  if (answer.status === 202) return answer;
  throw responseFailure(`initiating layer upload to ${options.repository}`, await readErrorResponse(answer));
}

async function uploadWhole(options: PushBlobOptions, begun: RegistryResponse): Promise<void> {
  const { source } = options;
  const answer = await options.requests.ask({
    ...ask(options, 'PUT', { url: finishUrl(begun, source.digest) }),
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(source.size) },
    body: () => source.read(0),
  });
  await expectCreated(options, answer);
}

async function uploadChunks(options: PushBlobOptions, begun: RegistryResponse): Promise<void> {
  const { source, attempts, chunkBytes = MAX_CHUNK_BYTES } = options;
  const wished = Math.max(chunkBytes, Number(begun.headers['oci-chunk-min-length'] ?? 0) || 0);
  const step = Math.min(wished, MAX_CHUNK_BYTES);
  let at = begun;
  let sent = 0;
  let failures = 0;
  while (sent < source.size) {
    const chunk = await chunkOf(source, sent, step);
    const end = sent + chunk.length - 1;
    try {
      const answer = await options.requests.ask({
        ...ask(options, 'PATCH', { url: locationOf(at) }),
        headers: {
          'content-type': 'application/octet-stream',
          'content-range': `${sent}-${end}`,
          'content-length': String(chunk.length),
        },
        body: () => chunk,
      });
      if (answer.status === 416) throw outOfStep();
      if (answer.status !== 202)
        throw responseFailure('uploading layer chunked', await readErrorResponse(answer));
      at = answer;
      sent = end + 1;
      failures = 0;
    } catch (error) {
      failures += 1;
      if (!(error instanceof Failure) || error.kind !== 'transient' || failures >= attempts) throw error;
      at = await status(options, at);
      sent = receivedOf(at);
    }
  }
  const answer = await options.requests.ask({
    ...ask(options, 'PUT', { url: finishUrl(at, source.digest) }),
    headers: { 'content-length': '0' },
  });
  await expectCreated(options, answer);
}

/** The offset of an interrupted upload. */
async function status(options: PushBlobOptions, at: RegistryResponse): Promise<RegistryResponse> {
  const answer = await options.requests.ask(ask(options, 'GET', { url: locationOf(at) }));
  if (answer.status === 204 || answer.status === 202) return answer;
  throw responseFailure('uploading layer chunked', await readErrorResponse(answer));
}

/** The offset is unknown: the upload starts anew. */
function outOfStep(): Failure {
  return new Failure('transient', 'RangeInvalid', 'uploading layer chunked: invalid content range');
}

/** `0-0` is the range of an empty upload, and of one byte. */
function receivedOf({ headers }: RegistryResponse): number {
  const last = Number(/^(?:bytes=)?0-([0-9]+)$/.exec(headers.range ?? '')?.[1] ?? 0);
  return last === 0 ? 0 : last + 1;
}

async function chunkOf(source: BlobSource, from: number, step: number): Promise<Uint8Array> {
  const limit = Math.min(step, source.size - from);
  const chunk = await readBytes(firstBytes(source.read(from), limit), limit);
  if (chunk?.length !== limit) {
    throw new Failure('stalled', 'SizeMismatch', `${source.digest} is shorter than its ${source.size} bytes`);
  }
  return chunk;
}

async function* firstBytes(body: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let left = limit;
  for await (const piece of body) {
    yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) return;
  }
}

async function expectCreated({ source }: PushBlobOptions, answer: RegistryResponse): Promise<void> {
  if (answer.status === 201) return;
  throw responseFailure(`uploading layer to ${source.digest}`, await readErrorResponse(answer));
}

function finishUrl(at: RegistryResponse, digest: string): string {
  const url = new URL(locationOf(at));
  url.searchParams.set('digest', digest);
  return url.href;
}

function locationOf({ headers, url }: RegistryResponse): string {
  const { location } = headers;
  if (location === undefined || !URL.canParse(location, url)) {
    throw new Failure('stalled', 'BadAnswer', 'the registry sends no upload location');
  }
  return new URL(location, url).href;
}

function ask(
  { host, repository, signal }: PushBlobOptions,
  method: RegistryRequest['method'],
  to: RegistryRequest['to'],
): RegistryRequest {
  return { host, repository, actions: 'pull,push', method, to, signal };
}

/** Of bytes in memory. */
export function bytesSource(digest: string, bytes: Uint8Array): BlobSource {
  return {
    digest,
    size: bytes.length,
    async *read(from) {
      yield bytes.subarray(from);
    },
  };
}
