/**
 * Runs operator, controllers, builder, server and daemons in this process, each while its pod is running.
 */

import type { Env, Log } from '../../base/env.ts';
import type {
  BuildOptions,
  ConfigServerOptions,
  ControllerSettings,
  Release,
} from '../../controllers/index.ts';
import {
  type Controller,
  createInProcessTransport,
  done,
  runControllers,
} from '../../kubernetes/client/index.ts';
import { type MetricSource, Metrics } from '../../kubernetes/metrics/index.ts';
import { DaemonMetrics, type DaemonSettings } from '../../node/daemon/index.ts';
import { ComponentMetrics } from '../../processes/component-metrics.ts';
import { runComponent } from '../../processes/component-process.ts';
import { runDaemon } from '../../processes/daemon-process.ts';
import { runServer } from '../../processes/server-process.ts';
import { SERVER_METRICS } from '../../server/index.ts';
import type { ApiServer } from '../apiserver/index.ts';
import { serviceAccountUser } from '../rbac/index.ts';
import type { SandboxMachine } from '../sandbox/index.ts';
import type { ClusterView } from './cluster-view.ts';
import {
  accountOf,
  COMPONENTS,
  desiredInstances,
  INSTALLER_UID,
  type Instance,
  installerInstance,
} from './component-instances.ts';
import { ComponentRunner } from './component-runner.ts';
import type { ConfigServerPort } from './config-server-port-node.ts';
import type { ContainerLogs } from './container-logs.ts';
import { MissingComponents } from './missing-components.ts';
import { REGISTRY_NAME } from './registry-node.ts';

type ComponentsOptions = {
  readonly env: Env;
  readonly handle: ApiServer['handle'];
  readonly publishMetrics: ApiServer['publishMetrics'];
  readonly view: ClusterView;
  readonly machines: {
    readonly bootIdOf: (name: string) => string | undefined;
    readonly machine: (name: string) => SandboxMachine | undefined;
    readonly onChange: (listener: (name: string) => void) => void;
  };
  readonly logs: ContainerLogs;
  /** The logs of running daemons by node; they also receive the output of their machine. */
  readonly daemonLogs: Map<string, Log>;
  readonly nodeLog: (node: string) => { write(text: string): void; close(): Promise<void> };
  /** Whether operator, controllers and builder have run as pods before; then they only run as pods. */
  readonly hasHadPods: boolean;
  readonly version: string;
  readonly release: Release;
  readonly templates: ReadonlyMap<string, string>;
  readonly settings: { readonly controllers: ControllerSettings; readonly daemon: DaemonSettings };
  readonly builds: BuildOptions;
  readonly configServer: ConfigServerOptions;
  readonly configServerPort: ConfigServerPort;
  /** The URL of the API server. */
  readonly url: string;
  readonly createLog: (write: (text: string) => void, component: string) => Log;
  readonly onWarning: (line: string) => void;
};

type Components = {
  /** True once every desired component runs. */
  readonly allRunning: (signal: AbortSignal) => Promise<boolean>;
  readonly stop: () => Promise<void>;
};

/** Short: all holders are in the process of the server, so a Lease left by an earlier process is stale. */
const LEASE = { durationMs: 15_000, renewMs: 10_000, retryMs: 2_000 };

export function startComponents(options: ComponentsOptions): Components {
  const { view, machines } = options;
  const ending = new AbortController();
  const env: Env = { ...options.env, signal: ending.signal };
  let hasHadPods = options.hasHadPods;
  const runner = new ComponentRunner({
    env,
    run: (instance, signal) => {
      view.recheck();
      return runInstance(options, instance, signal);
    },
    onFailure: ({ container }, error) => {
      const why = error instanceof Error ? error.message : String(error);
      options.onWarning(`${container.pod}: ${container.container} failed and is restarted: ${why}`);
    },
  });
  const desired = (): readonly Instance[] => {
    const byPods = desiredInstances([...view.pods.all()], (name) => machines.bootIdOf(name));
    const missing = (['operator', 'controller', 'builder', 'server'] as const).filter(
      (component) => !byPods.some((one) => one.component === component),
    );
    if (missing.length === 0) hasHadPods = true;
    return hasHadPods ? byPods : [...byPods, ...missing.map(installerInstance)];
  };
  const missingComponents = new MissingComponents(env.clock, options.onWarning);
  const controller: Controller = {
    name: 'components',
    workers: 1,
    caches: [view.pods],
    watch(enqueue) {
      view.pods.onChange(({ before, after }) => {
        const app = (after ?? before)?.metadata.labels?.['k8s-app'] ?? '';
        if (Object.hasOwn(COMPONENTS, app)) enqueue(ALL);
      });
      machines.onChange(() => enqueue(ALL));
      enqueue(ALL);
    },
    async reconcile() {
      const instances = desired();
      runner.reconcile(instances);
      missingComponents.update(instances);
      const uids = [...view.pods.all()].map(({ metadata }) => metadata.uid ?? '');
      await options.logs.prune(new Set([...uids, INSTALLER_UID]));
      return done;
    },
  };
  const running = runControllers([controller], { env });
  running.catch((error: unknown) =>
    options.onWarning(`components can no longer be started: ${String(error)}`),
  );
  return {
    allRunning: (signal) =>
      view.until(() => {
        const instances = desired();
        const isComplete = Object.values(COMPONENTS).every(
          (component) => component === 'daemon' || instances.some((one) => one.component === component),
        );
        return isComplete && instances.every(({ key }) => runner.keys.has(key));
      }, signal),
    async stop() {
      ending.abort();
      missingComponents.stop();
      await running;
      await runner.stop();
    },
  };
}

