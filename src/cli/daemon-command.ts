/**
 * `millwright daemon`: what the DaemonSet runs on every node. It changes the machine that it runs on.
 */
import { arch } from 'node:os';
import { type Env, systemClock, systemRandom } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import { createNodeTransport } from '../kubernetes/client/transport-node.ts';
import { DaemonMetrics, DEFAULT_DAEMON_SETTINGS, formatMetrics } from '../node/daemon/index.ts';
import { runDaemon } from '../processes/daemon-process.ts';
import { type AccessOptions, clusterAccess } from './cluster-access.ts';
import { FINE } from './exit-code.ts';
import { failedCommand } from './failed-command.ts';
import { createKlog } from './klog.ts';
import { watchKubeletHealth } from './kubelet-health.ts';
import { type MachineOptions, machineOf } from './machine.ts';
import { startMetricsServer } from './metrics-server.ts';
import type { Ports } from './ports.ts';

export type DaemonOptions = AccessOptions &
  MachineOptions & {
    readonly nodeName?: string;
    readonly metricsUrl: string;
    /** A text, as upstream's flag takes one: `true` or `false`. */
    readonly kubeletHealthzEnabled: 'true' | 'false';
    readonly kubeletHealthzEndpoint: string;
    readonly featureGates?: string;
  };

/** Runs until the process is asked to end, or the machine reboots. Returns the exit code. */
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
    const featureGates = {
      imageModeStatusReporting: hasGate(options.featureGates, 'ImageModeStatusReporting'),
    };
    const transport = createNodeTransport({ access: await clusterAccess(options, ports), clock: env.clock });
    const metrics = new DaemonMetrics();
    const endpoint = await startMetricsServer({
      address: options.metricsUrl,
      metrics: () => formatMetrics(metrics.all()),
    });
    try {
      log.info(`Version: ${version}`);
      if (options.kubeletHealthzEnabled === 'true') {
        watchKubeletHealth({
          env,
          endpoint: options.kubeletHealthzEndpoint,
          say: (line) => log.warn(line),
          count: (failures) => metrics.set('mcd_kubelet_state', failures),
        });
      }
      await runDaemon({
        ...{ env, nodeName, transport, metrics, version, featureGates },
        ...{ settings: DEFAULT_DAEMON_SETTINGS, architecture: arch() },
        host: machineOf(options, { random: env.random, pid, say: (line) => log.info(line) }),
      });
    } finally {
      await endpoint.stop();
      transport.close();
    }
    return FINE;
  } catch (error) {
    return failedCommand(error, ports);
  }
}

function nodeNameOf({ nodeName }: DaemonOptions, { environment }: Ports): string {
  const name = nodeName ?? environment.NODE_NAME ?? '';
  if (name !== '') return name;
  throw new Failure('usage', 'NoNodeName', 'which node is this? Say so with --node-name, or with NODE_NAME');
}

/** `A=true,B=false`, as Kubernetes' own components take them. */
function hasGate(gates: string | undefined, name: string): boolean {
  for (const gate of (gates ?? '').split(',').filter((one) => one !== '')) {
    const [key = '', value = ''] = gate.split('=');
    if (key !== 'ImageModeStatusReporting' || (value !== 'true' && value !== 'false')) {
      const known = 'ImageModeStatusReporting=true|false';
      throw new Failure(
        'usage',
        'FeatureGateUnknown',
        `--feature-gates: "${gate}" is not known: there is ${known}`,
      );
    }
    if (key === name) return value === 'true';
  }
  return false;
}
