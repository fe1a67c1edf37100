/**
 * `millwright operator` and `millwright controller`: the components as their Deployments run them.
 *
 * Each talks to the cluster as itself, and works only while it holds its Lease. A component that cannot go on ends with an
 * error: Kubernetes starts it again.
 */
import { hostname } from 'node:os';
import {
  type Context,
  createControllers,
  createOperator,
  DEFAULT_SETTINGS,
  NAMESPACE,
} from '../controllers/index.ts';
import { type Env, systemClock, systemRandom } from '../env.ts';
import { Failure } from '../errors.ts';
import {
  CONTROLLER_REQUEST_LIMITS,
  type Controller,
  createCaches,
  createEventRecorder,
  createKube,
  type EventWriter,
  guardedTransport,
  runAsLeader,
  runControllers,
  type Term,
  type Transport,
} from '../kube/index.ts';
import { createNodeTransport } from '../kube/transport-node.ts';
import { type AccessOptions, clusterAccess } from './cluster-access.ts';
import { FINE, UNUSABLE } from './exit-code.ts';
import { createKlog } from './klog.ts';
import type { Ports } from './ports.ts';
import { printableLine } from './printable.ts';
import { readTemplates } from './read-templates.ts';
import { releaseOf } from './release.ts';

export type ComponentOptions = AccessOptions;

export type ComponentName = 'operator' | 'controller';

type Component = {
  /** Its ServiceAccount, the owner of the fields that it writes, and its name to the server. */
  readonly account: string;
  readonly lease: string;
  readonly create: (context: Context, templates: ReadonlyMap<string, string>) => readonly Controller[];
};

const COMPONENTS: { readonly [name in ComponentName]: Component } = {
  operator: {
    account: 'machine-config-operator',
    lease: 'machine-config',
    create: (context) => createOperator(context),
  },
  controller: {
    account: 'machine-config-controller',
    lease: 'machine-config-controller',
    create: (context, templates) => createControllers(context, { templates, roles: ['master', 'worker'] }),
  },
};

/** Runs until the process is asked to end, and returns the exit code. */
export async function componentCommand(
  name: ComponentName,
  options: ComponentOptions,
  { ports, version }: { readonly ports: Ports; readonly version: string },
): Promise<number> {
  const stopping = new AbortController();
  ports.onStop(() => stopping.abort());
  const component = COMPONENTS[name];
  const log = createKlog({
    write: ports.stderr,
    clock: systemClock,
    pid: ports.pid,
    component: `${name}.go`,
  });
  const env: Env = { clock: systemClock, random: systemRandom, log, signal: stopping.signal };
  try {
    const transport = createNodeTransport({ access: await clusterAccess(options, ports), clock: env.clock });
    const templates = await readTemplates(ports.packageRoot);
    const release = releaseOf(version, templates);
    log.info(`Version: ${version}`, { controllerVersion: release.controllerVersion });
    const client = { env, fieldManager: component.account, userAgent: `millwright/${version} (${name})` };
    await runAsLeader(
      {
        // A client of its own: the rate limit of the work must not hold up a renewal.
        kube: createKube({ ...client, transport }),
        env,
        lease: { name: component.lease, namespace: NAMESPACE },
        identity: `${hostname()}_${env.random.uuid()}`,
      },
      (term) => lead(term, transport, (parts) => component.create({ ...parts, release }, templates), client),
    );
    return FINE;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.kind === 'cancelled') return FINE;
    ports.stderr(`millwright: ${printableLine(error.message)}\n`);
    return UNUSABLE;
  }
}

/** How long the last events may take when a term ends. */
const LAST_WORDS_MS = 5_000;

async function lead(
  term: Term,
  unguarded: Transport,
  create: (parts: Omit<Context, 'release'>) => readonly Controller[],
  client: { readonly fieldManager: string; readonly userAgent: string },
): Promise<void> {
  const { env } = term;
  const transport = guardedTransport(unguarded, () => term.isHeld(), term.over);
  const limits = CONTROLLER_REQUEST_LIMITS;
  const kube = createKube({ ...client, transport, env, limits });
  const caches = createCaches({ transport, env, limits });
  const recorders = new Map<string, EventWriter>();
  const eventsOf = (component: string): EventWriter => {
    const known = recorders.get(component) ?? createEventRecorder({ kube, env, component });
    recorders.set(component, known);
    return known;
  };
  try {
    const controllers = create({ kube, caches, env, eventsOf, settings: DEFAULT_SETTINGS });
    await runControllers(controllers, { env });
    await Promise.all([...recorders.values()].map((recorder) => recorder.flush(LAST_WORDS_MS)));
  } finally {
    await caches.stop();
  }
}
