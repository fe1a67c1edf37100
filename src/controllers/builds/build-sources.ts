/**
 * What the build controller watches, and the snapshot of one MachineOSConfig from it.
 */
import {
  annotations,
  CONTROLLER_CONFIG_NAME,
  controllerConfig as controllerConfigKind,
  labels,
  type MachineOSBuild,
  type MachineOSConfig,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  machineOSBuild as machineOSBuildKind,
  machineOSConfig as machineOSConfigKind,
} from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import {
  type BuildLimits,
  type BuildSnapshot,
  CLUSTER_PULL_SECRETS,
  digestConfigMapOf,
  finalSecretOf,
  type ImageState,
  jobNameOf,
  type PushState,
  podFailure,
  readAttempts,
  readImageRecord,
} from '../../images/index.ts';
import type { AnyObject, Cache, Caches } from '../../kubernetes/client/index.ts';
import { labelOf, nameOf } from '../../kubernetes/meta/index.ts';
import {
  type ConfigMap,
  configMap as configMapKind,
  type Job,
  job as jobKind,
  pod as podKind,
  type Secret,
  secret as secretKind,
} from '../../kubernetes/types/index.ts';
import { buildStateOf, membershipOf } from '../../rollout/index.ts';
import type { Context } from '../context.ts';
import { nodesOf } from '../node-cache.ts';

export type BuildSources = ReturnType<typeof createBuildCaches> & {
  /** Of Jobs, Secrets and ConfigMaps. */
  readonly namespace: string;
};

/** Kubernetes' label of pods of a Job. */
const JOB_NAME_LABEL = 'batch.kubernetes.io/job-name';

export function createBuildSources({ caches, settings: { namespace } }: Context): BuildSources {
  return { namespace, ...createBuildCaches(caches, namespace) };
}

/** All of them have to be filled before the first decision. */
export function cachesOf({ namespace: _, ...caches }: BuildSources): readonly Cache<AnyObject>[] {
  return Object.values(caches);
}

function createBuildCaches(caches: Caches, namespace: string) {
  const ours = { namespace };
  const ofBuilds = { ...ours, labelSelector: labels.ephemeralBuildObject };
  return {
    configs: caches.of(machineOSConfigKind),
    builds: caches.of(machineOSBuildKind, {
      indexes: { config: (build) => [stringAt(build, 'spec', 'machineOSConfig', 'name')] },
    }),
    pools: caches.of(machineConfigPoolKind),
    machineConfigs: caches.of(machineConfigKind),
    controllerConfigs: caches.of(controllerConfigKind),
    jobs: caches.of(jobKind, ofBuilds),
    pods: caches.of(podKind, {
      ...ours,
      labelSelector: JOB_NAME_LABEL,
      indexes: { job: (pod) => [labelOf(pod, JOB_NAME_LABEL) ?? ''] },
    }),
    configMaps: caches.of(configMapKind, {
      ...ofBuilds,
      indexes: { build: (object) => [labelOf(object, labels.machineOSBuild) ?? ''] },
    }),
    secrets: caches.of(secretKind, ours),
    nodes: nodesOf(caches),
  };
}

/** What was read from the server, since caches of different kinds lag independently. By the name of the build. */
type Confirmed = ReadonlyMap<string, ConfirmedBuild>;
export type ConfirmedBuild = { readonly job: Job | undefined; readonly digest: ConfigMap | undefined };

type SnapshotOptions = {
  readonly imageState: (image: string) => ImageState | undefined;
  readonly pushState: PushState | undefined;
  readonly limits: BuildLimits;
  readonly nowMs: number;
};

export function snapshotOf(
  sources: BuildSources,
  config: MachineOSConfig,
  options: SnapshotOptions,
  confirmed: Confirmed = new Map(),
): BuildSnapshot {
  const poolName = stringAt(config, 'spec', 'machineConfigPool', 'name');
  const pool = sources.pools.get({ name: poolName });
  const rendered = sources.machineConfigs.get({ name: pool?.spec.configuration?.name ?? '' });
  const builds = sources.builds.by('config', nameOf(config));
  const rival = rivalOf(sources, config);
  const push = secretOf(sources, stringAt(config, 'spec', 'renderedImagePushSecret', 'name'));
  const baseName = stringAt(config, 'spec', 'baseImagePullSecret', 'name');
  const base = (baseName === '' ? CLUSTER_PULL_SECRETS : [baseName])
    .map((name) => secretOf(sources, name))
    .find((secret) => secret !== undefined);
  const controllerConfig = sources.controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME });
  return {
    namespace: sources.namespace,
    config,
    ...(rival === undefined ? {} : { rival }),
    ...(pool === undefined ? {} : { pool }),
    ...(rendered === undefined ? {} : { rendered }),
    builds,
    jobs: new Map(builds.flatMap((build) => entryOf(build, jobOf(sources, build, confirmed)))),
    failures: new Map(builds.flatMap((build) => entryOf(build, failureOf(sources, build)))),
    digests: new Map(builds.flatMap((build) => entryOf(build, digestOf(sources, build, confirmed)))),
    confirmed: new Set(confirmed.keys()),
    recorded: new Set(builds.filter((build) => isRecorded(sources, build, push)).map(nameOf)),
    attempts: new Map(builds.flatMap((build) => entryOf(build, attemptsOf(sources, build)))),
    withObjects: new Set(builds.map(nameOf).filter((name) => hasObjects(sources, name))),
    secrets: { ...(push === undefined ? {} : { push }), ...(base === undefined ? {} : { base }) },
    nodes: nodesOfPool(sources, poolName),
    hasTrustBundle: stringAt(controllerConfig, 'spec', 'additionalTrustBundle') !== '',
    ...options,
  };
}

