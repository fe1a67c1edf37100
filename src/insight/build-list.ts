/**
 * The builds of OS images by MachineOSConfig: state, times, size, and why the last one failed.
 */
import { annotations, type MachineOSBuild, type MachineOSConfig } from '../api/index.ts';
import { compareBytes } from '../base/json.ts';
import { optionalStringAt, stringAt } from '../base/json-fields.ts';
import { formatTimestamp } from '../base/text/index.ts';
import { annotationOf, conditionOf, nameOf } from '../kubernetes/meta/index.ts';
import type { Pod } from '../kubernetes/types/index.ts';
import { buildFailure, buildStateOf } from '../rollout/index.ts';
import { podWait } from './pod-wait.ts';

export type BuildList = { readonly now: string; readonly configs: readonly ConfigBuilds[] };

export type ConfigBuilds = {
  readonly name: string;
  readonly pool: string;
  /** The image of the pool, by digest. */
  readonly image?: string;
  /** What keeps an image from being built. */
  readonly problem?: { readonly reason: string; readonly message: string };
  /** The newest first. */
  readonly builds: readonly BuildSummary[];
};

export type BuildSummary = {
  readonly name: string;
  /** `New` before the Job is started. */
  readonly state: 'New' | 'Prepared' | 'Building' | 'Succeeded' | 'Failed' | 'Interrupted' | 'Deleting';
  /** Whether the MachineOSConfig follows it. */
  readonly isCurrent: boolean;
  /** The MachineConfig that is built into the image. */
  readonly config: string;
  readonly created?: string;
  readonly started?: string;
  readonly ended?: string;
  readonly image?: string;
  /** What a node downloads. */
  readonly bytes?: number;
  /** Why it failed, or what a running one waits for. */
  readonly why?: string;
};

type BuildObjects = {
  readonly configs: readonly MachineOSConfig[];
  readonly builds: readonly MachineOSBuild[];
  /** Those of build Jobs. */
  readonly pods: readonly Pod[];
  readonly nowMs: number;
};

export function buildList({ configs, builds, pods, nowMs }: BuildObjects): BuildList {
  const listed = configs.map((config) => ({
    name: nameOf(config),
    pool: stringAt(config, 'spec', 'machineConfigPool', 'name'),
    ...optional('image', optionalStringAt(config, 'status', 'currentImagePullSpec')),
    ...problemOf(config),
    builds: builds
      .filter((build) => stringAt(build, 'spec', 'machineOSConfig', 'name') === nameOf(config))
      .toSorted(newestFirst)
      .map((build) => summaryOf(build, config, pods)),
  }));
  return {
    now: formatTimestamp(nowMs),
    configs: listed.toSorted((a, b) => compareBytes(a.pool, b.pool) || compareBytes(a.name, b.name)),
  };
}

/** The failure of a build is shown with the build. */
const SHOWN_WITH_BUILD: ReadonlySet<string> = new Set([
  'BuildFailed',
  'BuildInterrupted',
  'InvalidContainerfile',
]);

function problemOf(config: MachineOSConfig): Pick<ConfigBuilds, 'problem'> {
  const { status, reason = '', message = '' } = conditionOf(config, 'Degraded') ?? {};
  return status === 'True' && !SHOWN_WITH_BUILD.has(reason) ? { problem: { reason, message } } : {};
}

function summaryOf(build: MachineOSBuild, config: MachineOSConfig, pods: readonly Pod[]): BuildSummary {
  const state = buildStateOf(build);
  const isDeleting = build.metadata?.deletionTimestamp !== undefined;
  const bytes = Number(annotationOf(build, annotations.imageSize));
  const isRunning = state === 'Prepared' || state === 'Building';
  const why = buildFailure(build) || (isRunning ? podWait(pods, nameOf(build)) : '');
  return {
    name: nameOf(build),
    state: isDeleting ? 'Deleting' : state === 'Initial' ? 'New' : state,
    isCurrent: annotationOf(config, annotations.currentMachineOSBuild) === nameOf(build),
    config: stringAt(build, 'spec', 'machineConfig', 'name'),
    ...optional('created', optionalStringAt(build, 'metadata', 'creationTimestamp')),
    ...optional('started', optionalStringAt(build, 'status', 'buildStart')),
    ...optional('ended', optionalStringAt(build, 'status', 'buildEnd')),
    ...optional('image', optionalStringAt(build, 'status', 'digestedImagePushSpec')),
    ...(Number.isSafeInteger(bytes) && bytes > 0 ? { bytes } : {}),
    ...optional('why', why === '' ? undefined : why),
  };
}

function newestFirst(a: MachineOSBuild, b: MachineOSBuild): number {
  const created = (build: MachineOSBuild) => stringAt(build, 'metadata', 'creationTimestamp');
  return compareBytes(created(b), created(a)) || compareBytes(nameOf(a), nameOf(b));
}

function optional<K extends string>(key: K, value: string | undefined): { readonly [P in K]?: string } {
  // TypeScript does not infer the type of a computed key.
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: string };
}
