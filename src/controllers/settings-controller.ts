/**
 * The common part of the controllers of KubeletConfig and ContainerRuntimeConfig. Each object becomes a MachineConfig for
 * every pool that it selects:
 *
 *     object, others of its kind, pools, base of the role ──> decideSettings ──> MachineConfigs 99-<pool>-generated-…
 *                                                                           └──> its status; events
 *
 * Errors are reported on the object, and MachineConfigs that were generated from it before stay: a mistake must not remove
 * settings from nodes. The names of MachineConfigs are finalizers of the object before they are created, so none outlives it.
 */
import {
  CONTROLLER_CONFIG_NAME,
  type ControllerConfig,
  controllerConfig as controllerConfigKind,
  type MachineConfig,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
} from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import { CONTAINERD, containerRuntimeOf } from '../config/registries/index.ts';
import {
  decideSettings,
  type GeneratingObject,
  type RoleBase,
  type SettingsDecision,
  type SettingsKind,
  type SettingsStatus,
  type SettingsWarning,
  selectedPools,
  type Verdict,
} from '../config/settings/index.ts';
import {
  after,
  type Cache,
  type Controller,
  done,
  type Enqueue,
  type Next,
  type ResourceOf,
} from '../kubernetes/client/index.ts';
import { controllerReference } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { membershipOf } from '../rollout/index.ts';
import type { Context } from './context.ts';
import { isCompleted } from './controller-config-status.ts';
import { hasDrifted } from './generated-config.ts';
import { noteCompleted } from './metrics/sub-controller-state.ts';
import { nodesOf } from './node-cache.ts';
import { ObjectConfigs } from './object-configs.ts';
import { record } from './rollout-events.ts';
import { WARNING_REPEAT_MS, WarningEvents } from './warning-events.ts';

/** A kind of settings, and what its controller reports. */
type ControlledKind<T extends GeneratingObject> = SettingsKind<T> & {
  /** The name of the controller in logs. */
  readonly name: 'kubelet-config' | 'container-runtime-config';
  /** The reporting component of events. */
  readonly component: string;
  readonly resource: ResourceOf<T>;
  readonly statusOf: (object: T, verdict: Verdict, now: string) => SettingsStatus;
};

export function createSettingsController<T extends GeneratingObject>(
  context: Context,
  baseOf: RoleBase,
  kind: ControlledKind<T>,
): Controller {
  const { caches } = context;
  const sources: Sources<T> = {
    objects: caches.of(kind.resource),
    pools: caches.of(machineConfigPoolKind),
    machineConfigs: caches.of(machineConfigKind),
    controllerConfigs: caches.of(controllerConfigKind),
    nodes: nodesOf(caches),
  };
  const warnings = new WarningEvents(context.env.clock);
  return {
    name: kind.name,
    // One at a time: name suffixes are assigned in sequence.
    workers: 1,
    caches: Object.values(sources),
    watch(enqueue) {
      watchSources(sources, kind.resource.kind, enqueue);
      sources.objects.onChange(({ before, after: now }) => {
        // An object that was recreated under the same name gets its own warnings.
        const uid = before?.metadata.uid ?? '';
        if (uid !== now?.metadata.uid) warnings.due(uid, []);
      });
    },
    reconcile: (name) => reconcile({ context, sources, kind, baseOf, warnings }, name),
  };
}

type Sources<T extends GeneratingObject> = {
  readonly objects: Cache<T>;
  readonly pools: Cache<MachineConfigPool>;
  readonly machineConfigs: Cache<MachineConfig>;
  readonly controllerConfigs: Cache<ControllerConfig>;
  readonly nodes: Cache<Node>;
};

