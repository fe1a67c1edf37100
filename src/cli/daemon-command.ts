/**
 * `millwright daemon`: the machine config daemon, as run by its DaemonSet. It changes the machine that it runs on.
 */
import { arch } from 'node:os';
import { type Env, systemClock, systemRandom } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import { createNodeTransport } from '../kubernetes/client/transport-node.ts';
import { DaemonMetrics, DEFAULT_DAEMON_SETTINGS, formatMetrics } from '../node/daemon/index.ts';
import { runDaemon } from '../processes/daemon-process.ts';
import { type AccessOptions, clusterAccess } from './cluster-access.ts';
import { SUCCESS } from './exit-code.ts';
import { isImageModeReported } from './feature-gates.ts';
import { observeAnswers } from './health/answered-transport.ts';
import { serveEndpoint } from './health/endpoint.ts';
import { watchKubeletHealth } from './health/kubelet-health.ts';
import { createKlog } from './klog.ts';
import { createMachineHost, type MachineOptions } from './machine-host.ts';
import type { Ports } from './ports.ts';
import { reportFailure } from './report-failure.ts';

export type DaemonOptions = AccessOptions &
  MachineOptions & {
    readonly nodeName?: string;
    readonly metricsUrl: string;
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
  const stopping = new AbortController();
  ports.onStop(() => stopping.abort());
  const { stderr: write, pid } = ports;
  const log = createKlog({ write, clock: systemClock, pid, component: 'daemon.go' });
  const env: Env = { clock: systemClock, random: systemRandom, log, signal: stopping.signal };
  try {
    const nodeName = nodeNameOf(options, ports);
    const featureGates = { imageModeStatusReporting: isImageModeReported(options.featureGates) };
    const transport = createNodeTransport({ access: await clusterAccess(options, ports), clock: env.clock });
    const metrics = new DaemonMetrics();
    const answers = observeAnswers(transport);
    const endpoint = await serveEndpoint({
      flag: '--metrics-url',
      address: options.metricsUrl,
      metrics: () => formatMetrics(metrics.all()),
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
        transport: answers.transport,
        metrics,
        version,
        featureGates,
        settings: DEFAULT_DAEMON_SETTINGS,
        architecture: arch(),
        host: createMachineHost(options, { random: env.random, pid, log: (line) => log.info(line) }),
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
