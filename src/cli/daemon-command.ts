/**
 * `millwright daemon`: the machine config daemon, as run by its DaemonSet. It changes the machine that it runs on.
 */
import { arch } from 'node:os';
import { Failure } from '../base/errors.ts';
import { createNodeTransport } from '../kubernetes/client/transport-node.ts';
import { DaemonMetrics, DEFAULT_DAEMON_SETTINGS } from '../node/daemon/index.ts';
import { runDaemon } from '../processes/daemon-process.ts';
import { type AccessOptions, clusterAccess } from './cluster/cluster-access.ts';
import { SUCCESS } from './exit-code.ts';
import { isImageModeReported } from './feature-gates.ts';
import { observeAnswers } from './health/answered-transport.ts';
import { watchKubeletHealth } from './health/kubelet-health.ts';
import { type MetricsOptions, serveMetrics } from './health/metrics-endpoints.ts';
import { createMachineHost, type MachineOptions } from './machine-host.ts';
import { type NamespaceOptions, ownNamespace } from './namespace-option.ts';
import type { Ports } from './ports.ts';
import { processEnv } from './process-env.ts';
import { reportFailure } from './report-failure.ts';

export type DaemonOptions = AccessOptions &
  NamespaceOptions &
  MetricsOptions &
  MachineOptions & {
    readonly nodeName?: string;
    /** A string because upstream's flag takes a value. */
    readonly kubeletHealthzEnabled: 'true' | 'false';
    readonly kubeletHealthzEndpoint: string;
    readonly featureGates?: string;
  };

/** Runs until the process is asked to stop or the machine reboots, and returns the exit code. */
export async function daemonCommand(
  options: DaemonOptions,
  { ports, version }: { readonly ports: Ports; readonly version: string },
): Promise<number> {
  const env = processEnv(ports, 'daemon.go');
  const { log } = env;
  try {
    const nodeName = nodeNameOf(options, ports);
    const featureGates = { imageModeStatusReporting: isImageModeReported(options.featureGates) };
    const transport = createNodeTransport({ access: await clusterAccess(options, ports), clock: env.clock });
    const metrics = new DaemonMetrics();
    const answers = observeAnswers(transport);
    const endpoint = await serveMetrics({
      env,
      options,
      metrics,
      transport: answers.transport,
      userAgent: `millwright/${version} (daemon)`,
      isReady: answers.hasAnswered,
    });
    try {
      log.info(`Version: ${version}`);
      if (options.kubeletHealthzEnabled === 'true') {
        watchKubeletHealth({
          env,
          endpoint: options.kubeletHealthzEndpoint,
          warn: (line) => log.warn(line),
          onFailureCount: (failures) => metrics.set('mcd_kubelet_state', failures),
        });
      }
      await runDaemon({
        env,
        nodeName,
        namespace: ownNamespace(options, ports),
        transport: answers.transport,
        metrics,
        version,
        featureGates,
        settings: DEFAULT_DAEMON_SETTINGS,
        architecture: arch(),
        host: createMachineHost(options, { env, pid: ports.pid, log: (line) => log.info(line) }),
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

function nodeNameOf({ nodeName }: DaemonOptions, { environment }: Ports): string {
  const name = nodeName ?? environment.NODE_NAME ?? '';
  if (name !== '') return name;
  throw new Failure('usage', 'NoNodeName', 'the name of the node is unknown: set --node-name or NODE_NAME');
}
