/**
 * What the controllers of KubeletConfig and ContainerRuntimeConfig have in common. Each object becomes a MachineConfig in
 * every pool that it selects:
 *
 *     object, others of its kind, pools, base of the role ──> decide ──> MachineConfigs 99-<pool>-generated-…
 *                                                                   └──> its status; events on it
 *
 * What is refused is said on the object, and what was generated from it before stays: a mistake must not take settings
 * away from nodes. Names of MachineConfigs stand in the finalizers of the object before they are made, so none outlives it.
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
import { Complaints } from './complaints.ts';
import type { Context } from './context.ts';
import { CONTROLLER_CONFIG_NAME, isCompleted } from './controller-config-status.ts';
import { isMeddledWith } from './generated-config.ts';
import { ObjectConfigs, ownerOf } from './object-configs.ts';
import type { RoleBase } from './role-base.ts';
import { record } from './rollout-events.ts';

/** What is wrong is said again before events are forgotten. */
const LOOK_AGAIN_MS = 30 * 60_000;

/** What differs between the two kinds. */
export type Generating<T extends GeneratingObject> = {
  /** Of the controller, in logs. */
  readonly name: string;
  /** Who says it, in events. */
  readonly component: string;
  readonly resource: ResourceOf<T>;
  readonly generatedKind: GeneratedKind;
  readonly problems: (object: T) => readonly Problem[];
  /** What the object means for one pool. */
  readonly files: (standing: Standing<T>) => Outcome<readonly GeneratedFile[]>;
  readonly statusOf: (object: T, verdict: Verdict, now: string) => SettingsStatus;
  readonly noPool: (name: string) => string;
  readonly tooMany: string;
  /** What of the object does not reach nodes, because others of its kind win. */
  readonly overshadowed: (object: T, rivals: readonly Rival<T>[]) => readonly string[];
};

type Standing<T> = {
  readonly object: T;
  readonly suffix: number;
  readonly pool: MachineConfigPool;
  readonly base: readonly MachineConfig[];
  /** Others of its kind that select the pool. */
  readonly rivals: readonly T[];
};

/** An object of the same kind that comes later in a pool, and so wins. */
export type Rival<T> = { readonly pool: string; readonly object: T; readonly suffix: number };

export function createGeneratingController<T extends GeneratingObject>(
  context: Context,
  kind: Generating<T>,
  baseOf: RoleBase,
): Controller {
  const { caches } = context;
  const seen: Seen<T> = {
    objects: caches.of(kind.resource),
    pools: caches.of(machineConfigPoolKind),
    machineConfigs: caches.of(machineConfigKind),
    controllerConfigs: caches.of(controllerConfigKind),
  };
  const complaints = new Complaints(context.env.clock);
  return {
    name: kind.name,
    // One at a time: numbers are given out in turn.
    workers: 1,
    caches: Object.values(seen),
    watch(enqueue) {
      watchSources(seen, kind.resource.kind, enqueue);
      seen.objects.onChange(({ before, after: now }) => {
        // Whatever is made anew under the name is another object: it is told for itself.
        const uid = before?.metadata.uid ?? '';
        if (uid !== now?.metadata.uid) complaints.news(uid, []);
      });
    },
    reconcile: (name) => settle({ context, seen, kind, baseOf, complaints }, name),
  };
}

type Seen<T extends GeneratingObject> = {
  readonly objects: Cache<T>;
  readonly pools: Cache<MachineConfigPool>;
  readonly machineConfigs: Cache<MachineConfig>;
  readonly controllerConfigs: Cache<ControllerConfig>;
};

/** What one object means depends on the others of its kind, so they are all looked at together: there are few. */
function watchSources<T extends GeneratingObject>(seen: Seen<T>, kind: string, enqueue: Enqueue): void {
  const lookAtAll = () => {
    for (const { metadata } of seen.objects.all()) enqueue(metadata.name);
  };
  const wishOf = (object: T | undefined) => {
    const { generation, deletionTimestamp, annotations, finalizers } = object?.metadata ?? {};
    return [generation, deletionTimestamp, annotations, finalizers];
  };
  seen.objects.onChange(({ before, after: now }) => {
    if (!jsonEqual(wishOf(before), wishOf(now))) lookAtAll();
  });
  seen.pools.onChange(({ before, after: now }) => {
    const picked = (pool: MachineConfigPool | undefined) =>
      pool && [pool.metadata.labels, pool.metadata.deletionTimestamp, pool.spec.nodeSelector];
    if (!jsonEqual(picked(before), picked(now))) lookAtAll();
  });
  seen.machineConfigs.onChange(({ before, after: now }) => {
    if (!isMeddledWith(before, now)) return;
    // What was generated and is changed or gone is put back.
    for (const one of [before, now]) {
      for (const owner of one?.metadata.ownerReferences ?? []) if (owner.kind === kind) enqueue(owner.name);
    }
  });
  seen.controllerConfigs.onChange(({ before, after: now }) => {
    const isReady = now !== undefined && isCompleted(now);
    const wasReady = before !== undefined && isCompleted(before);
    if (isReady && !(wasReady && jsonEqual(before.spec, now.spec))) lookAtAll();
  });
}

type Work<T extends GeneratingObject> = {
  readonly context: Context;
  readonly seen: Seen<T>;
  readonly kind: Generating<T>;
  readonly baseOf: RoleBase;
  readonly complaints: Complaints;
};

