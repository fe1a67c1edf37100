/**
 * The frame of the commands that talk to a cluster: finds it, opens a session, and turns whatever goes wrong into one line
 * and an exit code.
 */
import { systemClock } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { printableLine } from '../../base/text/index.ts';
import { KubeError } from '../../kubernetes/client/index.ts';
import { createNodeTransport } from '../../kubernetes/client/transport-node.ts';
import { type ClusterOptions, embeddedAccess } from '../embedded-access.ts';
import { FINE, INVALID } from '../exit-code.ts';
import { failedCommand } from '../failed-command.ts';
import type { Ports } from '../ports.ts';
import { ClusterSession } from './cluster-session.ts';

export type Run = {
  readonly session: ClusterSession;
  readonly ports: Ports;
  /** A line for people. */
  readonly say: (text: string) => void;
  /** A line about something that was refused: the exit code will be 1, and the rest goes on. */
  readonly complain: (text: string) => void;
};

/** Gives the exit code. What `run` throws as a `Failure` ends it with a line; `cancelled` without one. */
export async function runInCluster(
  options: ClusterOptions,
  ports: Ports,
  run: (run: Run) => Promise<void>,
): Promise<number> {
  let exitCode = FINE;
  const line = (text: string) => ports.stderr(`${printableLine(text)}\n`);
  try {
    const access = await embeddedAccess(options, ports);
    const transport = createNodeTransport({ access, clock: systemClock });
    try {
      const session = new ClusterSession({
        ...{ transport, clock: systemClock, namespace: access.namespace ?? 'default' },
        warn: (text) => line(`warning: ${text}`),
      });
      const complain = (text: string) => {
        exitCode = INVALID;
        line(`millwright: ${text}`);
      };
      await run({ session, ports, say: line, complain });
    } catch (error) {
      if (error instanceof Failure && error.reason === 'Unreachable')
        throw unreachableServer(error, options, access.url);
      throw error;
    } finally {
      transport.close();
    }
    return exitCode;
  } catch (error) {
    const exitCode = failedCommand(error, ports);
    return error instanceof KubeError ? INVALID : exitCode;
  }
}

/** Throws what is wrong with a command line. */
export function refuseUsage(message: string): never {
  throw new Failure('usage', 'WrongUsage', message);
}

function unreachableServer(error: Failure, { kubeconfig, dataDir }: ClusterOptions, url: string): Failure {
  const { cause } = error;
  const why = cause instanceof Error ? cause.message : error.message;
  const isRefused = cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
  if (kubeconfig !== undefined) {
    return new Failure('transient', error.reason, `the server ${url} does not answer: ${why}`, error);
  }
  const message = isRefused
    ? `the cluster in ${dataDir} is not running (${url} does not answer): start it with \`millwright up\``
    : `the cluster in ${dataDir} does not answer at ${url}: ${why}`;
  return new Failure('transient', error.reason, message, error);
}