/** The files of an object depend on the others of its kind, so all are reconciled together: there are few. */
function watchSources<T extends GeneratingObject>(sources: Sources<T>, kind: string, enqueue: Enqueue): void {
  const enqueueAll = () => {
    for (const { metadata } of sources.objects.all()) enqueue(metadata.name);
  };
  const inputsOf = (object: T | undefined) => {
    const { generation, deletionTimestamp, annotations, finalizers } = object?.metadata ?? {};
    return [generation, deletionTimestamp, annotations, finalizers];
  };
  sources.objects.onChange(({ before, after: now }) => {
    if (!jsonEqual(inputsOf(before), inputsOf(now))) enqueueAll();
  });
  sources.pools.onChange(({ before, after: now }) => {
    const picked = (pool: MachineConfigPool | undefined) =>
      pool && [pool.metadata.labels, pool.metadata.deletionTimestamp, pool.spec.nodeSelector];
    if (!jsonEqual(picked(before), picked(now))) enqueueAll();
  });
  sources.nodes.onChange(({ before, after: now }) => {
    const memberOf = (node: Node | undefined) =>
      containerRuntimeOf(node) === CONTAINERD ? node?.metadata.labels : undefined;
    if (!jsonEqual(memberOf(before), memberOf(now))) enqueueAll();
  });
  sources.machineConfigs.onChange(({ before, after: now }) => {
    if (!hasDrifted(before, now)) return;
    // Generated MachineConfigs that were modified or deleted are restored.
    for (const one of [before, now]) {
      for (const owner of one?.metadata.ownerReferences ?? []) if (owner.kind === kind) enqueue(owner.name);
    }
  });
  sources.controllerConfigs.onChange(({ before, after: now }) => {
    const isReady = now !== undefined && isCompleted(now);
    const wasReady = before !== undefined && isCompleted(before);
    if (isReady && !(wasReady && jsonEqual(before.spec, now.spec))) enqueueAll();
  });
}

type Work<T extends GeneratingObject> = {
  readonly context: Context;
  readonly sources: Sources<T>;
  readonly kind: ControlledKind<T>;
  readonly baseOf: RoleBase;
  readonly warnings: WarningEvents;
};

async function reconcile<T extends GeneratingObject>(work: Work<T>, name: string): Promise<Next> {
  const { context, sources, kind } = work;
  // The cache may not show the name suffixes yet that were assigned a moment ago.
  const { items } = await context.kube.list(kind.resource);
  const object = items.find(({ metadata }) => metadata.name === name);
  if (object === undefined) return done;
  const written = new ObjectConfigs(context, kind, { object, machineConfigs: sources.machineConfigs });
  if (object.metadata.deletionTimestamp !== undefined) {
    await written.removeAll();
    return done;
  }
  const controllerConfig = sources.controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME });
  // The base configs come first. Once they are complete, the ControllerConfig changes.
  if (controllerConfig === undefined || !isCompleted(controllerConfig)) return done;
  const decision = decideSettings(kind, {
    object,
    others: items.filter((one) => one !== object),
    pools: sources.pools.all(),
    baseOf: (pool) => work.baseOf(controllerConfig, pool) ?? [],
    hasContainerd: (pools) => hasContainerd(sources, pools),
    controllerVersion: context.release.controllerVersion,
  });
  recordWarnings(work, object, decision.warnings);
  if (decision.kind === 'refused') await written.keep();
  else {
    await written.write(decision);
    for (const pool of selectedPools(object, sources.pools.all()))
      noteCompleted(context, kind.name, pool.metadata.name);
  }
  await written.report(verdictOf(decision));
  return decision.warnings.length === 0 ? done : after(WARNING_REPEAT_MS, 'warnings are recorded again');
}

function verdictOf(decision: SettingsDecision): Verdict {
  return decision.kind === 'accepted' ? { kind: 'accepted' } : decision;
}

function hasContainerd<T extends GeneratingObject>(
  { nodes, pools }: Sources<T>,
  selected: readonly MachineConfigPool[],
): boolean {
  const all = [...pools.all()];
  const names = new Set(selected.map(({ metadata }) => metadata.name));
  for (const node of nodes.all()) {
    if (containerRuntimeOf(node) !== CONTAINERD) continue;
    const membership = membershipOf(node, all);
    const its = membership.kind === 'member' ? [membership.primary, ...membership.also] : [];
    if (its.some(({ metadata }) => names.has(metadata.name))) return true;
  }
  return false;
}

function recordWarnings<T extends GeneratingObject>(
  { context, kind, warnings }: Work<T>,
  { metadata }: T,
  present: readonly SettingsWarning[],
): void {
  const events = present.map((one) => ({ type: 'Warning' as const, isAdditional: true as const, ...one }));
  const { apiVersion, kind: ownerKind, name, uid } = controllerReference(kind.resource, metadata);
  for (const event of warnings.due(uid, events)) {
    record(context, { apiVersion, kind: ownerKind, name, uid }, event, kind.component);
  }
}
