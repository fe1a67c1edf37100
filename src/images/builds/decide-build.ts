/**
 * Which build should exist for a MachineOSConfig, and what the controller does next about it.
 *
 * One action at a time, the first that is unfinished: the controller carries it out, looks again and asks again. A crash
 * between any two leaves a snapshot from which the same function goes on.
 *
 *     no pool                       stop what is being built
 *     no build                      create it, or stop what is being built while a problem keeps it from being created
 *     Initial                       follow it, stop older ones, take over an image that fits, or start the Job
 *     Prepared, Building            report what the Job says
 *     Succeeded                     point the MachineOSConfig at it, clean up, prune
 *     Failed, Interrupted           wait for a change, then delete it: final states cannot change, a retry is a new object
 */
import { annotations, labels, type MachineOSBuild } from '../../api/index.ts';
import type { Outcome } from '../../base/errors.ts';
import { numberAt, stringAt } from '../../base/json-fields.ts';
import { parseTimestamp, spellDuration } from '../../base/text/index.ts';
import { annotationOf, conditionOf, labelOf, nameOf } from '../../kubernetes/meta/index.ts';
import type { Job } from '../../kubernetes/types/index.ts';
import { type BuildState, buildStateOf } from '../../rollout/index.ts';
import { type BuildInputs, buildName } from './build-name.ts';
import { jobNameOf } from './build-objects.ts';
import type { BuildSnapshot } from './build-snapshot.ts';
import { mayBecome } from './build-state.ts';
import {
  fittingBuilds,
  imageOf,
  isLeaving,
  isLost,
  runningBuild,
  supersededBuild,
  uncleanBuild,
  unfinishedBuild,
  unrecordedBuild,
  unusedBuild,
} from './choose-builds.ts';
import {
  type ConfigProblem,
  configProblem,
  containerfileProblem,
  failureProblem,
  noImageProblem,
} from './config-problem.ts';
import { architecturesOf, composeContainerfile } from './containerfile.ts';
import { jobState } from './job-state.ts';
import { digestedReference, parsePushReference } from './push-reference.ts';

export type BuildAction =
  /** Nothing to do until something changes, or until `afterMs`. */
  | { readonly kind: 'wait'; readonly why: string; readonly afterMs?: number }
  | { readonly kind: 'create'; readonly name: string; readonly isPreBuilt: boolean }
  | { readonly kind: 'delete'; readonly build: MachineOSBuild; readonly why: DeleteReason }
  /** Objects and the Job; repeats what is there already. */
  | { readonly kind: 'start'; readonly build: MachineOSBuild; readonly containerfile: string }
  | { readonly kind: 'inspect'; readonly image: string; readonly build: MachineOSBuild }
  /** Reads the Job and the digest of a build from the server. */
  | { readonly kind: 'confirm'; readonly build: MachineOSBuild }
  /** Asks the registry whether the image could be pushed. */
  | { readonly kind: 'check-push' }
  | {
      readonly kind: 'report';
      readonly build: MachineOSBuild;
      readonly state: BuildState;
      readonly cause?: string;
      readonly image?: string;
      readonly isPreBuilt?: boolean;
    }
  /** Annotations and status of the MachineOSConfig. */
  | {
      readonly kind: 'follow';
      readonly build: MachineOSBuild;
      readonly image?: string;
      readonly endsRebuild: boolean;
    }
  | { readonly kind: 'begin-rebuild'; readonly replaces: string }
  | { readonly kind: 'forget-pre-built' }
  /** Creates the record of a build's images and their credentials again. */
  | { readonly kind: 'record'; readonly build: MachineOSBuild }
  /** Notes in the record what failed pods of a build may have pushed. */
  | { readonly kind: 'note-attempts'; readonly build: MachineOSBuild; readonly attempts: number }
  | { readonly kind: 'note-size'; readonly build: MachineOSBuild; readonly bytes: number }
  /** Deletes the Job and the ephemeral objects of a build. */
  | { readonly kind: 'clean'; readonly build: MachineOSBuild };

type DeleteReason = 'superseded' | 'rebuild' | 'retry' | 'image-missing' | 'pruned';

export type BuildDecision = {
  readonly action: BuildAction;
  /** The name of the build that belongs to the inputs, where these are known. */
  readonly name?: string;
  /** What the administrator should know: the condition `Degraded` of the MachineOSConfig, and the pool's. */
  readonly problem?: ConfigProblem;
};

