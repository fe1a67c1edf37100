/**
 * Runs a command against a cluster: opens a session, and turns failures into one line and an exit code.
 */
import { systemClock } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { printableLine } from '../../base/text/index.ts';
import { KubeError, type ServerAccess, type Transport } from '../../kubernetes/client/index.ts';
import { createNodeTransport } from '../../kubernetes/client/transport-node.ts';
import { type SelectedCluster, selectCluster } from '../cluster/select-cluster.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { INVALID_INPUT, SUCCESS } from '../exit-code.ts';
import type { Ports } from '../ports.ts';
import { reportFailure } from '../report-failure.ts';
import { ClusterSession } from './cluster-session.ts';

export type Run = {
  readonly session: ClusterSession;
  /** For typed clients; it is closed when the command ends. */
  readonly transport: Transport;
  readonly access: ServerAccess;
  readonly ports: Ports;
  /** Prints a line on stderr. */
  readonly notify: (text: string) => void;
  /** Reports an error without ending the command; the exit code will be 1. */
  readonly reportError: (text: string) => void;
};

/** Returns the exit code. A `Failure` thrown by `run` is reported in one line; a cancelled one is not. */
export async function runInCluster(
  options: ClusterOptions,
  ports: Ports,
  run: (run: Run) => Promise<void>,
): Promise<number> {
  let exitCode = SUCCESS;
  const line = (text: string) => ports.stderr(`${printableLine(text)}\n`);
  try {
    const cluster = await selectCluster(options, ports);
    const { access, notice } = cluster;
    if (notice !== undefined) line(notice);
    const transport = createNodeTransport({ access, clock: systemClock });
    try {
      const session = new ClusterSession({
        transport,
        clock: systemClock,
        namespace: access.namespace ?? 'default',
        warn: (text) => line(`warning: ${text}`),
      });
      const reportError = (text: string) => {
        exitCode = INVALID_INPUT;
        line(`millwright: ${text}`);
      };
      await run({ session, transport, access, ports, notify: line, reportError });
    } catch (error) {
      if (error instanceof Failure && error.reason === 'Unreachable') throw unreachableServer(error, cluster);
      throw error;
    } finally {
      transport.close();
    }
    return exitCode;
  } catch (error) {
    const exitCode = reportFailure(error, ports);
    return error instanceof KubeError ? INVALID_INPUT : exitCode;
  }
}

export function throwUsageError(message: string): never {
  throw new Failure('usage', 'WrongUsage', message);
}

function unreachableServer(error: Failure, { access: { url }, dataDir }: SelectedCluster): Failure {
  const { cause } = error;
  const why = cause instanceof Error ? cause.message : error.message;
  const isRefused = cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
  if (dataDir === undefined) {
    return new Failure('transient', error.reason, `the server ${url} is unreachable: ${why}`, error);
  }
  const message = isRefused
    ? `the cluster in ${dataDir} is not running (${url} is unreachable): start it with \`millwright up\``
    : `the cluster in ${dataDir} is unreachable at ${url}: ${why}`;
  return new Failure('transient', error.reason, message, error);
}