const ALL = 'all';

async function runInstance(
  options: ComponentsOptions,
  instance: Instance,
  signal: AbortSignal,
): Promise<void> {
  const { component, node, container } = instance;
  const writer = options.logs.open(container);
  const nodeLog = component === 'daemon' ? options.nodeLog(node) : undefined;
  const log = options.createLog((text) => {
    writer.write(text);
    nodeLog?.write(text);
  }, `${component}.go`);
  const env: Env = { ...options.env, log, signal };
  try {
    if (component === 'daemon') await runNodeDaemon(options, instance, env);
    else if (component === 'server') await runConfigServer(options, instance, env);
    else {
      const metrics = new ComponentMetrics(component);
      await published(options, instance, metrics, () =>
        runComponent(component, {
          ...options,
          env,
          metrics,
          transport: transportOf(options, instance),
          lease: LEASE,
          settings: options.settings.controllers,
          identity: `${container.pod}_embedded`,
        }),
      );
    }
  } finally {
    await writer.close();
    await nodeLog?.close();
  }
}

async function runNodeDaemon(options: ComponentsOptions, instance: Instance, env: Env): Promise<void> {
  const { node } = instance;
  const machine = options.machines.machine(node);
  if (machine === undefined || !machine.isUp) return;
  options.daemonLogs.set(node, env.log);
  const { version, settings } = options;
  const metrics = new DaemonMetrics();
  await published(options, instance, metrics, () =>
    runDaemon({
      env,
      version,
      nodeName: node,
      namespace: settings.controllers.namespace,
      host: machine.host,
      settings: settings.daemon,
      featureGates: { imageModeStatusReporting: settings.controllers.isImageModeReported },
      transport: transportOf(options, instance),
      metrics,
      architecture: 'x86_64',
    }),
  );
}

/** Its metrics are part of the server's while it runs, with the labels that Prometheus gives the pod on a real cluster. */
async function published(
  { publishMetrics }: ComponentsOptions,
  { component, container: { namespace, pod, container }, node }: Instance,
  metrics: MetricSource,
  run: () => Promise<void>,
): Promise<void> {
  // Other components have metrics about nodes, which have that label themselves.
  const labels = { namespace, pod, container, ...(component === 'daemon' ? { node } : {}) };
  const remove = publishMetrics({ families: () => metrics.families(), labels });
  try {
    await run();
  } finally {
    remove();
  }
}

/** Listens on any port of the loopback interface, to which the port of the cluster leads. */
async function runConfigServer(options: ComponentsOptions, instance: Instance, env: Env): Promise<void> {
  const { version, settings, url, configServer, configServerPort } = options;
  const metrics = new Metrics(SERVER_METRICS);
  let endForwarding = () => {};
  try {
    await published(options, instance, metrics, () =>
      runServer({
        env,
        version,
        metrics,
        transport: transportOf(options, instance),
        host: '127.0.0.1',
        port: 0,
        settings: {
          namespace: settings.controllers.namespace,
          apiServerUrl: url,
          access: { sources: [], isTokenRequired: configServer.isTokenRequired },
          reachableRegistries: [REGISTRY_NAME],
        },
        onOpen: ({ port }) => {
          endForwarding = configServerPort.forwardTo(port);
        },
      }),
    );
  } finally {
    endForwarding();
  }
}

/** Authenticates like the bound ServiceAccount token of the pod. */
function transportOf({ handle, view }: ComponentsOptions, { container, node, component }: Instance) {
  const { namespace, pod: podName, podUid } = container;
  const nodeUid = view.nodes.get({ name: node })?.metadata.uid ?? '';
  const bound = node === '' ? {} : { podName, podUid, nodeName: node, nodeUid };
  return createInProcessTransport({
    handle,
    user: serviceAccountUser({ namespace, name: accountOf(component), uid: '', ...bound }),
  });
}