export function decideBuild(snapshot: BuildSnapshot): BuildDecision {
  const inputs = inputsOf(snapshot);
  const problem = configProblem(snapshot);
  if (inputs === undefined) {
    // A pool that is only not rendered yet may get the inputs of the build again.
    const useless = snapshot.pool === undefined ? unfinishedBuild(snapshot) : undefined;
    if (useless !== undefined) return decided({ kind: 'delete', build: useless, why: 'superseded' }, problem);
    return decided(waiting(problem?.message ?? 'the pool has not been rendered yet'), problem);
  }
  const name = buildName(inputs);
  return { ...decideFor(snapshot, { inputs, name, problem }), name };
}

type Wanted = {
  readonly inputs: BuildInputs;
  readonly name: string;
  readonly problem: ConfigProblem | undefined;
};

function decideFor(snapshot: BuildSnapshot, { inputs, name, problem }: Wanted): BuildDecision {
  const build = snapshot.builds.find((candidate) => nameOf(candidate) === name);
  if (build !== undefined && isLeaving(snapshot, build)) {
    return decided(waiting(`the former MachineOSBuild ${name} is being deleted`), problem);
  }
  // What cannot be built again is not deleted.
  const rebuild = problem === undefined ? rebuildDecision(snapshot, build) : undefined;
  if (rebuild !== undefined) return rebuild;
  if (build === undefined) {
    const blocked = () =>
      problem === undefined ? imagelessDecision(snapshot, inputs) : blockedDecision(snapshot, problem);
    const obstacle = isObtainable(snapshot, inputs) ? undefined : blocked();
    if (obstacle !== undefined) return obstacle;
    return decided({ kind: 'create', name, isPreBuilt: isUnseeded(snapshot) }, problem);
  }
  switch (buildStateOf(build)) {
    case 'Initial':
      return startDecision(snapshot, { inputs, build, problem });
    case 'Prepared':
    case 'Building':
      return decided(runningAction(snapshot, build), problem);
    case 'Succeeded':
      return decided(settledAction(snapshot, build), problem);
    case 'Failed':
    case 'Interrupted':
      return retryDecision(snapshot, { inputs, build, problem });
  }
}

/** Whether the image exists or is being built, so that no new build has to be started. */
function isObtainable(snapshot: BuildSnapshot, inputs: BuildInputs): boolean {
  return fittingBuilds(snapshot, inputs).length > 0 || runningBuild(snapshot, inputs) !== undefined;
}

/** What runs is of inputs that have changed since: nothing would use its image, however long the problem lasts. */
function blockedDecision(snapshot: BuildSnapshot, problem: ConfigProblem): BuildDecision {
  const useless = unfinishedBuild(snapshot);
  if (useless === undefined) return decided(waiting(problem.message), problem);
  return decided({ kind: 'delete', build: useless, why: 'superseded' }, problem);
}

/** An OS image that is declared together with the MachineOSConfig is rendered a moment later. */
const IMAGE_GRACE_MS = 30_000;

/** Without an OS image there is nothing to build on; one that is pre-built needs no build. */
function imagelessDecision(
  snapshot: BuildSnapshot,
  { pool, rendered }: BuildInputs,
): BuildDecision | undefined {
  if (stringAt(rendered.spec, 'osImageURL') !== '' || isUnseeded(snapshot)) return undefined;
  const createdMs = parseTimestamp(snapshot.config.metadata?.creationTimestamp) ?? 0;
  const leftMs = createdMs + IMAGE_GRACE_MS - snapshot.nowMs;
  if (leftMs > 0) return decided(waiting('the pool has no OS image yet', leftMs));
  return blockedDecision(snapshot, noImageProblem(pool, rendered));
}

function inputsOf({ config, pool, rendered }: BuildSnapshot): BuildInputs | undefined {
  return pool === undefined || rendered === undefined ? undefined : { config, pool, rendered };
}

/** A rebuild replaces the build of the moment when it was requested; the marker says which one that was. */
function rebuildDecision(
  snapshot: BuildSnapshot,
  build: MachineOSBuild | undefined,
): BuildDecision | undefined {
  const { config } = snapshot;
  if (annotationOf(config, annotations.rebuild) === undefined) return undefined;
  const replaces = annotationOf(config, annotations.rebuilds);
  if (replaces === undefined) return decided({ kind: 'begin-rebuild', replaces: uidOf(build) ?? 'none' });
  if (build === undefined) return undefined;
  if (uidOf(build) === replaces) {
    return pushDecision(snapshot) ?? decided({ kind: 'delete', build, why: 'rebuild' });
  }
  const hasBegun = buildStateOf(build) !== 'Initial' || annotationOf(build, annotations.jobUid) !== undefined;
  return hasBegun ? decided({ kind: 'follow', build, endsRebuild: true }) : undefined;
}

