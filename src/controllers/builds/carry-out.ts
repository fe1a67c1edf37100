/**
 * Carries out one action of `decideBuild`. Each can be repeated: what exists already is left as it is, and deletions name
 * the very object.
 */
import {
  annotations,
  CONTROLLER_CONFIG_NAME,
  type MachineOSBuild,
  type MachineOSConfig,
  machineOSBuild as machineOSBuildKind,
  machineOSConfig as machineOSConfigKind,
} from '../../api/index.ts';
import { assert, Failure } from '../../base/errors.ts';
import { stringAt } from '../../base/json-fields.ts';
import {
  type BuildAction,
  type BuildSnapshot,
  buildObjects,
  buildStatus,
  credentialsMark,
  digestConfigMapOf,
  ENTITLEMENT_SECRET_PREFIX,
  imageStatus,
  jobNameOf,
  newBuild,
  RPM_GPG_SECRET,
  renderedFile,
  YUM_REPOS_CONFIG_MAP,
} from '../../images/index.ts';
import { annotationOf, nameOf } from '../../kubernetes/meta/index.ts';
import {
  configMap as configMapKind,
  type Job,
  job as jobKind,
  secret as secretKind,
} from '../../kubernetes/types/index.ts';
import { createIfAbsent } from '../create-if-absent.ts';
import { countBuildRetry } from '../metrics/build-metrics.ts';
import type { BuildContext } from './build-context.ts';
import { noteAttempts, ofRecord, openRecord, restoreRecord } from './build-records.ts';
import { isOwnedBy } from './build-sources.ts';
import { ensure } from './ensure.ts';

export async function carryOut(
  context: BuildContext,
  snapshot: BuildSnapshot,
  action: BuildAction,
): Promise<void> {
  switch (action.kind) {
    case 'wait':
    case 'inspect':
    case 'confirm':
    case 'check-push':
      return;
    case 'create':
      return create(context, snapshot, action);
    case 'delete':
      return remove(context, snapshot, action);
    case 'start':
      return start(context, snapshot, action);
    case 'report':
      return report(context, snapshot, action);
    case 'follow':
      return follow(context, snapshot, action);
    case 'begin-rebuild':
      context.buildEvents.rebuildRequested(snapshot.config);
      return annotate(context, snapshot, { [annotations.rebuilds]: action.replaces });
    case 'forget-pre-built':
      return annotate(context, snapshot, { [annotations.preBuiltImage]: null });
    case 'record':
      return restoreRecord(context, snapshot, action.build);
    case 'note-attempts':
      await noteAttempts(context, action.build, action.attempts);
      return countBuildRetry(context, snapshot.config);
    case 'note-size':
      return mark(context, action.build, { [annotations.imageSize]: String(action.bytes) });
    case 'clean':
      return clean(context, action.build);
  }
}

type ActionOf<Kind extends BuildAction['kind']> = Extract<BuildAction, { readonly kind: Kind }>;

async function create(
  { kube }: BuildContext,
  { config, pool, rendered }: BuildSnapshot,
  { name, isPreBuilt }: ActionOf<'create'>,
): Promise<void> {
  if (pool === undefined || rendered === undefined) return;
  const build = newBuild({ config, pool, rendered }, name, { isPreBuilt });
  await createIfAbsent(() => kube.create(machineOSBuildKind, build));
}

/** Its Job and objects go with it, since it owns them. Its image goes once no node uses it (`image-records.ts`). */
async function remove(
  context: BuildContext,
  { config }: BuildSnapshot,
  { build, why }: ActionOf<'delete'>,
): Promise<void> {
  const { kube, env, buildEvents, inspections } = context;
  const { uid } = build.metadata;
  const image = stringAt(build, 'status', 'digestedImagePushSpec');
  inspections.forget(image);
  const isDeleted = await kube.delete(
    machineOSBuildKind,
    { name: nameOf(build) },
    { propagationPolicy: 'Foreground', ...(uid === undefined ? {} : { uid }) },
  );
  if (!isDeleted) return;
  buildEvents.deleted(build);
  if (why === 'retry') countBuildRetry(context, config);
  if (why !== 'image-missing') return;
  env.log.warn('Image is missing in its registry, building it again', { image, build: nameOf(build) });
  buildEvents.imageMissing(config, image);
}

