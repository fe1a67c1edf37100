/**
 * The process of the daemon of one node.
 */

import type { Env } from '../base/env.ts';
import {
  createCaches,
  createEventRecorder,
  createKube,
  measuredTransport,
  runControllers,
  type Transport,
} from '../kubernetes/client/index.ts';
import {
  createDaemon,
  createDaemonLog,
  type DaemonContext,
  type DaemonMetrics,
  type DaemonSettings,
} from '../node/daemon/index.ts';
import type { Host } from '../node/host/index.ts';

type DaemonProcess = {
  readonly env: Env;
  readonly transport: Transport;
  readonly version: string;
  /** Of the components: of events that are not about the node. */
  readonly namespace: string;
  /** The machine in its present boot: the process ends with it. */
  readonly host: Host;
  readonly nodeName: string;
  readonly settings: DaemonSettings;
  readonly metrics: DaemonMetrics;
  readonly architecture: string;
} & Pick<DaemonContext, 'featureGates'>;

const ACCOUNT = 'machine-config-daemon';
const COMPONENT = 'machineconfigdaemon';
/** Nodes are in no namespace; `kubectl describe node` looks for their events here. */
const NODE_EVENTS = 'default';
/** How long the last events may take to be written. */
const EVENT_FLUSH_MS = 5_000;

/** Resolves once it was stopped and has ended. */
export async function runDaemon({
  env,
  transport,
  version,
  namespace,
  ...rest
}: DaemonProcess): Promise<void> {
  const { host, settings, metrics } = rest;
  const { log } = env;
  const measured = measuredTransport(transport, { metrics: metrics.registry, clock: env.clock });
  const kube = createKube({
    transport: measured,
    env,
    fieldManager: ACCOUNT,
    userAgent: `millwright/${version} (daemon)`,
  });
  const caches = createCaches({ transport: measured, env, metrics: metrics.registry });
  const recorder = (place: string) =>
    createEventRecorder({ kube, env, component: COMPONENT, namespace: place });
  const [events, nodeEvents] = [recorder(namespace), recorder(NODE_EVENTS)];
  const daemon = createDaemon({
    ...rest,
    kube,
    caches,
    env,
    events,
    nodeEvents,
    log: createDaemonLog(
      (severity, text) => ({ I: log.info, W: log.warn, E: log.error })[severity](text),
      (text) => host.note(text),
    ),
  });
  try {
    const loop = { settings: { retry: settings.retry }, metrics: metrics.registry };
    await runControllers([daemon], { env, ...loop });
    await Promise.all([events, nodeEvents].map((one) => one.flush(EVENT_FLUSH_MS)));
  } finally {
    await caches.stop();
  }
}