type Present = {
  readonly inputs: BuildInputs;
  readonly build: MachineOSBuild;
  readonly problem: ConfigProblem | undefined;
};

function startDecision(snapshot: BuildSnapshot, { inputs, build, problem }: Present): BuildDecision {
  const hasJob = annotationOf(build, annotations.jobUid) !== undefined;
  if (hasJob) return decided(runningAction(snapshot, build), problem);
  const isPreBuilt = labelOf(build, labels.preBuiltImageBuild) !== undefined;
  if (isPreBuilt) return decided(seedAction(snapshot, build), problem);
  // The annotation came after the build.
  if (isUnseeded(snapshot)) return decided({ kind: 'delete', build, why: 'superseded' }, problem);
  // Never blank, also while it waits.
  if ((build.status?.conditions ?? []).length === 0) {
    return decided({ kind: 'report', build, state: 'Initial' }, problem);
  }
  // Before anything else, so that the pool waits for this build and not for the last one.
  const follow = followOr(snapshot, build, undefined);
  if (follow !== undefined) return decided(follow, problem);
  const reuse = reuseAction(snapshot, inputs, build) ?? awaitAction(snapshot, inputs);
  if (reuse !== undefined) return decided(reuse, problem);
  const superseded = supersededBuild(snapshot, build);
  if (superseded !== undefined)
    return decided({ kind: 'delete', build: superseded, why: 'superseded' }, problem);
  if (problem !== undefined) return decided(waiting(problem.message), problem);
  const containerfile = containerfileOf(snapshot, inputs);
  if (containerfile.kind === 'ok') {
    return pushDecision(snapshot) ?? decided({ kind: 'start', build, containerfile: containerfile.value });
  }
  const invalid = containerfileProblem(containerfile.problems);
  return decided({ kind: 'report', build, state: 'Failed', cause: invalid.message }, invalid);
}

function containerfileOf(snapshot: BuildSnapshot, { config, rendered }: BuildInputs): Outcome<string> {
  return composeContainerfile({
    config,
    rendered,
    architectures: architecturesOf(snapshot.nodes),
    hasTrustBundle: snapshot.hasTrustBundle,
  });
}

/** A build whose image cannot be pushed would cost minutes for nothing. */
function pushDecision({ config, pushState, limits }: BuildSnapshot): BuildDecision | undefined {
  if (pushState === undefined) return decided({ kind: 'check-push' });
  if (pushState.kind === 'allowed') return undefined;
  const pushSpec = stringAt(config, 'spec', 'renderedImagePushSpec');
  const message = `images cannot be pushed to ${pushSpec}: ${pushState.message}`;
  return decided(waiting(message, limits.registryRetryMs), { reason: 'RegistryError', message });
}

/**
 * An image with the same inputs is taken over, unless the registry says that it is gone. A registry that does not answer is no
 * reason to hold back files: nodes have the image already, and it is looked at again later.
 */
function reuseAction(
  snapshot: BuildSnapshot,
  inputs: BuildInputs,
  build: MachineOSBuild,
): BuildAction | undefined {
  for (const candidate of fittingBuilds(snapshot, inputs)) {
    const image = imageOf(candidate);
    const state = snapshot.imageState(image);
    if (state === undefined) return { kind: 'inspect', image, build: candidate };
    if (state.kind !== 'missing') return { kind: 'report', build, state: 'Succeeded', image };
  }
  return undefined;
}

/** A running build of the same image is not stopped: it is taken over once it has succeeded. */
function awaitAction(snapshot: BuildSnapshot, inputs: BuildInputs): BuildAction | undefined {
  const running = runningBuild(snapshot, inputs);
  if (running === undefined) return undefined;
  return jobAction(snapshot, running) ?? waiting(`MachineOSBuild ${nameOf(running)} builds the same image`);
}

/** An image that was there before the MachineOSConfig, in place of a first build. */
function seedAction(snapshot: BuildSnapshot, build: MachineOSBuild): BuildAction {
  const image = annotationOf(snapshot.config, annotations.preBuiltImage) ?? '';
  if (image === '') return { kind: 'delete', build, why: 'superseded' };
  return { kind: 'report', build, state: 'Succeeded', image, isPreBuilt: true };
}

