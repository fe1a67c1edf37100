/**
 * Pools whose OS image is built in the cluster: which MachineOSConfig and which MachineOSBuild belong to a pool, and
 * whether its nodes may be sent to the image yet.
 */

import {
  annotations,
  type MachineConfigPool,
  type MachineOSBuild,
  type MachineOSConfig,
} from '../api/index.ts';
import { compareBytes } from '../base/json.ts';
import { optionalStringAt, stringAt } from '../base/json-fields.ts';
import { annotationOf, conditionOf, hasTrueCondition, nameOf } from '../kubernetes/meta/index.ts';

export type Layering = {
  readonly config: MachineOSConfig;
  /** The build of the pool's present configuration; absent until it exists. */
  readonly build?: MachineOSBuild;
};

/** `undefined` for a pool without a MachineOSConfig. A build without one is being deleted, and ignored. */
export function layeringOf(
  pool: MachineConfigPool,
  configs: Iterable<MachineOSConfig>,
  builds: Iterable<MachineOSBuild>,
): Layering | undefined {
  const [config] = [...configs]
    .filter((candidate) => optionalStringAt(candidate.spec?.machineConfigPool, 'name') === nameOf(pool))
    .sort(byName);
  if (config === undefined) return undefined;
  const target = pool.spec?.configuration?.name ?? '';
  const fitting = [...builds]
    .filter((build) => optionalStringAt(build.spec?.machineOSConfig, 'name') === nameOf(config))
    .filter((build) => target !== '' && builtConfig(build) === target)
    // Its image may be deleted with it.
    .filter((build) => build.metadata?.deletionTimestamp === undefined)
    .sort(byName);
  const named = annotationOf(config, annotations.currentMachineOSBuild);
  // Several builds may have the same configuration: the annotation decides, then the order of names.
  const build = fitting.find((candidate) => nameOf(candidate) === named) ?? fitting[0];
  return { config, ...(build === undefined ? {} : { build }) };
}

export type BuildState = 'Prepared' | 'Building' | 'Succeeded' | 'Failed' | 'Interrupted' | 'Initial';

/** Final states come before the states that led to them. */
const STATES = ['Succeeded', 'Failed', 'Interrupted', 'Building', 'Prepared'] as const;

export function buildStateOf(build: MachineOSBuild): BuildState {
  return STATES.find((state) => hasTrueCondition(build, state)) ?? 'Initial';
}

/** Why a build failed or was interrupted, in one line; empty where it was not. */
export function buildFailure(build: MachineOSBuild): string {
  const state = buildStateOf(build);
  if (state !== 'Failed' && state !== 'Interrupted') return '';
  const { message = '' } = conditionOf(build, state) ?? {};
  // The builder writes the cause after upstream's message.
  return message.replace(/^Build (Failed|Interrupted): /, '');
}

/** The target image of the pool's nodes, by digest; empty until there is one. */
export function imageOf({ config }: Layering): string {
  return stringAt(config, 'status', 'currentImagePullSpec');
}

/** The configuration that is built into the image. */
export function builtConfig(build: MachineOSBuild): string {
  return stringAt(build.spec?.machineConfig, 'name');
}

/** The image that the build pushed, by digest. */
function pushedImage(build: MachineOSBuild): string {
  return stringAt(build, 'status', 'digestedImagePushSpec');
}

type ImageReadiness = {
  readonly isReady: boolean;
  /** The build will not succeed without a change. */
  readonly hasFailed: boolean;
  readonly message: string;
};

/**
 * Whether nodes may be sent to the image. While a new one is built the MachineOSConfig still names the old one, so the
 * image must be the one that the build pushed: otherwise nodes would get the new configuration with the old image.
 */
export function imageReadiness(layering: Layering): ImageReadiness {
  const { config, build } = layering;
  const waiting = (message: string) => ({ isReady: false, hasFailed: false, message });
  if (build === undefined) return waiting('No MachineOSConfig or MachineOSBuild for this pool');
  const image = imageOf(layering);
  const state = buildStateOf(build);
  if (state === 'Failed') return { isReady: false, hasFailed: true, message: 'Image build failed' };
  if (image === '') return waiting('Desired image not set in MachineOSConfig');
  if (state === 'Building') return waiting('Image build pending');
  if (state !== 'Succeeded') return waiting('Image is not ready yet');
  const built = `Image built successfully, pullspec: ${pushedImage(build)}`;
  if (pushedImage(build) === image) return { isReady: true, hasFailed: false, message: built };
  return waiting(`${built}, but MachineOSConfig "${nameOf(config)}" has not updated yet`);
}

/** Whether the builder has seen the present spec of the MachineOSConfig. */
export function isObserved({ config }: Layering): boolean {
  return (config.status?.observedGeneration ?? 0) >= (config.metadata?.generation ?? 0);
}

function byName(a: MachineOSConfig | MachineOSBuild, b: MachineOSConfig | MachineOSBuild): number {
  return compareBytes(nameOf(a), nameOf(b));
}
