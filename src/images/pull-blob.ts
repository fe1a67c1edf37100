/**
 * Streams a blob and verifies it: its size with every chunk, its digest after the last. Before the end
 * it is not verified, so callers must not use it earlier.
 *
 * An interrupted stream is resumed; from a registry without ranges the blob is read again.
 */
import type { Env } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import { delayAfter } from '../base/waiting.ts';
import { algorithmOf, createDigester } from './digest.ts';
import { readErrorResponse, responseFailure } from './error-response.ts';
import type { RegistryLimits } from './limits.ts';
import type { Descriptor } from './manifest.ts';
import type { RegistryResponse, Requests } from './requests.ts';

type PullBlobOptions = {
  readonly requests: Requests;
  readonly env: Pick<Env, 'clock' | 'random'>;
  readonly limits: RegistryLimits;
  readonly host: string;
  readonly repository: string;
  readonly descriptor: Pick<Descriptor, 'digest' | 'size'>;
  readonly signal?: AbortSignal | undefined;
};

export async function* pullBlob(options: PullBlobOptions): AsyncGenerator<Uint8Array> {
  const { descriptor, limits } = options;
  const { digest, size } = descriptor;
  if (size > limits.blobBytes)
    throw wrong('BlobTooLarge', `${digest} is larger than ${limits.blobBytes} bytes`);
  const digester = createDigester(algorithmOf(digest));
  let received = 0;
  let isComplete = false;
  let resumes = 0;
  let failuresInARow = 0;
  while (!isComplete) {
    const before = received;
    try {
      for await (const piece of piecesFrom(options, received)) {
        received += piece.length;
        if (received > size) throw wrong('SizeMismatch', `${digest} is longer than its ${size} bytes`);
        digester.update(piece);
        yield piece;
      }
      isComplete = received === size;
      if (!isComplete)
        throw new Failure('transient', 'Broken', `${digest} ends after ${received} of ${size} bytes`);
    } catch (error) {
      const isTransient = error instanceof Failure && error.kind === 'transient';
      failuresInARow = received > before ? 0 : failuresInARow + 1;
      resumes += 1;
      if (!isTransient || failuresInARow >= limits.attempts || resumes > limits.resumes) throw error;
      const delayMs = delayAfter(limits.retry, failuresInARow, options.env.random);
      await options.requests.wait(delayMs, { method: 'GET', host: options.host, signal: options.signal });
    }
  }
  const got = digester.digest();
  if (got !== digest) throw wrong('DigestMismatch', `Digest did not match, expected ${digest}, got ${got}`);
}

async function* piecesFrom(options: PullBlobOptions, start: number): AsyncGenerator<Uint8Array> {
  const { requests, host, repository, descriptor, signal } = options;
  const { digest, size } = descriptor;
  // All bytes are read, and there are no empty ranges.
  if (start === size && start > 0) return;
  const answer = await requests.ask({
    host,
    repository,
    actions: 'pull',
    method: 'GET',
    to: { path: `blobs/${digest}` },
    signal,
    ...(start === 0 ? {} : { headers: { range: `bytes=${start}-` } }),
  });
  let skip = skippedOf(answer, start);
  if (skip === undefined) throw responseFailure(`reading blob ${digest}`, await readErrorResponse(answer));
  for await (const piece of answer.body) {
    const dropped = Math.min(skip, piece.length);
    skip -= dropped;
    if (dropped < piece.length) yield piece.subarray(dropped);
  }
}

/** How much of the response is known already; undefined where it is not usable. */
function skippedOf({ status, headers }: RegistryResponse, start: number): number | undefined {
  if (status === 200) return start;
  if (status !== 206) return undefined;
  const from = Number(/^bytes ([0-9]+)-/.exec(headers['content-range'] ?? '')?.[1]);
  return from <= start ? start - from : undefined;
}

function wrong(reason: string, message: string): Failure {
  return new Failure('stalled', reason, message);
}
