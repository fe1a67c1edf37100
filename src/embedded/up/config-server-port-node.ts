/**
 * The port at which machines find the machine config server of the embedded cluster, like the load balancer in front of a control
 * plane: it stays the same while servers come and go with their pods.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { SERVER_PORT } from '../../controllers/index.ts';

export type ConfigServerPort = {
  readonly port: number;
  /** From now on, connections go to this port of the loopback interface. The function ends it. */
  readonly forwardTo: (port: number) => () => void;
  readonly stop: () => Promise<void>;
};

const LOOPBACK = '127.0.0.1';
const MAX_PORTS = 100;
const MAX_CONNECTIONS = 512;

/** `lastPort`: of the previous start, which pointer configs may name. Otherwise the usual port, or the next free one. */
export async function openConfigServerPort(lastPort: number | undefined): Promise<ConfigServerPort> {
  const sockets = new Set<Socket>();
  let target: number | undefined;
  const server = createServer((client) => {
    if (target === undefined) {
      client.destroy();
      return;
    }
    join(client, connect({ host: LOOPBACK, port: target }), sockets);
  });
  server.maxConnections = MAX_CONNECTIONS;
  const usual = Array.from({ length: MAX_PORTS }, (_, index) => SERVER_PORT + index);
  for (const port of [...(lastPort === undefined ? [] : [lastPort]), ...usual, 0]) {
    if (await listens(server, port)) break;
  }
  server.on('error', () => undefined);
  return {
    // A server that listens on a port has an address with a port.
    port: (server.address() as AddressInfo).port,
    forwardTo(port) {
      target = port;
      return () => {
        if (target === port) target = undefined;
      };
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function listens(server: ReturnType<typeof createServer>, port: number): Promise<boolean> {
  const opened = once(server, 'listening');
  server.listen({ host: LOOPBACK, port });
  try {
    await opened;
    return true;
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'EADDRINUSE') throw error;
    return false;
  }
}

/** Either end of a connection ends both. */
function join(client: Socket, server: Socket, sockets: Set<Socket>): void {
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    sockets.add(one);
    one.on('error', () => undefined);
    one.on('close', () => {
      sockets.delete(one);
      other.destroy();
    });
    one.pipe(other);
  }
}
