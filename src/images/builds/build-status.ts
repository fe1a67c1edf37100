/**
 * The status of a MachineOSBuild, and the object itself when it is created.
 */
import {
  annotations,
  labels,
  type MachineOSBuild,
  type MachineOSConfig,
  machineOSConfig,
} from '../../api/index.ts';
import { stringAt } from '../../base/json-fields.ts';
import { formatTimestamp, parseTimestamp } from '../../base/text/index.ts';
import { controllerReference, nameOf } from '../../kubernetes/meta/index.ts';
import type { Job } from '../../kubernetes/types/index.ts';
import type { BuildState } from '../../rollout/index.ts';
import { type BuildInputs, imageInputsDigest } from './build-name.ts';
import { jobNameOf } from './build-objects.ts';
import { buildConditions, isFinal } from './build-state.ts';
import { parsePushReference, pushReferenceOf } from './push-reference.ts';

type BuildStatus = NonNullable<MachineOSBuild['status']>;

export function newBuild(inputs: BuildInputs, name: string, { isPreBuilt = false } = {}): MachineOSBuild {
  const { config, pool, rendered } = inputs;
  const pushSpec = stringAt(config, 'spec', 'renderedImagePushSpec');
  const reference = parsePushReference(pushSpec);
  // Nothing is pushed for a pre-built image, so no tag is made up for it.
  const isPushed = !isPreBuilt && reference.kind === 'ok';
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineOSBuild',
    metadata: {
      name,
      labels: {
        [labels.targetMachineConfigPool]: nameOf(pool),
        [labels.renderedMachineConfig]: nameOf(rendered),
        [labels.machineOSConfig]: nameOf(config),
        ...(isPreBuilt ? { [labels.preBuiltImageBuild]: 'true' } : {}),
      },
      annotations: {
        [annotations.renderedImagePushSecret]: stringAt(config, 'spec', 'renderedImagePushSecret', 'name'),
        [annotations.imageInputs]: imageInputsDigest(inputs),
      },
      // The Job ends before the build disappears.
      finalizers: ['foregroundDeletion'],
      ownerReferences: [controllerReference(machineOSConfig, config.metadata)],
    },
    spec: {
      machineConfig: { name: nameOf(rendered) },
      machineOSConfig: { name: nameOf(config) },
      renderedImagePushSpec: isPushed ? pushReferenceOf(reference.value, name) : pushSpec,
    },
  };
}

type BuildReport = {
  /** Of its Job. */
  readonly namespace: string;
  readonly state: BuildState;
  readonly cause?: string;
  /** By digest; of a successful build. */
  readonly image?: string;
  readonly isPreBuilt?: boolean;
  readonly job?: Job;
  readonly nowMs: number;
};

/** `buildStart` and `buildEnd` never change once they are set, and the end is at least a second later. */
export function buildStatus(build: MachineOSBuild, report: BuildReport): BuildStatus {
  const { namespace, state, image, job, nowMs, cause } = report;
  const before = build.status ?? {};
  const startMs =
    parseTimestamp(before.buildStart) ??
    (isFinal(state) ? (parseTimestamp(job?.metadata?.creationTimestamp) ?? nowMs) : nowMs);
  const endMs = Math.max(nowMs, startMs + 1000);
  const hasJob = job !== undefined || before.builder !== undefined;
  const now = formatTimestamp(nowMs);
  return {
    ...before,
    conditions: report.isPreBuilt
      ? seededConditions(image ?? '', now)
      : buildConditions(build, state, { now, ...(cause === undefined ? {} : { cause }) }),
    ...(hasJob ? { builder: before.builder ?? builderOf(build, namespace) } : {}),
    ...(hasJob ? { relatedObjects: relatedObjects(build, namespace) } : {}),
    // It has not started while it waits.
    ...(state === 'Initial' ? {} : { buildStart: before.buildStart ?? formatTimestamp(startMs) }),
    ...(isFinal(state) ? { buildEnd: before.buildEnd ?? formatTimestamp(endMs) } : {}),
    ...(state === 'Succeeded' && image !== undefined ? { digestedImagePushSpec: image } : {}),
  };
}

