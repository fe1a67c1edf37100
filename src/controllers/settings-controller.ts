/**
 * The common part of the controllers of KubeletConfig and ContainerRuntimeConfig. Each object becomes a MachineConfig for
 * every pool that it selects:
 *
 *     object, others of its kind, pools, base of the role ──> decide ──> MachineConfigs 99-<pool>-generated-…
 *                                                                   └──> its status; events
 *
 * Errors are reported on the object, and MachineConfigs that were generated from it before stay: a mistake must not remove
 * settings from nodes. The names of MachineConfigs are finalizers of the object before they are created, so none outlives it.
 */
import {
  type ControllerConfig,
  controllerConfig as controllerConfigKind,
  type MachineConfig,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
} from '../api/index.ts';
import type { Outcome, Problem } from '../base/errors.ts';
import { formatProblem } from '../base/errors.ts';
import { byteLength, jsonEqual } from '../base/json.ts';
import { MAX_RENDERED_BYTES } from '../config/content/index.ts';
import { CONTAINERD, containerRuntimeOf } from '../config/registries/index.ts';
import {
  configName,
  type GeneratedFile,
  type GeneratedKind,
  type GeneratingObject,
  generatedConfig,
  nameSuffix,
  recordedSuffix,
  type SettingsStatus,
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
import type { Node } from '../kubernetes/types/index.ts';
import { membershipOf } from '../rollout/index.ts';
import type { Context } from './context.ts';
import { CONTROLLER_CONFIG_NAME, isCompleted } from './controller-config-status.ts';
import { hasDrifted } from './generated-config.ts';
import { nodesOf } from './node-cache.ts';
import { ObjectConfigs, ownerOf } from './object-configs.ts';
import type { RoleBase } from './role-base.ts';
import { record } from './rollout-events.ts';
import { WARNING_REPEAT_MS, WarningEvents } from './warning-events.ts';

/** What differs between the two kinds. */
export type SettingsKind<T extends GeneratingObject> = {
  /** The name of the controller in logs. */
  readonly name: string;
  /** The reporting component of events. */
  readonly component: string;
  readonly resource: ResourceOf<T>;
  readonly generatedKind: GeneratedKind;
  readonly problems: (object: T) => readonly Problem[];
  /** The files of the object for one pool. */
  readonly files: (input: FilesInput<T>) => Outcome<readonly GeneratedFile[]>;
  readonly statusOf: (object: T, verdict: Verdict, now: string) => SettingsStatus;
  readonly noPool: (name: string) => string;
  readonly tooMany: string;
  /** The settings that have no effect because others of the kind take precedence. */
  readonly overshadowed: (object: T, rivals: readonly Rival<T>[]) => readonly string[];
  /** The settings that have no effect on nodes of its pools that run containerd. */
  readonly withoutEffectOnContainerd?: (object: T) => readonly string[];
};

type FilesInput<T> = {
  readonly object: T;
  readonly suffix: number;
  readonly pool: MachineConfigPool;
  readonly base: readonly MachineConfig[];
  /** Others of its kind that select the pool. */
  readonly rivals: readonly T[];
};

/** Another object of the same kind in a pool. */
export type Rival<T> = {
  readonly pool: string;
  readonly object: T;
  readonly suffix: number;
  /** Its MachineConfig is merged later, and so takes precedence. */
  readonly isLater: boolean;
};

export function createSettingsController<T extends GeneratingObject>(
  context: Context,
  kind: SettingsKind<T>,
  baseOf: RoleBase,
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
  readonly kind: SettingsKind<T>;
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
  const others = items.filter((one) => one !== object);
  const decision = decide(work, { object, others, controllerConfig });
  recordWarnings(work, object, decision.warnings);
  if (decision.kind === 'refused') await written.keep();
  else await written.write(decision);
  await written.report(verdictOf(decision));
  return decision.warnings.length === 0 ? done : after(WARNING_REPEAT_MS, 'warnings are recorded again');
}

type Decision = { readonly warnings: readonly Warning[] } & (
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'accepted'; readonly suffix: number; readonly configs: readonly MachineConfig[] }
);
type Warning = { readonly reason: string; readonly message: string };

function verdictOf(decision: Decision): Verdict {
  return decision.kind === 'accepted' ? { kind: 'accepted' } : decision;
}

type DecisionInput<T> = {
  readonly object: T;
  readonly others: readonly T[];
  readonly controllerConfig: ControllerConfig;
};

