/**
 * Bringing a blob to a registry: not at all where it is there, by taking it over from another repository, at one go, or
 * in chunks that are gone on with where they broke off.
 */
import { Failure } from '../base/errors.ts';
import { readBytes } from './read-bytes.ts';
import { readRefusal, refusedFailure } from './refusal.ts';
import type { Answer, Ask, Requests } from './requests.ts';

/** Content that can be read more than once, from any place. */
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
  /** A repository of the same registry that may have it. */
  readonly mountFrom?: string | undefined;
  /** Sends chunks of so many bytes, each of which is held in memory; without it, all at one go. */
  readonly chunkBytes?: number | undefined;
  readonly attempts: number;
  readonly signal?: AbortSignal | undefined;
};

export type PushedBlob = 'present' | 'mounted' | 'uploaded';

/** A registry may ask for larger chunks, but not for ones that do not fit in memory. */
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

async function isPresent(options: PushBlobOptions): Promise<boolean> {
  const answer = await options.requests.ask(ask(options, 'HEAD', { path: `blobs/${options.source.digest}` }));
  if (answer.status === 200) return true;
  if (answer.status === 404) return false;
  throw refusedFailure(`checking whether a blob ${options.source.digest} exists`, await readRefusal(answer));
}

/** Where to send it. */
async function begin(options: PushBlobOptions): Promise<Answer | 'mounted'> {
  const { source, mountFrom } = options;
  const query =
    mountFrom === undefined ? '' : `?mount=${source.digest}&from=${encodeURIComponent(mountFrom)}`;
  const answer = await options.requests.ask({
    ...ask(options, 'POST', { path: `blobs/uploads/${query}` }),
    ...{ isRepeatable: true, alsoPull: mountFrom, headers: { 'content-length': '0' } },
  });
  if (answer.status === 201) return 'mounted';
  if (answer.status === 202) return answer;
  throw refusedFailure(`initiating layer upload to ${options.repository}`, await readRefusal(answer));
}

async function uploadWhole(options: PushBlobOptions, begun: Answer): Promise<void> {
  const { source } = options;
  const answer = await options.requests.ask({
    ...ask(options, 'PUT', { url: finishUrl(begun, source.digest) }),
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(source.size) },
    body: () => source.read(0),
  });
  await expectCreated(options, answer);
}

async function uploadChunks(options: PushBlobOptions, begun: Answer): Promise<void> {
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
      if (answer.status !== 202) throw refusedFailure('uploading layer chunked', await readRefusal(answer));
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

/** How far an upload has come that broke off. */
async function status(options: PushBlobOptions, at: Answer): Promise<Answer> {
  const answer = await options.requests.ask(ask(options, 'GET', { url: locationOf(at) }));
  if (answer.status === 204 || answer.status === 202) return answer;
  throw refusedFailure('uploading layer chunked', await readRefusal(answer));
}

/** The registry holds more or less than we think, and it is not worth finding out: all begins anew. */
function outOfStep(): Failure {
  return new Failure('transient', 'RangeInvalid', 'uploading layer chunked: invalid content range');
}

/** An upload that holds nothing is told as `0-0`, as is one that holds a single byte. */
function receivedOf({ headers }: Answer): number {
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

async function expectCreated({ source }: PushBlobOptions, answer: Answer): Promise<void> {
  if (answer.status === 201) return;
  throw refusedFailure(`uploading layer to ${source.digest}`, await readRefusal(answer));
}

function finishUrl(at: Answer, digest: string): string {
  const url = new URL(locationOf(at));
  url.searchParams.set('digest', digest);
  return url.href;
}

function locationOf({ headers, url }: Answer): string {
  const { location } = headers;
  if (location === undefined || !URL.canParse(location, url)) {
    throw new Failure('stalled', 'BadAnswer', 'the registry does not say where to upload to');
  }
  return new URL(location, url).href;
}

function ask({ host, repository, signal }: PushBlobOptions, method: Ask['method'], to: Ask['to']): Ask {
  return { host, repository, actions: 'pull,push', method, to, signal };
}

/** Of bytes that are there. */
export function bytesSource(digest: string, bytes: Uint8Array): BlobSource {
  return {
    digest,
    size: bytes.length,
    async *read(from) {
      yield bytes.subarray(from);
    },
  };
}