function builderOf(build: MachineOSBuild, namespace: string): NonNullable<BuildStatus['builder']> {
  return {
    imageBuilderType: 'Job',
    job: { group: 'batch', resource: 'jobs', namespace, name: jobNameOf(nameOf(build)) },
  };
}

/** The published definition of the kind only allows objects of named API groups, so no ConfigMaps and Secrets. */
function relatedObjects(
  build: MachineOSBuild,
  namespace: string,
): NonNullable<BuildStatus['relatedObjects']> {
  const ours = (resource: string, name: string) => ({ group: GROUP, resource, name });
  return [
    { group: 'batch', resource: 'jobs', namespace, name: jobNameOf(nameOf(build)) },
    ours('machineconfigs', stringAt(build, 'spec', 'machineConfig', 'name')),
    ours('machineosconfigs', stringAt(build, 'spec', 'machineOSConfig', 'name')),
  ];
}

const GROUP = 'machineconfiguration.openshift.io';

/** Upstream's reason and messages for an image that was there before. */
function seededConditions(image: string, now: string): NonNullable<BuildStatus['conditions']> {
  return ['Prepared', 'Building', 'Failed', 'Interrupted', 'Succeeded'].map((type) => ({
    type,
    status: type === 'Succeeded' ? 'True' : 'False',
    reason: 'PreBuiltImageSeeded',
    message:
      type === 'Succeeded'
        ? `Pre-built image ${JSON.stringify(image)} successfully seeded`
        : 'Skipped: using pre-built image',
    lastTransitionTime: now,
  }));
}

type ConfigStatus = NonNullable<MachineOSConfig['status']>;
type ConfigCondition = NonNullable<ConfigStatus['conditions']>[number];

/** What is wrong, if anything. `isObserved`: whether the config names the build that belongs to its present spec. */
export function problemStatus(
  config: MachineOSConfig,
  {
    problem,
    isObserved,
    nowMs,
  }: {
    readonly problem: { readonly reason: string; readonly message: string } | undefined;
    readonly isObserved: boolean;
    readonly nowMs: number;
  },
): ConfigStatus {
  const before = config.status ?? {};
  const { generation = 0 } = config.metadata ?? {};
  const observedGeneration = Math.max(before.observedGeneration ?? 0, isObserved ? generation : 0);
  const degraded = {
    type: 'Degraded',
    status: problem === undefined ? ('False' as const) : ('True' as const),
    reason: problem?.reason ?? 'AsExpected',
    message: problem?.message ?? '',
  };
  return {
    ...before,
    conditions: withCondition(config, degraded, nowMs),
    ...(observedGeneration === 0 ? {} : { observedGeneration }),
  };
}

/** The image of the build that the config follows. It stays while another one is built, and when that fails. */
export function imageStatus(
  config: MachineOSConfig,
  { build, image, nowMs }: { readonly build: MachineOSBuild; readonly image: string; readonly nowMs: number },
): ConfigStatus {
  const isSeeded = build.metadata?.labels?.[labels.preBuiltImageBuild] !== undefined;
  const seeded = {
    type: 'Seeded',
    status: 'True' as const,
    reason: 'PreBuiltImageSeeded',
    message: `MachineOSConfig seeded with pre-built image ${JSON.stringify(image)}`,
  };
  return {
    ...config.status,
    ...(isSeeded ? { conditions: withCondition(config, seeded, nowMs) } : {}),
    currentImagePullSpec: image,
    machineOSBuild: {
      group: GROUP,
      resource: 'machineosbuilds',
      name: nameOf(build),
    },
  };
}

function withCondition(
  { status }: MachineOSConfig,
  condition: Omit<ConfigCondition, 'lastTransitionTime'>,
  nowMs: number,
): readonly ConfigCondition[] {
  const before = status?.conditions ?? [];
  const last = before.find(({ type }) => type === condition.type);
  const isSame = last?.status === condition.status;
  const lastTransitionTime = isSame ? last.lastTransitionTime : formatTimestamp(nowMs);
  return [...before.filter(({ type }) => type !== condition.type), { ...condition, lastTransitionTime }];
}