function nodesOfPool({ nodes, pools }: BuildSources, pool: string) {
  return [...nodes.all()].filter((node) => nameOf(membershipOf(node, pools.all()).primary) === pool);
}

/** The first by name takes precedence, as in the rollout. */
function rivalOf({ configs }: BuildSources, config: MachineOSConfig): string | undefined {
  const pool = stringAt(config, 'spec', 'machineConfigPool', 'name');
  const [first] = [...configs.all()]
    .filter((other) => stringAt(other, 'spec', 'machineConfigPool', 'name') === pool)
    .map(nameOf)
    .sort(compareBytes);
  return first === undefined || first === nameOf(config) ? undefined : first;
}

function secretOf({ secrets, namespace }: BuildSources, name: string) {
  return name === '' ? undefined : secrets.get({ name, namespace });
}

/** A Job of a former build with the same name is not ours: it is about to be deleted. */
function jobOf({ jobs, namespace }: BuildSources, build: MachineOSBuild, confirmed: Confirmed) {
  const read = confirmed.get(nameOf(build));
  const cached = () => jobs.get({ name: jobNameOf(nameOf(build)), namespace });
  const job = read === undefined ? cached() : read.job;
  return job !== undefined && isOwnedBy(job, build) ? job : undefined;
}

export function isOwnedBy(object: AnyObject, build: MachineOSBuild): boolean {
  return (object.metadata.ownerReferences ?? []).some(({ uid }) => uid === build.metadata.uid);
}

function failureOf({ pods }: BuildSources, build: MachineOSBuild): string | undefined {
  const uid = build.metadata.annotations?.[annotations.jobUid];
  const own = pods
    .by('job', jobNameOf(nameOf(build)))
    .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true);
  return podFailure(own);
}

function digestOf(
  { configMaps, namespace }: BuildSources,
  build: MachineOSBuild,
  confirmed: Confirmed,
): string | undefined {
  const read = confirmed.get(nameOf(build));
  const cached = () => configMaps.get({ name: digestConfigMapOf(nameOf(build)), namespace });
  const found = read === undefined ? cached() : read.digest;
  // One of a former build with the same name has another digest.
  const isOfBuild =
    found?.metadata.annotations?.[annotations.jobUid] === build.metadata.annotations?.[annotations.jobUid];
  return isOfBuild ? found?.data?.digest?.trim() : undefined;
}

/** A successful build has a digest. Without the Secret of the config there is nothing to copy. */
function isRecorded(
  { configMaps, secrets, namespace }: BuildSources,
  build: MachineOSBuild,
  push: Secret | undefined,
): boolean {
  const name = nameOf(build);
  const found = configMaps.get({ name: digestConfigMapOf(name), namespace });
  if (found === undefined) return false;
  const { repository, digest } = readImageRecord(found);
  const hasDigest = digest !== undefined || buildStateOf(build) !== 'Succeeded';
  const hasCredentials = secrets.get({ name: finalSecretOf(name), namespace }) !== undefined;
  return repository !== '' && hasDigest && (hasCredentials || push === undefined);
}

function attemptsOf({ configMaps, namespace }: BuildSources, build: MachineOSBuild): number | undefined {
  const found = configMaps.get({ name: digestConfigMapOf(nameOf(build)), namespace });
  return found === undefined ? undefined : readAttempts(found);
}

/** The record of images and its credentials are no ephemeral objects: they outlive the build. */
function hasObjects({ configMaps, secrets, namespace }: BuildSources, build: string): boolean {
  const digest = digestConfigMapOf(build);
  if (configMaps.by('build', build).some((object) => nameOf(object) !== digest)) return true;
  return secrets.get({ name: `base-${build}`, namespace }) !== undefined;
}

function entryOf<T>(build: MachineOSBuild, value: T | undefined): readonly (readonly [string, T])[] {
  return value === undefined ? [] : [[nameOf(build), value]];
}
