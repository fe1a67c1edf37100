/**
 * A connection that a test cuts: from then on nothing of the process reaches the server, as if it was killed or
 * disconnected.
 */
import { Failure } from '../../src/base/errors.ts';
import type { TransportRequest } from '../../src/kubernetes/client/index.ts';
import type { Connection, Wrap } from './world-process.ts';

export type Cut = {
  readonly wrap: Wrap;
  readonly cut: () => void;
  readonly restore: () => void;
  readonly isCut: () => boolean;
  /** How many writes have been asked for, those that were cut off included; events that people read do not count. */
  readonly writes: () => number;
};

export type CutOptions = {
  /** Cuts at the write with this number, counted from 1. */
  readonly atWrite?: number;
  /** Whether that write still happens. Its answer never comes. */
  readonly isReached?: boolean;
};

export function createCut({ atWrite, isReached = false }: CutOptions = {}): Cut {
  let isCut = false;
  let writes = 0;
  const connections = new Set<Connection>();
  const cut = () => {
    isCut = true;
    for (const connection of connections) connection.breakOff();
  };
  return {
    cut,
    restore: () => {
      isCut = false;
    },
    isCut: () => isCut,
    writes: () => writes,
    wrap: (connection) => {
      connections.add(connection);
      return {
        async send(request) {
          if (isCut) throw unreachable(request);
          if (!isCounted(request)) return await connection.send(request);
          writes++;
          if (writes !== atWrite) return await connection.send(request);
          isCut = true;
          if (isReached) await connection.send(request);
          cut();
          throw unreachable(request);
        },
      };
    },
  };
}

function isCounted({ method, path }: TransportRequest): boolean {
  return method !== 'GET' && !/\/events(\/|$)/.test(path);
}

function unreachable({ method, path }: TransportRequest): Failure {
  return new Failure('transient', 'Unreachable', `${method} ${path}: the connection is cut`);
}