/** Whether the image of its annotation is used in place of a first build. */
export function isUnseeded({ config }: Pick<BuildSnapshot, 'config'>): boolean {
  return (
    annotationOf(config, annotations.preBuiltImage) !== undefined &&
    annotationOf(config, annotations.currentMachineOSBuild) === undefined
  );
}

function runningAction(snapshot: BuildSnapshot, build: MachineOSBuild): BuildAction {
  const waitingForJob = waiting(`Job ${jobNameOf(nameOf(build))} is running`);
  return jobAction(snapshot, build) ?? followOr(snapshot, build, waitingForJob);
}

/** What the Job of a build that has been started says; undefined where that is reported already. */
function jobAction(snapshot: BuildSnapshot, build: MachineOSBuild): BuildAction | undefined {
  const name = nameOf(build);
  // The pod needs the credentials, and its image must be found again.
  if (!snapshot.recorded.has(name)) return { kind: 'record', build };
  const job = snapshot.jobs.get(name);
  const uid = annotationOf(build, annotations.jobUid);
  if (job === undefined || job.metadata?.uid !== uid) {
    return interruption(snapshot, build, 'its Job was deleted');
  }
  const attempts = job.status?.failed ?? 0;
  if (attempts > (snapshot.attempts.get(name) ?? 0)) return { kind: 'note-attempts', build, attempts };
  const next = jobState(job);
  if (next === 'Succeeded') return successAction(snapshot, build);
  if (!mayBecome(buildStateOf(build), next)) return undefined;
  const cause = next === 'Failed' ? failureOf(job, snapshot.failures.get(name)) : '';
  return { kind: 'report', build, state: next, ...(cause === '' ? {} : { cause }) };
}

/** Final, so what is missing must be missing on the server, too. */
function interruption(snapshot: BuildSnapshot, build: MachineOSBuild, cause: string): BuildAction {
  if (!snapshot.confirmed.has(nameOf(build))) return { kind: 'confirm', build };
  return { kind: 'report', build, state: 'Interrupted', cause };
}

function successAction(snapshot: BuildSnapshot, build: MachineOSBuild): BuildAction {
  const digest = snapshot.digests.get(nameOf(build));
  const reference = parsePushReference(stringAt(build, 'spec', 'renderedImagePushSpec'));
  if (digest === undefined) {
    const cause = `its Job is complete, but ConfigMap digest-${nameOf(build)} with the digest of the image was deleted`;
    return interruption(snapshot, build, cause);
  }
  if (reference.kind === 'invalid' || !/^sha256:[0-9a-f]{64}$/.test(digest)) {
    const cause = `ConfigMap digest-${nameOf(build)} holds no digest`;
    return { kind: 'report', build, state: 'Failed', cause };
  }
  return { kind: 'report', build, state: 'Succeeded', image: digestedReference(reference.value, digest) };
}

/** Of the last pod, unless the deadline ended the Job: that pod is gone, and an earlier one failed for another reason. */
function failureOf(job: Job, podFailure: string | undefined): string {
  const { reason = '', message = '' } = conditionOf(job, 'Failed') ?? {};
  if (reason === 'DeadlineExceeded') {
    const seconds = numberAt(job, 'spec', 'activeDeadlineSeconds');
    const after = seconds === 0 ? '' : ` after ${spellDuration(seconds * 1_000)}`;
    return `${reason}: ${message}: it was stopped${after} (change the limit with --build-timeout of \`millwright builder\` or \`millwright up\`)`;
  }
  return podFailure ?? message;
}