/** A controller that died after it had created the Job is continued, with that Job: it may have pushed an image already. */
async function start(
  context: BuildContext,
  snapshot: BuildSnapshot,
  { build, containerfile }: ActionOf<'start'>,
): Promise<void> {
  const { kube, sources } = context;
  const place = { name: jobNameOf(nameOf(build)), namespace: sources.namespace };
  const found = await kube.get(jobKind, place);
  if (found !== undefined && !isOwnedBy(found, build)) return removeForeignJob(context, found);
  const job = found ?? (await createObjects(context, snapshot, { build, containerfile }));
  await mark(context, build, {
    [annotations.jobUid]: job.metadata.uid ?? '',
    [annotations.credentials]: annotationOf(job, annotations.credentials) ?? '',
  });
  context.buildEvents.started(build);
}

async function createObjects(
  context: BuildContext,
  snapshot: BuildSnapshot,
  { build, containerfile }: Omit<ActionOf<'start'>, 'kind'>,
): Promise<Job> {
  const { kube, sources, options } = context;
  const { config, rendered, secrets } = snapshot;
  const { push, base } = secrets;
  assert(rendered !== undefined && push !== undefined, 'builds without their inputs are not started');
  const controllerConfig = sources.controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME });
  const registriesConf = renderedFile(rendered, '/etc/containers/registries.conf');
  const policyJson = renderedFile(rendered, '/etc/containers/policy.json');
  const objects = buildObjects({
    namespace: sources.namespace,
    build,
    config,
    rendered,
    containerfile,
    secrets: { push, ...(base === undefined ? {} : { base }) },
    ...(controllerConfig === undefined ? {} : { controllerConfig }),
    ...(registriesConf === undefined ? {} : { registriesConf }),
    ...(policyJson === undefined ? {} : { policyJson }),
    optional: await optionalInputs(context, config),
    builderImage: options.builderImage,
    timeoutMs: options.limits.timeoutMs,
  });
  const record = await openRecord(context, build);
  for (const object of objects.configMaps) await ensure(kube, configMapKind, object);
  for (const object of objects.secrets) await ensure(kube, secretKind, ofRecord(object, build, record));
  const { metadata } = objects.job;
  const values = { ...metadata.annotations, [annotations.credentials]: credentialsMark(snapshot) };
  return await kube.create(jobKind, { ...objects.job, metadata: { ...metadata, annotations: values } });
}

async function mark(
  { kube }: BuildContext,
  build: MachineOSBuild,
  values: { readonly [key: string]: string },
): Promise<void> {
  const { uid, resourceVersion } = build.metadata;
  const body = { metadata: { uid, resourceVersion, annotations: values } };
  await kube.patch(machineOSBuildKind, { name: nameOf(build) }, { type: 'merge', body });
}

/** Of a former build with the same name: the start is repeated when it is gone. */
async function removeForeignJob({ kube, sources }: BuildContext, { metadata }: Job): Promise<never> {
  const { name, uid, deletionTimestamp } = metadata;
  if (deletionTimestamp === undefined) {
    const place = { name, namespace: sources.namespace };
    await kube.delete(jobKind, place, {
      propagationPolicy: 'Foreground',
      ...(uid === undefined ? {} : { uid }),
    });
  }
  throw new Failure('transient', 'JobOfFormerBuild', `Job ${name} of a former build is being deleted`);
}

