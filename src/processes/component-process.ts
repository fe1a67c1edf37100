/**
 * The processes of the operator, of the controllers and of the builder. Each works only while it holds its Lease.
 */

import { BUILDER_LEASE, CONTROLLER_LEASE, OPERATOR_LEASE } from '../api/index.ts';
import type { Env } from '../base/env.ts';
import { assert } from '../base/errors.ts';
import {
  type BuildOptions,
  type ConfigServerOptions,
  type Context,
  type ControllerSettings,
  createBuilder,
  createControllers,
  createOperator,
  type Release,
} from '../controllers/index.ts';
import {
  CONTROLLER_REQUEST_LIMITS,
  type Controller,
  createCaches,
  createEventRecorder,
  createKube,
  type EventWriter,
  guardedTransport,
  type LeaseSettings,
  measuredTransport,
  runAsLeader,
  runControllers,
  type Term,
  type Transport,
} from '../kubernetes/client/index.ts';
import type { ComponentMetrics } from './component-metrics.ts';

export type ComponentName = 'operator' | 'controller' | 'builder';

type ComponentProcess = {
  readonly env: Env;
  readonly transport: Transport;
  /** The version of Millwright, for the user agent. */
  readonly version: string;
  readonly release: Release;
  readonly templates: ReadonlyMap<string, string>;
  readonly settings: ControllerSettings;
  /** Of the builder. */
  readonly builds?: BuildOptions;
  /** Of the operator, where there is a MachineConfigServer. */
  readonly configServer?: ConfigServerOptions;
  /** The holder identity in the Lease; unique among concurrent processes. */
  readonly identity: string;
  /** Earlier processes of the same pod, see `runAsLeader`. */
  readonly predecessors?: string;
  readonly lease?: LeaseSettings;
  readonly metrics: ComponentMetrics;
};

type Component = {
  /** Its ServiceAccount and default field manager. */
  readonly account: string;
  readonly lease: string;
  readonly create: (context: Context, process: ComponentProcess) => readonly Controller[];
};

const COMPONENTS: { readonly [name in ComponentName]: Component } = {
  operator: {
    account: 'machine-config-operator',
    lease: OPERATOR_LEASE,
    create: (context, { configServer }) => createOperator(context, configServer),
  },
  controller: {
    account: 'machine-config-controller',
    lease: CONTROLLER_LEASE,
    create: (context, { templates }) =>
      createControllers(context, { templates, roles: ['master', 'worker'] }),
  },
  builder: {
    account: 'machine-os-builder',
    lease: BUILDER_LEASE,
    create: (context, { builds }) => {
      assert(builds !== undefined, 'the builder needs its registry, image and limits');
      return createBuilder(context, builds);
    },
  },
};

/** Resolves once it was stopped and has ended. Rejects where it cannot continue. */
export async function runComponent(name: ComponentName, process: ComponentProcess): Promise<void> {
  const { account, lease } = COMPONENTS[name];
  const { env, version, identity, predecessors, release, settings, metrics } = process;
  const transport = measuredTransport(process.transport, { metrics: metrics.process, clock: env.clock });
  env.log.info(`Version: ${version}`, { controllerVersion: release.controllerVersion });
  const client = { env, fieldManager: account, userAgent: `millwright/${version} (${name})` };
  metrics.wait(lease);
  await runAsLeader(
    {
      // Its own client: the rate limit of the work must not delay a renewal.
      kube: createKube({ ...client, transport }),
      env,
      identity,
      ...(predecessors === undefined ? {} : { predecessors }),
      lease: { name: lease, namespace: settings.namespace },
      ...(process.lease === undefined ? {} : { settings: process.lease }),
    },
    (term) => lead(name, { ...process, transport }, term),
  );
}

/** How long the last events may take to be written when a term ends. */
const EVENT_FLUSH_MS = 5_000;

async function lead(name: ComponentName, process: ComponentProcess, term: Term): Promise<void> {
  const { env } = term;
  const { account, create, lease } = COMPONENTS[name];
  const { settings, release, version } = process;
  const { metrics, end } = process.metrics.begin(lease);
  const transport = guardedTransport(process.transport, () => term.isHeld(), term.over);
  const limits = CONTROLLER_REQUEST_LIMITS;
  const userAgent = `millwright/${version} (${name})`;
  const kube = createKube({ transport, env, limits, fieldManager: account, userAgent });
  const caches = createCaches({ transport, env, limits, metrics });
  const recorders = new Map<string, EventWriter>();
  const eventsOf = (component: string, namespace = settings.namespace): EventWriter => {
    const key = `${namespace}/${component}`;
    const known = recorders.get(key) ?? createEventRecorder({ kube, env, component, namespace });
    recorders.set(key, known);
    return known;
  };
  try {
    const context = { kube, caches, env, eventsOf, settings, release, metrics };
    await runControllers(create(context, process), { env, metrics });
    await Promise.all([...recorders.values()].map((recorder) => recorder.flush(EVENT_FLUSH_MS)));
  } finally {
    end();
    await caches.stop();
  }
}
