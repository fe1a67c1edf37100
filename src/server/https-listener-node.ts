/**
 * The sockets of the server: HTTPS, and plain HTTP where it is asked for. HTTP/1.1 alone, as upstream.
 */
import { once } from 'node:events';
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, isIPv6, type Server as NetServer } from 'node:net';
import { createSecureContext } from 'node:tls';
import { Failure } from '../base/errors.ts';
import type { ConfigRequest, ConfigResponse } from './request.ts';
import type { Listener } from './server-controller.ts';
import { SourceLimiter } from './source-limiter.ts';

type ListenerOptions = {
  readonly answer: (request: ConfigRequest) => Promise<ConfigResponse>;
  /** Without one, all interfaces. */
  readonly host?: string | undefined;
  /** 0 for any free port. */
  readonly port: number;
  /** Serves the same without TLS. */
  readonly plainPort?: number | undefined;
  /** Called once the ports are open. */
  readonly onOpen?: (ports: { readonly port: number; readonly plainPort?: number }) => void;
};

type HttpsListener = Listener & {
  /** Closes the ports; responses that are being sent get a few seconds. */
  readonly stop: () => Promise<void>;
};

/** Requests have few headers and no body. */
const MAX_HEADER_BYTES = 8 * 1024;
const MAX_CONNECTIONS = 512;
/** Of each source: a machine needs one, and another for each attempt. */
const CONNECTION_RATE = { burst: 60, perSecond: 10 };
const HANDSHAKE_MS = 10_000;
const REQUEST_MS = 15_000;
const IDLE_MS = 5_000;
/** A client that reads nothing for so long is disconnected. */
const STALLED_MS = 30_000;
const GRACE_MS = 3_000;

const LIMITS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: REQUEST_MS,
  requestTimeout: REQUEST_MS,
  keepAliveTimeout: IDLE_MS,
  connectionsCheckingInterval: 1_000,
};

/** Nothing is open until the first certificate. */
export function createHttpsListener(options: ListenerOptions): HttpsListener {
  const open: NetServer[] = [];
  let secure: Server | undefined;
  const stop = async () => {
    await Promise.all(open.splice(0).map(close));
  };
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    void answerOver(options.answer, request, response);
  };
  return {
    async useCertificate({ certPem, keyPem }) {
      const pair = { cert: certPem, key: keyPem };
      try {
        createSecureContext(pair);
      } catch (error) {
        throw new Failure(
          'stalled',
          'CertificateUnusable',
          'the certificate of the server is damaged',
          error,
        );
      }
      if (secure !== undefined) {
        secure.setSecureContext({ ...pair, minVersion: 'TLSv1.2' });
        return;
      }
      const settings = { ...LIMITS, ...pair, minVersion: 'TLSv1.2', handshakeTimeout: HANDSHAKE_MS } as const;
      const server = createServer({ ...settings, ALPNProtocols: ['http/1.1'] }, respond);
      try {
        const port = await listen(server, options.port, options);
        open.push(server);
        const plainPort = await openPlain(options, respond, open);
        secure = server;
        options.onOpen?.({ port, ...(plainPort === undefined ? {} : { plainPort }) });
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
  };
}

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

async function openPlain(
  options: ListenerOptions,
  respond: Respond,
  open: NetServer[],
): Promise<number | undefined> {
  if (options.plainPort === undefined) return undefined;
  const plain = createPlainServer(LIMITS, respond);
  const port = await listen(plain, options.plainPort, options);
  open.push(plain);
  return port;
}

async function listen(server: NetServer, port: number, { host }: ListenerOptions): Promise<number> {
  server.maxConnections = MAX_CONNECTIONS;
  const limiter = new SourceLimiter(CONNECTION_RATE);
  server.on('connection', (socket) => {
    // Before the handshake, which costs more than all the rest. Ignition tries again.
    if (!limiter.admit(socket.remoteAddress ?? '', performance.now())) socket.destroy();
    else socket.setTimeout(STALLED_MS, () => socket.destroy());
  });
  const opened = once(server, 'listening');
  server.listen({ port, ...(host === undefined ? {} : { host, ipv6Only: isIPv6(host) }) });
  try {
    await opened;
  } catch (error) {
    const code = (error as { readonly code?: string }).code;
    const why = code === 'EADDRINUSE' ? 'is taken' : `cannot be opened (${code})`;
    throw new Failure('transient', 'PortUnusable', `port ${port} ${why}`, error);
  }
  server.on('error', () => undefined);
  // A server that listens on a port has an address with a port.
  return (server.address() as AddressInfo).port;
}

async function answerOver(
  answer: ListenerOptions['answer'],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { accept, authorization, 'user-agent': userAgent } = request.headers;
  const { status, headers, body } = await answer({
    method: request.method ?? '',
    target: request.url ?? '',
    accept,
    authorization,
    userAgent,
    source: request.socket.remoteAddress ?? '',
  });
  // A body is never read: whoever sends one is disconnected.
  const hasBody =
    request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
  response.writeHead(status, {
    'content-length': '0',
    ...headers,
    ...(hasBody ? { connection: 'close' } : {}),
  });
  response.end(body);
}

async function close(server: NetServer): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const http = server as Server;
  http.closeIdleConnections();
  const timer = setTimeout(() => http.closeAllConnections(), GRACE_MS);
  await closed;
  clearTimeout(timer);
}
