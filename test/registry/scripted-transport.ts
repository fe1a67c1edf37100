/** A transport whose answers are written down, in the order in which they are asked for. */
import type {
  RegistryTransport,
  RegistryTransportRequest,
  RegistryTransportResponse,
} from '../../src/images/index.ts';

export type Reply = {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  /** An error breaks the connection off behind what came before it. */
  readonly body?: readonly (Uint8Array | string | Error)[];
};

export type Script = (request: RegistryTransportRequest, number: number) => Reply | Error | Promise<Reply>;

export type ScriptedTransport = RegistryTransport & {
  readonly requests: readonly RegistryTransportRequest[];
};

export function scriptedTransport(script: Script): ScriptedTransport {
  const requests: RegistryTransportRequest[] = [];
  return {
    requests,
    async send(request): Promise<RegistryTransportResponse> {
      requests.push(request);
      const reply = await script(request, requests.length - 1);
      if (reply instanceof Error) throw reply;
      const { status, headers = {}, body = [] } = reply;
      return { status, headers, body: pieces(body) };
    },
  };
}

async function* pieces(body: NonNullable<Reply['body']>): AsyncGenerator<Uint8Array> {
  for (const piece of body) {
    if (piece instanceof Error) throw piece;
    yield typeof piece === 'string' ? new TextEncoder().encode(piece) : piece;
  }
}
