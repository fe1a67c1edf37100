/**
 * Which of the builds of a MachineOSConfig can be used, and which are left over.
 */
import { annotations, labels, type MachineOSBuild } from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import { annotationOf, labelOf, nameOf } from '../../kubernetes/meta/index.ts';
import { buildStateOf } from '../../rollout/index.ts';
import { type BuildInputs, imageInputsDigest } from './build-name.ts';
import type { BuildSnapshot } from './build-snapshot.ts';
import { isFinal } from './build-state.ts';

/** What the choice depends on. */
export type KnownBuilds = Pick<BuildSnapshot, 'config' | 'rival' | 'builds'>;
type ImageInputs = Omit<BuildInputs, 'pool'>;

/** Successful builds with the image that these inputs would give, newest first. */
export function fittingBuilds(snapshot: KnownBuilds, inputs: ImageInputs): readonly MachineOSBuild[] {
  return buildsOfImage(snapshot, inputs).filter(
    (build) => buildStateOf(build) === 'Succeeded' && imageOf(build) !== '',
  );
}

/** A build of the image that these inputs would give, whose Job has not ended. */
export function runningBuild(snapshot: KnownBuilds, inputs: ImageInputs): MachineOSBuild | undefined {
  return buildsOfImage(snapshot, inputs).find(
    (build) => !isFinal(buildStateOf(build)) && annotationOf(build, annotations.jobUid) !== undefined,
  );
}

/** None is good enough where a new image is requested. */
function buildsOfImage(snapshot: KnownBuilds, inputs: ImageInputs): readonly MachineOSBuild[] {
  const isRebuild = annotationOf(snapshot.config, annotations.rebuild) !== undefined;
  if (snapshot.rival !== undefined || isRebuild) return [];
  const digest = imageInputsDigest(inputs);
  return newestFirst(snapshot.builds).filter(
    (build) => !isLeaving(snapshot, build) && annotationOf(build, annotations.imageInputs) === digest,
  );
}

/**
 * Whether an image that the registry does not show was there before. Some registries answer like this to credentials that
 * may only push: such a build would be repeated without end.
 */
export function isLost(snapshot: BuildSnapshot, build: MachineOSBuild): boolean {
  if (labelOf(build, labels.preBuiltImageBuild) !== undefined) return true;
  return snapshot.builds.some(
    (other) => imageOf(other) === imageOf(build) && annotationOf(other, annotations.imageSize) !== undefined,
  );
}

/** A build that pushed an image which is not on record, so that it would never be deleted. */
export function unrecordedBuild(snapshot: BuildSnapshot): MachineOSBuild | undefined {
  return snapshot.builds.find(
    (build) =>
      !isLeaving(snapshot, build) &&
      buildStateOf(build) === 'Succeeded' &&
      annotationOf(build, annotations.jobUid) !== undefined &&
      !snapshot.recorded.has(nameOf(build)),
  );
}

/** A successful build that still has a Job or ephemeral objects. */
export function uncleanBuild(snapshot: BuildSnapshot): MachineOSBuild | undefined {
  const { builds, jobs, withObjects } = snapshot;
  return builds.find(
    (build) =>
      !isLeaving(snapshot, build) &&
      buildStateOf(build) === 'Succeeded' &&
      (jobs.has(nameOf(build)) || withObjects.has(nameOf(build))),
  );
}

/** A build that is running, or would be started. */
export function unfinishedBuild(snapshot: BuildSnapshot): MachineOSBuild | undefined {
  return snapshot.builds.find((build) => !isLeaving(snapshot, build) && !isFinal(buildStateOf(build)));
}

/** A build of other inputs that has not succeeded: nothing will use it. */
export function supersededBuild(
  snapshot: BuildSnapshot,
  current: MachineOSBuild,
): MachineOSBuild | undefined {
  return snapshot.builds.find(
    (build) => build !== current && !isLeaving(snapshot, build) && buildStateOf(build) !== 'Succeeded',
  );
}

/**
 * A successful build beyond those that are kept: its image is used neither by the config nor by a node, or belongs to a
 * newer build as well. The image itself goes when nothing uses it (`image-record.ts`).
 */
export function unusedBuild(snapshot: BuildSnapshot, current: MachineOSBuild): MachineOSBuild | undefined {
  const used = imagesInUse(snapshot);
  const others = newestFirst(snapshot.builds).filter(
    (build) => build !== current && !isLeaving(snapshot, build),
  );
  const kept = [current, ...others.slice(0, snapshot.limits.keptBuilds)];
  const rest = others.slice(snapshot.limits.keptBuilds);
  return rest.findLast((build, index) => {
    const newer = [...kept, ...rest.slice(0, index)];
    return !used.has(imageOf(build)) || newer.some((other) => imageOf(other) === imageOf(build));
  });
}

function imagesInUse({ config, nodes }: BuildSnapshot): ReadonlySet<string> {
  return new Set([
    stringAt(config, 'status', 'currentImagePullSpec'),
    ...nodes.flatMap((node) => [
      annotationOf(node, annotations.currentImage) ?? '',
      annotationOf(node, annotations.desiredImage) ?? '',
    ]),
  ]);
}

/** The image that a build pushed or took over. */
export function imageOf(build: MachineOSBuild): string {
  return stringAt(build, 'status', 'digestedImagePushSpec');
}

function newestFirst(builds: readonly MachineOSBuild[]): readonly MachineOSBuild[] {
  const created = (build: MachineOSBuild) => build.metadata?.creationTimestamp ?? '';
  return [...builds].sort(
    (a, b) => compareBytes(created(b), created(a)) || compareBytes(nameOf(a), nameOf(b)),
  );
}

/** It is being deleted, or will be: its owner was a MachineOSConfig of the same name. */
export function isLeaving({ config }: Pick<BuildSnapshot, 'config'>, { metadata }: MachineOSBuild): boolean {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
  const isOfFormer = owner !== undefined && owner.uid !== config.metadata?.uid;
  return metadata?.deletionTimestamp !== undefined || isOfFormer;
}
