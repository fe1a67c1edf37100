/**
 * Stands between a client and its server, and can fall silent: connections stay open on both sides, and nothing comes
 * through them any more. So it is where a router has forgotten them. New ones work.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type SilentProxy = {
  /** Gives the port by which the server at the other one is reached. */
  readonly listen: (port: number) => Promise<number>;
  /** Gives how many connections have fallen silent. */
  readonly fallSilent: () => number;
  readonly close: () => void;
};

export function createSilentProxy(): SilentProxy {
  /** By their near ends: connections through which something comes. */
  const talking = new Set<Socket>();
  const sockets = new Set<Socket>();
  let target = 0;
  const server = createServer((near) => {
    const far = connect({ host: '127.0.0.1', port: target });
    talking.add(near);
    const join = (from: Socket, to: Socket) => {
      sockets.add(from);
      from.on('data', (bytes) => talking.has(near) && to.write(bytes));
      // Errors are followed by a close, which is what counts.
      from.on('error', () => undefined);
      from.once('close', () => {
        sockets.delete(from);
        if (talking.delete(near)) to.destroy();
      });
    };
    join(near, far);
    join(far, near);
  });
  return {
    async listen(port) {
      target = port;
      server.listen({ host: '127.0.0.1', port: 0 });
      await once(server, 'listening');
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('a proxy has a port');
      return address.port;
    },
    fallSilent() {
      const count = talking.size;
      talking.clear();
      return count;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