/** Pure: decides what follows from the object. */
function decide<T extends GeneratingObject>(work: Work<T>, input: DecisionInput<T>): Decision {
  const { kind, sources } = work;
  const { object, others } = input;
  const { name } = object.metadata;
  const problems = kind.problems(object);
  if (problems.length > 0) return refusedFor(kind, problems);
  const pools = selectedPools(object, sources.pools.all());
  if (pools.length === 0) return refused(`Error: ${kind.noPool(name)}`);
  const rivalsIn = new Map(pools.map((pool) => [pool, others.filter((one) => selects(one, pool))]));
  const rivals = [...new Set([...rivalsIn.values()].flat())];
  const suffix = nameSuffix(
    object.metadata,
    rivals.map(({ metadata }) => metadata),
  );
  if (suffix === undefined) return refused(kind.tooMany);
  const configs: MachineConfig[] = [];
  const fileWarnings: Problem[] = [];
  for (const [pool, inPool] of rivalsIn) {
    const base = work.baseOf(input.controllerConfig, pool.metadata.name) ?? [];
    const files = kind.files({ object, suffix, pool, base, rivals: inPool });
    if (files.kind === 'invalid') return refusedFor(kind, files.problems);
    configs.push(configFor(work, { object, pool, suffix, files: files.value }));
    fileWarnings.push(...files.warnings);
  }
  const sizeBytes = Math.max(...configs.map((config) => byteLength(JSON.stringify(config))));
  if (sizeBytes > MAX_RENDERED_BYTES) {
    const why = `it would take ${sizeBytes} bytes, and no MachineConfig can hold more than ${MAX_RENDERED_BYTES}`;
    return refused(`could not Create/Update MachineConfig: ${why}`);
  }
  const warnings = [
    ...new Set(fileWarnings.map(formatProblem)),
    ...kind.overshadowed(object, numbered(suffix, rivalsIn)),
    ...(hasContainerd(sources, pools) ? (kind.withoutEffectOnContainerd?.(object) ?? []) : []),
  ].map((message) => ({ reason: 'NoEffect', message }));
  return { kind: 'accepted', suffix, configs, warnings };
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

function selects<T extends GeneratingObject>(object: T, pool: MachineConfigPool): boolean {
  return selectedPools(object, [pool]).length > 0;
}

/** The rivals of each pool that have a MachineConfig: one without a suffix has none yet. */
function numbered<T extends GeneratingObject>(
  suffix: number,
  rivalsIn: ReadonlyMap<MachineConfigPool, readonly T[]>,
): readonly Rival<T>[] {
  return [...rivalsIn].flatMap(([pool, rivals]) =>
    rivals
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .flatMap((object) => {
        const given = recordedSuffix(object.metadata);
        if (given === undefined) return [];
        return [{ pool: pool.metadata.name, object, suffix: given, isLater: given > suffix }];
      }),
  );
}

type PoolFiles<T> = {
  readonly object: T;
  readonly pool: MachineConfigPool;
  readonly suffix: number;
  readonly files: readonly GeneratedFile[];
};

function configFor<T extends GeneratingObject>(
  { context, kind }: Work<T>,
  { object, pool, suffix, files }: PoolFiles<T>,
): MachineConfig {
  const { name } = pool.metadata;
  return generatedConfig({
    name: configName(kind.generatedKind, name, suffix),
    pool: name,
    files,
    owner: ownerOf(kind.resource, object.metadata),
    controllerVersion: context.release.controllerVersion,
  });
}

function refused(message: string, warnings: readonly Warning[] = []): Decision {
  return { kind: 'refused', message, warnings };
}

/** The condition carries the first problem in upstream's wording; the event has all of them. */
function refusedFor<T extends GeneratingObject>(
  { resource }: SettingsKind<T>,
  problems: readonly Problem[],
): Decision {
  const messages = [...new Set(problems.map(({ message }) => message))];
  const reason = `Invalid${resource.kind}`;
  return refused(`Error: ${messages[0]}`, [{ reason, message: messages.join('; ') }]);
}

function recordWarnings<T extends GeneratingObject>(
  { context, kind, warnings }: Work<T>,
  { metadata }: T,
  present: readonly Warning[],
): void {
  const events = present.map((one) => ({ type: 'Warning' as const, isAdditional: true as const, ...one }));
  const { apiVersion, kind: ownerKind, name, uid } = ownerOf(kind.resource, metadata);
  for (const event of warnings.due(uid, events)) {
    record(context, { apiVersion, kind: ownerKind, name, uid }, event, kind.component);
  }
}