function settledAction(snapshot: BuildSnapshot, build: MachineOSBuild): BuildAction {
  const { config } = snapshot;
  const image = imageOf(build);
  const isFollowed =
    annotationOf(config, annotations.currentMachineOSBuild) === nameOf(build) &&
    stringAt(config, 'status', 'currentImagePullSpec') === image &&
    stringAt(config, 'status', 'machineOSBuild', 'name') === nameOf(build);
  if (!isFollowed) return { kind: 'follow', build, image, endsRebuild: false };
  if (annotationOf(config, annotations.preBuiltImage) !== undefined) return { kind: 'forget-pre-built' };
  const unclean = uncleanBuild(snapshot);
  if (unclean !== undefined) return { kind: 'clean', build: unclean };
  const superseded = supersededBuild(snapshot, build);
  if (superseded !== undefined) return { kind: 'delete', build: superseded, why: 'superseded' };
  const unrecorded = unrecordedBuild(snapshot);
  if (unrecorded !== undefined) return { kind: 'record', build: unrecorded };
  const state = snapshot.imageState(image);
  if (state === undefined) return { kind: 'inspect', image, build };
  if (state.kind === 'missing' && isLost(snapshot, build)) {
    return { kind: 'delete', build, why: 'image-missing' };
  }
  const bytes = state.kind === 'present' ? state.bytes : undefined;
  if (bytes !== undefined && annotationOf(build, annotations.imageSize) !== String(bytes)) {
    return { kind: 'note-size', build, bytes };
  }
  const unused = unusedBuild(snapshot, build);
  if (unused !== undefined) return { kind: 'delete', build: unused, why: 'pruned' };
  return waiting('the image is built');
}

/**
 * An interrupted build is repeated at once, a failed one when its credentials have changed, or after a time that grows
 * with the time since the first failure: a registry may be back. One without a Job failed by its Containerfile, which
 * becomes valid with another config, and so another name of the build, or with the nodes of the pool.
 */
function retryDecision(snapshot: BuildSnapshot, { inputs, build, problem }: Present): BuildDecision {
  const failure = failureProblem(build);
  const shown = problem ?? failure;
  const follow = followOr(snapshot, build, undefined);
  if (follow !== undefined) return decided(follow, shown);
  if (problem !== undefined) return decided(waiting(problem.message), problem);
  if (buildStateOf(build) === 'Interrupted') return decided({ kind: 'delete', build, why: 'retry' }, shown);
  if (annotationOf(build, annotations.jobUid) === undefined) {
    const isValid = containerfileOf(snapshot, inputs).kind === 'ok';
    return decided(isValid ? { kind: 'delete', build, why: 'retry' } : waiting(failure.message), shown);
  }
  if (annotationOf(build, annotations.credentials) !== credentialsMark(snapshot)) {
    return decided({ kind: 'delete', build, why: 'retry' }, shown);
  }
  const leftMs = retryAtMs(snapshot, build) - snapshot.nowMs;
  if (leftMs > 0) return decided(waiting(failure.message, leftMs), shown);
  return decided({ kind: 'delete', build, why: 'retry' }, shown);
}

/** Half of the time since the first failure, within limits: the delays grow without a counter. */
function retryAtMs({ config, limits }: BuildSnapshot, build: MachineOSBuild): number {
  const endMs = parseTimestamp(build.status?.buildEnd) ?? 0;
  const degraded = (config.status?.conditions ?? []).find(({ type }) => type === 'Degraded');
  const isFailing = degraded?.status === 'True' && degraded.reason === 'BuildFailed';
  const sinceMs = isFailing ? (parseTimestamp(degraded.lastTransitionTime) ?? endMs) : endMs;
  const delayMs = Math.max(limits.minRetryMs, Math.min((endMs - sinceMs) / 2, limits.maxRetryMs));
  return endMs + delayMs;
}

/** Changes when a Secret is edited or replaced, and says nothing about its contents. */
export function credentialsMark({ secrets }: Pick<BuildSnapshot, 'secrets'>): string {
  return [secrets.push, secrets.base]
    .map((secret) => `${secret?.metadata?.uid ?? ''}/${secret?.metadata?.resourceVersion ?? ''}`)
    .join(' ');
}

function followOr(snapshot: BuildSnapshot, build: MachineOSBuild, otherwise: BuildAction): BuildAction;
function followOr(
  snapshot: BuildSnapshot,
  build: MachineOSBuild,
  otherwise: undefined,
): BuildAction | undefined;
function followOr(
  { config }: BuildSnapshot,
  build: MachineOSBuild,
  otherwise: BuildAction | undefined,
): BuildAction | undefined {
  if (annotationOf(config, annotations.currentMachineOSBuild) === nameOf(build)) return otherwise;
  return { kind: 'follow', build, endsRebuild: false };
}

function uidOf(build: MachineOSBuild | undefined): string | undefined {
  return build?.metadata?.uid;
}

function waiting(why: string, afterMs?: number): BuildAction {
  return { kind: 'wait', why, ...(afterMs === undefined ? {} : { afterMs }) };
}

function decided(action: BuildAction, problem?: ConfigProblem): BuildDecision {
  return problem === undefined ? { action } : { action, problem };
}
