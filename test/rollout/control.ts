/** The controllers of the operator's and the controllers' process. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { everyDefinition } from '../../scripts/metric-definitions.ts';
import {
  type Context,
  type ControllerSettings,
  createControllers,
  createOperator,
  DEFAULT_SETTINGS,
} from '../../src/controllers/index.ts';
import {
  type Caches,
  type Controller,
  guardedTransport,
  type LeaseSettings,
  runAsLeader,
  runControllers,
} from '../../src/kubernetes/client/index.ts';
import { Metrics } from '../../src/kubernetes/metrics/index.ts';
import { cachesFor, type ProcessParts, partsFor } from './world-process.ts';

/** Tests and benches run from the root of the project. */
export const root = process.cwd();
export const RELEASE = { version: 'millwright test', controllerVersion: 'test', releaseVersion: '4.99.0' };

const namespace = 'openshift-machine-config-operator';
/** The controllers'. */
export const LEASE = { name: 'machine-config-controller', namespace };
export const OPERATOR_LEASE = { name: 'machine-config', namespace };

export type ControllerOptions = {
  /** May count the reads of the caches. */
  readonly wrapCaches?: (caches: Caches) => Caches;
  readonly settings?: Partial<ControllerSettings>;
  /** Where it is not `RELEASE`: an upgrade. */
  readonly release?: Partial<typeof RELEASE>;
  /** To be looked at. */
  readonly metrics?: Metrics;
};

/** The controllers of one process. */
export type Component = (context: Context) => readonly Controller[];

export const controllers: Component = (context) =>
  createControllers(context, { templates: templateTree(), roles: ['master', 'worker'] });
/** All in one process, as in `millwright up`. */
export const all: Component = (context) => [...createOperator(context), ...controllers(context)];
export const operator: Component = createOperator;

/** Resolves once the process has stopped on request. */
export async function control(
  parts: ProcessParts,
  component: Component,
  options: ControllerOptions = {},
): Promise<void> {
  const caches = cachesFor(parts);
  const context: Context = {
    ...parts,
    caches: options.wrapCaches?.(caches) ?? caches,
    settings: { ...DEFAULT_SETTINGS, ...options.settings },
    release: { ...RELEASE, ...options.release },
    metrics: options.metrics ?? new Metrics(everyDefinition()),
  };
  await runControllers(component(context), { env: parts.env, metrics: context.metrics });
  await caches.stop();
}

export type Candidature = {
  /** `<pod>_<process>`: a process of the same pod replaces one that has ended. */
  readonly identity: string;
  readonly lease: typeof LEASE;
  readonly settings: LeaseSettings;
  readonly component: Component;
  readonly options?: ControllerOptions;
};

/** As the shell of a real controller does it: the lease has a client of its own, the work writes only while it is held. */
export function controlAsLeader(
  { kube, env, transport, patience }: ProcessParts,
  { identity, lease, settings, component, options }: Candidature,
): Promise<void> {
  const [pod] = identity.split('_');
  return runAsLeader({ kube, env, lease, identity, predecessors: `${pod}_`, settings }, (term) => {
    const guarded = guardedTransport(transport, () => term.isHeld(), term.over);
    return control(partsFor(guarded, term.env, patience), component, options);
  });
}

/** The templates of the release, as the shell reads them. */
function templateTree(): ReadonlyMap<string, string> {
  const folder = join(root, 'templates');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1), readFileSync(path, 'utf8')] as const;
    }),
  );
}