async function optionalInputs({ kube, sources }: BuildContext, config: BuildSnapshot['config']) {
  const pool = stringAt(config, 'spec', 'machineConfigPool', 'name');
  const entitlement = `${ENTITLEMENT_SECRET_PREFIX}-${pool}`;
  const { namespace } = sources;
  const [hasEntitlement, hasRepos, hasGpg] = await Promise.all([
    kube.get(secretKind, { name: entitlement, namespace }),
    kube.get(configMapKind, { name: YUM_REPOS_CONFIG_MAP, namespace }),
    kube.get(secretKind, { name: RPM_GPG_SECRET, namespace }),
  ]);
  return {
    ...(hasEntitlement === undefined ? {} : { entitlement }),
    ...(hasRepos === undefined ? {} : { yumRepos: YUM_REPOS_CONFIG_MAP }),
    ...(hasGpg === undefined ? {} : { rpmGpg: RPM_GPG_SECRET }),
  };
}

async function report(
  { kube, env, buildEvents }: BuildContext,
  { jobs, config, namespace }: BuildSnapshot,
  action: ActionOf<'report'>,
): Promise<void> {
  const { build } = action;
  const job = jobs.get(nameOf(build));
  const status = buildStatus(build, {
    ...action,
    namespace,
    ...(job === undefined ? {} : { job }),
    nowMs: env.clock.now(),
  });
  const { uid, resourceVersion } = build.metadata;
  const body = { metadata: { uid, resourceVersion }, status };
  await kube.patch(
    machineOSBuildKind,
    { name: nameOf(build) },
    { type: 'merge', body },
    { subresource: 'status' },
  );
  buildEvents.reported(action, config);
}

/** Annotations first: the status names the image of the build that they name. */
async function follow(
  context: BuildContext,
  snapshot: BuildSnapshot,
  { build, image, endsRebuild }: ActionOf<'follow'>,
): Promise<void> {
  const { config } = snapshot;
  const rebuild = endsRebuild ? { [annotations.rebuild]: null, [annotations.rebuilds]: null } : {};
  const isNamed = annotationOf(config, annotations.currentMachineOSBuild) === nameOf(build);
  if (!isNamed || endsRebuild) {
    await annotate(context, snapshot, { [annotations.currentMachineOSBuild]: nameOf(build), ...rebuild });
  } else if (image !== undefined) {
    await writeConfigStatus(
      context,
      config,
      imageStatus(config, { build, image, nowMs: context.env.clock.now() }),
    );
  }
}

export async function writeConfigStatus(
  { kube }: Pick<BuildContext, 'kube'>,
  { metadata }: MachineOSConfig,
  status: MachineOSConfig['status'],
): Promise<void> {
  const { name, uid, resourceVersion } = metadata;
  const body = { metadata: { uid, resourceVersion }, status };
  await kube.patch(machineOSConfigKind, { name }, { type: 'merge', body }, { subresource: 'status' });
}

async function annotate(
  { kube }: BuildContext,
  { config }: BuildSnapshot,
  changes: { readonly [key: string]: string | null },
): Promise<void> {
  const { uid, resourceVersion } = config.metadata;
  const body = { metadata: { uid, resourceVersion, annotations: changes } };
  await kube.patch(machineOSConfigKind, { name: nameOf(config) }, { type: 'merge', body });
}

/** Of a successful build: those of a failed one are kept for looking at. */
async function clean({ kube, sources, buildEvents }: BuildContext, build: MachineOSBuild): Promise<void> {
  const name = nameOf(build);
  const { namespace } = sources;
  const keptDigest = digestConfigMapOf(name);
  for (const object of sources.configMaps.by('build', name)) {
    if (nameOf(object) !== keptDigest) await kube.delete(configMapKind, { name: nameOf(object), namespace });
  }
  await kube.delete(secretKind, { name: `base-${name}`, namespace });
  const place = { name: jobNameOf(name), namespace };
  if (await kube.delete(jobKind, place, { propagationPolicy: 'Foreground' })) buildEvents.jobDeleted(build);
}
