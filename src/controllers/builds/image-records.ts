/**
 * Image records: deletes images of builds from their registry once neither a build nor a node has them
 * (`images/builds/image-record.ts`).
 */
import { annotations, labels, type MachineOSBuild } from '../../api/index.ts';
import { stringAt } from '../../base/json-fields.ts';
import {
  type BuildRegistry,
  decideRecord,
  digestConfigMapOf,
  type ImageRecord,
  isFinal,
  readImageRecord,
  recordData,
} from '../../images/index.ts';
import { type Controller, done, type Enqueue, type Next } from '../../kubernetes/client/index.ts';
import { annotationOf, labelOf, nameOf } from '../../kubernetes/meta/index.ts';
import { type ConfigMap, configMap as configMapKind } from '../../kubernetes/types/index.ts';
import { buildStateOf } from '../../rollout/index.ts';
import type { Context } from '../context.ts';
import { type BuildSources, cachesOf, createBuildSources } from './build-sources.ts';
import { recordCredentials } from './push-credentials.ts';

export function createImageRecordController(
  context: Context,
  { registry }: { readonly registry: BuildRegistry },
): Controller {
  const sources = createBuildSources(context);
  return {
    name: 'image-record',
    workers: 1,
    caches: cachesOf(sources),
    watch: (enqueue) => watchSources(sources, enqueue),
    reconcile: (name) => reconcile(context, sources, registry, name),
  };
}

/** The key of a record is the name of its build. */
function watchSources(sources: BuildSources, enqueue: Enqueue): void {
  const enqueueAll = () => {
    for (const record of sources.configMaps.all()) {
      const build = labelOf(record, labels.machineOSBuild) ?? '';
      if (nameOf(record) === digestConfigMapOf(build)) enqueue(build);
    }
  };
  sources.configMaps.onChange(enqueueAll);
  sources.builds.onChange(({ before, after: now }) => {
    if (now === undefined || isBuilding(before) !== isBuilding(now)) enqueueAll();
  });
  sources.configs.onChange(({ before, after: now }) => {
    if (imageOfConfig(before) !== imageOfConfig(now)) enqueueAll();
  });
  sources.nodes.onChange(({ before, after: now }) => {
    if (imagesOf(before).join() !== imagesOf(now).join()) enqueueAll();
  });
}

async function reconcile(
  context: Context,
  sources: BuildSources,
  registry: BuildRegistry,
  build: string,
): Promise<Next> {
  const place = { name: digestConfigMapOf(build), namespace: sources.namespace };
  const found = sources.configMaps.get(place);
  if (found === undefined) return done;
  const record = readImageRecord(found);
  const images = imagesInUse(sources);
  const owner = sources.builds.get({ name: build });
  const { unused, rest } = decideRecord(record, {
    hasBuild: owner !== undefined,
    isBuilding: isBuilding(owner),
    isUsed: (image) => images.has(image),
  });
  const authFile = recordCredentials(sources, build, labelOf(found, labels.machineOSConfig));
  for (const image of unused) {
    context.env.log.info('Deleting image', { image, build });
    const refusal = await registry.remove(image, authFile);
    // Nothing that could be waited for: some registries do not allow it at all.
    if (refusal !== undefined) context.env.log.warn('Image not deleted', { image, build, error: refusal });
  }
  if (rest === undefined) {
    // The copy of the credentials belongs to it. A build that was just started has changed it.
    const { uid = '', resourceVersion = '' } = found.metadata;
    await context.kube.delete(configMapKind, place, { uid, resourceVersion });
  } else if (unused.length > 0) await write(context, found, rest);
  return done;
}

function isBuilding(build: MachineOSBuild | undefined): boolean {
  return build !== undefined && !isFinal(buildStateOf(build));
}

async function write(
  { kube, settings: { namespace } }: Context,
  { metadata }: ConfigMap,
  record: ImageRecord,
): Promise<void> {
  const { name, uid, resourceVersion } = metadata;
  const body = { metadata: { uid, resourceVersion }, data: recordData(record) };
  await kube.patch(configMapKind, { name, namespace }, { type: 'merge', body });
}

function imagesInUse({ nodes, builds, configs }: BuildSources): ReadonlySet<string> {
  const built = (build: MachineOSBuild) => stringAt(build, 'status', 'digestedImagePushSpec');
  return new Set([
    ...[...nodes.all()].flatMap(imagesOf),
    ...[...builds.all()].map(built),
    ...[...configs.all()].map(imageOfConfig),
  ]);
}

export function imagesOf(node: unknown): readonly string[] {
  return [annotations.currentImage, annotations.desiredImage].map((key) => annotationOf(node, key) ?? '');
}

function imageOfConfig(config: unknown): string {
  return stringAt(config, 'status', 'currentImagePullSpec');
}
