/**
 * Millwright inside the embedded cluster: operator, controllers and daemons, each as the pod that stands for it says.
 */

import type { Env, Log } from '../../base/env.ts';
import type { ControllerSettings, Release } from '../../controllers/index.ts';
import {
  type Controller,
  createInProcessTransport,
  done,
  runControllers,
} from '../../kubernetes/client/index.ts';
import { DaemonMetrics, type DaemonSettings } from '../../node/daemon/index.ts';
import { runComponent } from '../../processes/component-process.ts';
import { runDaemon } from '../../processes/daemon-process.ts';
import type { ApiServer } from '../apiserver/index.ts';
import { serviceAccountUser } from '../rbac/index.ts';
import type { SandboxMachine } from '../sandbox/index.ts';
import { AbsentParts } from './absent-parts.ts';
import {
  INSTALLER_UID,
  type Instance,
  installerInstance,
  PARTS,
  wantedInstances,
} from './component-instances.ts';
import { ComponentRunner } from './component-runner.ts';
import type { ContainerLogs } from './container-logs.ts';
import type { Observer } from './observer.ts';

type ComponentsOptions = {
  readonly env: Env;
  readonly handle: ApiServer['handle'];
  readonly observer: Observer;
  readonly machines: {
    readonly bootIdOf: (name: string) => string | undefined;
    readonly machine: (name: string) => SandboxMachine | undefined;
    readonly onChange: (listener: (name: string) => void) => void;
  };
  readonly logs: ContainerLogs;
  /** The log of the daemon that runs on a machine, which also tells what the machine does. */
  readonly says: Map<string, Log>;
  readonly nodeLog: (node: string) => { write(text: string): void; close(): Promise<void> };
  /** Whether pods have stood for operator and controllers before; then only pods do. */
  readonly hasHadPods: boolean;
  readonly version: string;
  readonly release: Release;
  readonly templates: ReadonlyMap<string, string>;
  readonly settings: { readonly controllers: ControllerSettings; readonly daemon: DaemonSettings };
  readonly createLog: (write: (text: string) => void, component: string) => Log;
  readonly onTrouble: (line: string) => void;
};

type Components = {
  /** True once every part that should run does. */
  readonly allRunning: (signal: AbortSignal) => Promise<boolean>;
  readonly stop: () => Promise<void>;
};

/** The Leases of a real cluster outlive restarts of its server; here whoever holds one is in the server's own process. */
const LEASE = { durationMs: 15_000, renewMs: 10_000, retryMs: 2_000 };

export function startComponents(options: ComponentsOptions): Components {
  const { observer, machines } = options;
  const ending = new AbortController();
  const env: Env = { ...options.env, signal: ending.signal };
  let hasHadPods = options.hasHadPods;
  const runner = new ComponentRunner({
    env,
    run: (instance, signal) => {
      observer.look();
      return runInstance(options, instance, signal);
    },
    onFailure: ({ container }, error) => {
      const why = error instanceof Error ? error.message : String(error);
      options.onTrouble(`${container.pod}: ${container.container} has failed and is started again: ${why}`);
    },
  });
  const wanted = (): readonly Instance[] => {
    const byPods = wantedInstances([...observer.pods.all()], (name) => machines.bootIdOf(name));
    const missing = (['operator', 'controller'] as const).filter(
      (part) => !byPods.some((one) => one.part === part),
    );
    if (missing.length === 0) hasHadPods = true;
    return hasHadPods ? byPods : [...byPods, ...missing.map(installerInstance)];
  };
  const absence = new AbsentParts(env.clock, options.onTrouble);
  const controller: Controller = {
    name: 'components',
    workers: 1,
    caches: [observer.pods],
    watch(enqueue) {
      observer.pods.onChange(({ before, after }) => {
        const app = (after ?? before)?.metadata.labels?.['k8s-app'] ?? '';
        if (Object.hasOwn(PARTS, app)) enqueue(ALL);
      });
      machines.onChange(() => enqueue(ALL));
      enqueue(ALL);
    },
    async reconcile() {
      const instances = wanted();
      runner.want(instances);
      absence.note(instances);
      const uids = [...observer.pods.all()].map(({ metadata }) => metadata.uid ?? '');
      await options.logs.prune(new Set([...uids, INSTALLER_UID]));
      return done;
    },
  };
  const running = runControllers([controller], { env });
  running.catch((error: unknown) => options.onTrouble(`parts can no longer be started: ${String(error)}`));
  return {
    allRunning: (signal) =>
      observer.until(() => {
        const parts = wanted();
        const isComplete = Object.values(PARTS).every(
          (part) => part === 'daemon' || parts.some((one) => one.part === part),
        );
        return isComplete && parts.every(({ key }) => runner.keys.has(key));
      }, signal),
    async stop() {
      ending.abort();
      absence.stop();
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
  const { part, node, container } = instance;
  const writer = options.logs.open(container);
  const nodeLog = part === 'daemon' ? options.nodeLog(node) : undefined;
  const log = options.createLog((text) => {
    writer.write(text);
    nodeLog?.write(text);
  }, `${part}.go`);
  const env: Env = { ...options.env, log, signal };
  try {
    if (part === 'daemon') await runNodeDaemon(options, instance, env);
    else {
      await runComponent(part, {
        ...{ ...options, env, transport: transportOf(options, instance), lease: LEASE },
        ...{ settings: options.settings.controllers, identity: `${container.pod}_embedded` },
      });
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
  options.says.set(node, env.log);
  const { version, settings } = options;
  await runDaemon({
    ...{ env, version, nodeName: node, host: machine.host, settings: settings.daemon },
    ...{ transport: transportOf(options, instance), metrics: new DaemonMetrics(), architecture: 'x86_64' },
  });
}

/** As its account, from its pod, on its node: what the token of the pod would say. */
function transportOf({ handle, observer }: ComponentsOptions, { container, node, part }: Instance) {
  const { namespace, pod: podName, podUid } = container;
  const nodeUid = observer.nodes.get({ name: node })?.metadata.uid ?? '';
  const bound = node === '' ? {} : { podName, podUid, nodeName: node, nodeUid };
  return createInProcessTransport({
    handle,
    user: serviceAccountUser({ namespace, name: `machine-config-${part}`, uid: '', ...bound }),
  });
}