async function settle<T extends GeneratingObject>(work: Work<T>, name: string): Promise<Next> {
  const { context, seen, kind } = work;
  // The cache may not know yet which numbers we gave out a moment ago.
  const { items } = await context.kube.list(kind.resource);
  const object = items.find(({ metadata }) => metadata.name === name);
  if (object === undefined) return done;
  const written = new ObjectConfigs(context, kind, { object, machineConfigs: seen.machineConfigs });
  if (object.metadata.deletionTimestamp !== undefined) {
    await written.removeAll();
    return done;
  }
  const controllerConfig = seen.controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME });
  // The base is not settled itself; when it is, it wakes us.
  if (controllerConfig === undefined || !isCompleted(controllerConfig)) return done;
  const others = items.filter((one) => one !== object);
  const decision = decide(work, { object, others, controllerConfig });
  tell(work, object, decision.complaints);
  if (decision.kind === 'refused') await written.keep();
  else await written.write(decision);
  await written.report(verdictOf(decision));
  return decision.complaints.length === 0 ? done : after(LOOK_AGAIN_MS, 'to say again what is wrong');
}

type Decision = { readonly complaints: readonly Complaint[] } & (
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'accepted'; readonly suffix: number; readonly configs: readonly MachineConfig[] }
);
type Complaint = { readonly reason: string; readonly message: string };

function verdictOf(decision: Decision): Verdict {
  return decision.kind === 'accepted' ? { kind: 'accepted' } : decision;
}

type Question<T> = {
  readonly object: T;
  readonly others: readonly T[];
  readonly controllerConfig: ControllerConfig;
};

/** Everything there is to know about the object; nothing is written here. */
function decide<T extends GeneratingObject>(work: Work<T>, question: Question<T>): Decision {
  const { kind, seen } = work;
  const { object, others } = question;
  const { name } = object.metadata;
  const problems = kind.problems(object);
  if (problems.length > 0) return refusedFor(kind, problems);
  const pools = selectedPools(object, seen.pools.all());
  if (pools.length === 0) return refused(`Error: ${kind.noPool(name)}`);
  const rivalsIn = new Map(pools.map((pool) => [pool, others.filter((one) => selects(one, pool))]));
  const rivals = [...new Set([...rivalsIn.values()].flat())];
  const suffix = nameSuffix(
    object.metadata,
    rivals.map(({ metadata }) => metadata),
  );
  if (suffix === undefined) return refused(kind.tooMany);
  const configs: MachineConfig[] = [];
  const warnings: Problem[] = [];
  for (const [pool, inPool] of rivalsIn) {
    const base = work.baseOf(question.controllerConfig, pool.metadata.name) ?? [];
    const files = kind.files({ object, suffix, pool, base, rivals: inPool });
    if (files.kind === 'invalid') return refusedFor(kind, files.problems);
    configs.push(configFor(work, { object, pool, suffix, files: files.value }));
    warnings.push(...files.warnings);
  }
  const sizeBytes = Math.max(...configs.map((config) => byteLength(JSON.stringify(config))));
  if (sizeBytes > MAX_RENDERED_BYTES) {
    const why = `it would take ${sizeBytes} bytes, and no MachineConfig can hold more than ${MAX_RENDERED_BYTES}`;
    return refused(`could not Create/Update MachineConfig: ${why}`);
  }
  const complaints = [
    ...new Set(warnings.map(formatProblem)),
    ...kind.overshadowed(object, laterOnes(suffix, rivalsIn)),
  ].map((message) => ({ reason: 'NoEffect', message }));
  return { kind: 'accepted', suffix, configs, complaints };
}

function selects<T extends GeneratingObject>(object: T, pool: MachineConfigPool): boolean {
  return selectedPools(object, [pool]).length > 0;
}

/** Of each pool those whose MachineConfig comes behind ours; what has no number has none. */
function laterOnes<T extends GeneratingObject>(
  suffix: number,
  rivalsIn: ReadonlyMap<MachineConfigPool, readonly T[]>,
): readonly Rival<T>[] {
  return [...rivalsIn].flatMap(([pool, rivals]) =>
    rivals
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map((object) => ({
        ...{ pool: pool.metadata.name, object },
        suffix: recordedSuffix(object.metadata) ?? -1,
      }))
      .filter((rival) => rival.suffix > suffix),
  );
}

type Part<T> = {
  readonly object: T;
  readonly pool: MachineConfigPool;
  readonly suffix: number;
  readonly files: readonly GeneratedFile[];
};

function configFor<T extends GeneratingObject>(
  { context, kind }: Work<T>,
  { object, pool, suffix, files }: Part<T>,
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

function refused(message: string, complaints: readonly Complaint[] = []): Decision {
  return { kind: 'refused', message, complaints };
}

/** The condition has the first, in words that people search for; an event has them all. */
function refusedFor<T extends GeneratingObject>(
  { resource }: Generating<T>,
  problems: readonly Problem[],
): Decision {
  const messages = [...new Set(problems.map(({ message }) => message))];
  const reason = `Invalid${resource.kind}`;
  return refused(`Error: ${messages[0]}`, [{ reason, message: messages.join('; ') }]);
}

function tell<T extends GeneratingObject>(
  { context, kind, complaints }: Work<T>,
  { metadata }: T,
  said: readonly Complaint[],
): void {
  const events = said.map((one) => ({ type: 'Warning' as const, ...one }));
  const { apiVersion, kind: word, name, uid } = ownerOf(kind.resource, metadata);
  for (const event of complaints.news(uid, events)) {
    record(context.eventsOf(kind.component), { apiVersion, kind: word, name, uid }, event);
  }
}
