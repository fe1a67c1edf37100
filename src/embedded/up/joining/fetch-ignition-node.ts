/**
 * Fetches the config of a joining machine over HTTPS, as Ignition does: it trusts the CA of its pointer alone, and asks again
 * after errors of the server and of the network.
 */
import { request } from 'node:https';
import type { Clock } from '../../../base/env.ts';
import { Failure } from '../../../base/errors.ts';
import { sleep } from '../../../base/waiting.ts';
import type { PointerRequest } from './pointer-request.ts';

type FetchOptions = {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with what it waits for, each time that it is something else. */
  readonly onWait: (why: string) => void;
};

/** What Ignition of spec 3.5 sends. */
const ACCEPT = 'application/vnd.coreos.ignition+json;version=3.5.0, */*;q=0.1';
const MAX_BYTES = 64 * 1024 * 1024;
const RESPONSE_LIMIT_MS = 30_000;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 5_000;

/** Throws a `Failure` if the server refuses it for good, or if it is stopped. */
export async function fetchIgnition(pointer: PointerRequest, options: FetchOptions): Promise<string> {
  const { clock, signal, onWait } = options;
  let last = '';
  for (let delayMs = FIRST_WAIT_MS; ; delayMs = Math.min(delayMs * 2, MAX_WAIT_MS)) {
    const answer = await send(pointer, signal).catch((error: unknown) => ({ error: String(error) }));
    if ('status' in answer && answer.status === 200) return answer.text;
    if ('status' in answer && answer.status < 500) {
      throw new Failure('stalled', 'IgnitionRefused', `${pointer.url} answered ${answer.status}`);
    }
    const why = 'status' in answer ? `answered ${answer.status}` : `is not reachable: ${answer.error}`;
    if (why !== last) onWait(`${pointer.url} ${why}`);
    last = why;
    if (!(await sleep(clock, { delayMs, signal }))) throw new Failure('cancelled', 'Stopped', 'stopped');
  }
}

type Answer = { readonly status: number; readonly text: string };

function send({ url, headers, authorities }: PointerRequest, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { headers: { ...headers, accept: ACCEPT }, ca: [...authorities], agent: false, signal };
    const sent = request(url, { ...options, timeout: RESPONSE_LIMIT_MS }, (response) => {
      const pieces: Buffer[] = [];
      let bytes = 0;
      response.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > MAX_BYTES) sent.destroy(new Error(`the response has more than ${MAX_BYTES} bytes`));
        else pieces.push(piece);
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString('utf8') }),
      );
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.on('error', reject);
    sent.end();
  });
}
