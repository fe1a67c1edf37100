/**
 * Our server on its real socket, for tests that treat it badly: users with tokens, what the server logs as its own
 * mistakes, and limits small enough to be met.
 */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { type Log, silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import type { FlowLimits } from '../../src/embedded/apiserver/http/flow-limits.ts';
import type { HttpLimits } from '../../src/embedded/apiserver/http/http-limits.ts';
import { startHttpsServer } from '../../src/embedded/apiserver/http/https-server-node.ts';
import {
  type ApiServer,
  createApiServer,
  createMemoryStore,
  type Store,
} from '../../src/embedded/apiserver/index.ts';
import { renewPki } from '../../src/embedded/apiserver/pki/certificates-node.ts';

export type SocketServerOptions = {
  readonly store?: Store;
  /** As those of an earlier one, whose clients are to be known again. */
  readonly pki?: ReturnType<typeof renewPki>;
  readonly users?: readonly string[];
  readonly flowLimits?: FlowLimits;
  readonly limits?: Partial<HttpLimits>;
};

export type Answer = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
};

export type Asked = {
  readonly user?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string | Uint8Array | object;
  readonly timeoutMs?: number;
};

export interface SocketServer {
  readonly port: number;
  readonly server: ApiServer;
  readonly store: Store;
  readonly pki: ReturnType<typeof renewPki>;
  /** What the server took for its own mistakes. */
  readonly mistakes: string[];
  /** As an administrator unless a user is named. */
  ask(method: string, path: string, asked?: Asked): Promise<Answer>;
  /** The answer as it begins. */
  open(method: string, path: string, asked?: Asked): Promise<IncomingMessage>;
  /** A connection without any request yet. */
  connect(): Promise<TLSSocket>;
  /** The store is left as it is where it was brought along. */
  stop(): Promise<void>;
}

/** A question without an answer for so long is a hang. */
const HANG_MS = 20_000;

export async function startSocketServer(options: SocketServerOptions = {}): Promise<SocketServer> {
  const { users = [], store = createMemoryStore(), pki = renewPki({}, { clock: systemClock }) } = options;
  const mistakes: string[] = [];
  const log: Log = {
    ...silentLog,
    error: (message, fields = {}) => mistakes.push(`${message} ${JSON.stringify(fields)}`),
  };
  const env = { clock: systemClock, random: systemRandom, log };
  const tokenUsers = users.map((name) => ({ token: tokenOf(name), user: { name, groups: [] } }));
  const { flowLimits, limits = {} } = options;
  // A connection that the server closes soon may be closed just when it is used again.
  const keepAlive = limits.idleMs === undefined;
  const server = await createApiServer({
    store,
    env,
    tokenKey: pki.tokenKey,
    tokenUsers,
    ...(flowLimits === undefined ? {} : { flowLimits }),
  });
  const socket = await startHttpsServer({
    receive: server.receive,
    env,
    certificate: pki.server,
    authorityPem: pki.authority.certPem,
    port: 0,
    limits: { graceMs: 300, ...limits },
  });
  const { port } = socket;
  const ca = pki.authority.certPem;
  const admin = new Agent({ ca, cert: pki.admin.certPem, key: pki.admin.keyPem, keepAlive });
  const agents = new Map<string | undefined, Agent>([[undefined, admin]]);
  const agentOf = (user: string | undefined) => {
    const agent = agents.get(user) ?? new Agent({ ca, keepAlive, maxSockets: 500 });
    agents.set(user, agent);
    return agent;
  };
  const open = async (method: string, path: string, asked: Asked = {}) => {
    const { user, headers = {}, body, timeoutMs = HANG_MS } = asked;
    const isObject = typeof body === 'object' && !(body instanceof Uint8Array);
    const request = httpsRequest({
      host: '127.0.0.1',
      port,
      method,
      path,
      agent: agentOf(user),
      timeout: timeoutMs,
      // Else it would be the Host header that has to fit the certificate.
      servername: 'localhost',
      headers: {
        ...(user === undefined ? {} : { authorization: `Bearer ${tokenOf(user)}` }),
        ...(isObject ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
    });
    request.once('timeout', () => request.destroy(new Error(`${method} ${path} hangs`)));
    request.end(isObject ? JSON.stringify(body) : body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response;
  };
  return {
    port,
    server,
    store,
    pki,
    mistakes,
    open,
    async ask(method, path, asked) {
      const response = await open(method, path, asked);
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      return { status: response.statusCode ?? 0, headers: response.headers, text };
    },
    async connect() {
      const wire = connect({ host: '127.0.0.1', port, ca });
      wire.on('error', () => undefined);
      await once(wire, 'secureConnect');
      return wire;
    },
    async stop() {
      // With it all connections end, also those that the agents keep.
      await socket.stop();
      await server.close();
      if (options.store === undefined) await store.close();
    },
  };
}

export function tokenOf(user: string): string {
  return `token-of-${user}`;
}
