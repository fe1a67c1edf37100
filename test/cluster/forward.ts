/**
 * Connections between this process and the namespace of the control plane, by sockets in the file system, which every network
 * namespace sees. The other end is systemd's own proxy.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Child, startChild } from '../kubernetes/child.ts';
import type { Network } from './network.ts';

export type Forwarding = { readonly stop: () => Promise<void> };

export type ForwardContext = { readonly network: Network; readonly folder: string };

const PROXY = '/lib/systemd/systemd-socket-proxyd';

/** A port of our loopback that leads to an address of the control plane. */
export async function forwardOut(
  { network, folder }: ForwardContext,
  { name, target }: { readonly name: string; readonly target: string },
): Promise<Forwarding & { readonly port: number }> {
  const socket = join(folder, `${name}.sock`);
  const child = startProxy({ network, folder, name, listen: socket, target });
  const relay = await startRelay({ port: 0, host: '127.0.0.1' }, { path: socket });
  return {
    port: (relay.server.address() as AddressInfo).port,
    stop: async () => {
      await relay.stop();
      await child.stop();
    },
  };
}

/** An address of the control plane that leads to a port of our loopback. */
export async function forwardIn(
  { network, folder }: ForwardContext,
  { name, listen, port }: { readonly name: string; readonly listen: string; readonly port: number },
): Promise<Forwarding> {
  const socket = join(folder, `${name}.sock`);
  const relay = await startRelay({ path: socket }, { port, host: '127.0.0.1' });
  const child = startProxy({ network, folder, name, listen, target: socket });
  return {
    stop: async () => {
      await child.stop();
      await relay.stop();
    },
  };
}

type Proxy = ForwardContext & { readonly name: string; readonly listen: string; readonly target: string };

/** Within the namespace of the control plane. */
export function startProxy({ network, folder, name, listen, target }: Proxy): Child {
  const [program = '', ...enter] = network.inControlPlane;
  const args = [...enter, 'systemd-socket-activate', `--listen=${listen}`, PROXY, target];
  return startChild({ name: `proxy ${name}`, program, args, logPath: join(folder, `proxy-${name}.log`) });
}

type Place = { readonly path: string } | { readonly port: number; readonly host: string };

async function startRelay(listen: Place, target: Place): Promise<Forwarding & { readonly server: Server }> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ ...target, allowHalfOpen: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.once('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(listen);
  await once(server, 'listening');
  return {
    server,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
