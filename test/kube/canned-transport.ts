/** A transport that returns prepared responses in order and records the requests. */
import type { Transport, TransportRequest, TransportResponse } from '../../src/kubernetes/client/index.ts';

export type Canned = {
  readonly status?: number;
  readonly headers?: TransportResponse['headers'];
  /** Objects are sent as JSON. */
  readonly body?: object | string;
  /** The size of the chunks of the body. */
  readonly pieceBytes?: number;
};

export class CannedTransport implements Transport {
  readonly asked: (TransportRequest & { readonly atMs: number })[] = [];
  readonly #answers: (Canned | 'hang' | Error)[];
  readonly #clock: { monotonic(): number };

  constructor(clock: { monotonic(): number }, answers: readonly (Canned | 'hang' | Error)[]) {
    this.#clock = clock;
    this.#answers = [...answers];
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    this.asked.push({ ...request, atMs: this.#clock.monotonic() });
    const answer = this.#answers.shift() ?? {};
    if (answer instanceof Error) throw answer;
    // It ignores even the abort signal.
    if (answer === 'hang') return await new Promise(() => undefined);
    const { status = 200, headers = {}, body = {}, pieceBytes = 7 } = answer;
    const bytes = new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
    return { status, headers, body: piecesOf(bytes, pieceBytes) };
  }
}

async function* piecesOf(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
