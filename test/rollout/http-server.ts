/** The API server of a story behind a socket of its own, with all of `manifests/` in it. */
import { join } from 'node:path';
import type { Env } from '../../src/base/env.ts';
import { startHttpsServer } from '../../src/embedded/apiserver/http/https-server-node.ts';
import {
  type ApiServer,
  createApiServer,
  createMemoryStore,
  type Request,
  type Response,
  type Store,
} from '../../src/embedded/apiserver/index.ts';
import { renewPki } from '../../src/embedded/apiserver/pki/certificates-node.ts';
import type { Pki } from '../../src/embedded/apiserver/pki/pki.ts';
import { installManifests } from '../../src/embedded/up/install-manifests-node.ts';
import { root } from './control.ts';

export type Handle = (request: Request) => Promise<Response>;

/** Wraps the handler of the server; `isOurs`: the request is from the operator or the controllers. */
export type WrapHandler = (handle: Handle, isOurs: (request: Request) => boolean) => Handle;

export type HttpServer = {
  readonly store: Store;
  readonly server: ApiServer;
  readonly pki: Pki;
  readonly port: number;
  /** Requests of components that were forbidden. */
  readonly refused: readonly string[];
  /** The token belongs to the operator or the controllers. */
  readonly noteOurs: (token: string) => void;
  readonly stop: () => Promise<void>;
};

const LOG_LIMITS = { events: 500_000, bytes: 256 * 1024 * 1024 };

export async function startHttpServer(
  env: Env,
  wrapHandler: WrapHandler = (handle) => handle,
): Promise<HttpServer> {
  const { clock } = env;
  const pki = renewPki({}, { clock });
  const store = createMemoryStore(LOG_LIMITS);
  const server = await createApiServer({ store, env, tokenKey: pki.tokenKey });
  await installManifests({ handle: server.handle, clock, directory: join(root, 'manifests') });
  const refused: string[] = [];
  const ours = new Set<string>();
  const socket = await startHttpsServer({
    handle: wrapHandler(noting(server.handle, refused), ({ headers }) =>
      ours.has(headers.authorization ?? ''),
    ),
    ...{ env, certificate: pki.server, authorityPem: pki.authority.certPem, port: 0 },
  });
  return {
    ...{ store, server, pki, port: socket.port, refused },
    noteOurs: (token) => ours.add(`Bearer ${token}`),
    async stop() {
      await socket.stop();
      await server.close();
      await store.close();
    },
  };
}

/** Administrators authenticate with certificates; their forbidden requests are not recorded. */
function noting(handle: Handle, refused: string[]): Handle {
  return async (request) => {
    const answer = await handle(request);
    if (request.certificateUser === undefined && [401, 403, 422].includes(answer.status)) {
      const { body } = answer;
      const why = body instanceof Uint8Array ? new TextDecoder().decode(body) : '';
      refused.push(`${answer.status} ${request.method} ${request.path}: ${why}`);
    }
    return answer;
  };
}
