/**
 * `millwright server`: the machine config server, as run by its DaemonSet.
 */
import type { Network } from '../../base/text/index.ts';
import { createNodeTransport } from '../../kubernetes/client/transport-node.ts';
import { Metrics } from '../../kubernetes/metrics/index.ts';
import { runServer } from '../../processes/server-process.ts';
import { SERVER_METRICS } from '../../server/index.ts';
import { type AccessOptions, clusterAccess } from '../cluster/cluster-access.ts';
import { SUCCESS } from '../exit-code.ts';
import { observeAnswers } from '../health/answered-transport.ts';
import { type MetricsOptions, serveMetrics } from '../health/metrics-endpoints.ts';
import { type NamespaceOptions, ownNamespace } from '../namespace-option.ts';
import type { Ports } from '../ports.ts';
import { processEnv } from '../process-env.ts';
import { reportFailure } from '../report-failure.ts';

export type ServerOptions = AccessOptions &
  NamespaceOptions &
  MetricsOptions & {
    readonly port: number;
    readonly plainPort?: number;
    readonly apiserverUrl?: string;
    readonly requireToken?: boolean;
    readonly allowSource?: readonly Network[];
  };

/** Runs until the process is asked to stop, and returns the exit code. */
export async function serverCommand(
  options: ServerOptions,
  { ports, version }: { readonly ports: Ports; readonly version: string },
): Promise<number> {
  const env = processEnv(ports, 'server.go');
  const { port, plainPort, apiserverUrl = '', requireToken = false, allowSource = [] } = options;
  try {
    const transport = createNodeTransport({ access: await clusterAccess(options, ports), clock: env.clock });
    const answers = observeAnswers(transport);
    const metrics = new Metrics(SERVER_METRICS);
    const endpoint = await serveMetrics({
      env,
      options,
      metrics,
      transport: answers.transport,
      userAgent: `millwright/${version} (server)`,
      isReady: answers.hasAnswered,
    });
    try {
      await runServer({
        env,
        transport: answers.transport,
        version,
        metrics,
        port,
        plainPort,
        settings: {
          namespace: ownNamespace(options, ports),
          access: { isTokenRequired: requireToken, sources: allowSource },
          ...(apiserverUrl === '' ? {} : { apiServerUrl: apiserverUrl }),
        },
      });
    } finally {
      await endpoint.stop();
      transport.close();
    }
    return SUCCESS;
  } catch (error) {
    return reportFailure(error, ports);
  }
}
