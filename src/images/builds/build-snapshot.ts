/**
 * What the build controller knows about one MachineOSConfig when it decides: objects of its caches, and what the registry
 * said about images.
 */
import type { MachineConfig, MachineConfigPool, MachineOSBuild, MachineOSConfig } from '../../api/index.ts';
import type { Job, Node, Secret } from '../../kubernetes/types/index.ts';

export type BuildSnapshot = {
  /** Of the components, and of the Secrets that configs name. */
  readonly namespace: string;
  readonly config: MachineOSConfig;
  /** Another MachineOSConfig for the same pool, which takes precedence. */
  readonly rival?: string;
  readonly pool?: MachineConfigPool;
  /** The MachineConfig that `pool.spec.configuration` names. */
  readonly rendered?: MachineConfig;
  /** All builds of the config, also those that are being deleted. */
  readonly builds: readonly MachineOSBuild[];
  /** By the name of the build. */
  readonly jobs: ReadonlyMap<string, Job>;
  /** Why the last pod of a build's Job failed, in one line; by the name of the build. */
  readonly failures: ReadonlyMap<string, string>;
  /** What the pods of builds reported; by the name of the build. */
  readonly digests: ReadonlyMap<string, string>;
  /** Builds whose Job and digest were just read from the server: caches of different kinds lag independently. */
  readonly confirmed: ReadonlySet<string>;
  /** Builds with a record of their images, and with the credentials to push and to delete them. */
  readonly recorded: ReadonlySet<string>;
  /** How many failed pods of a build's Job were looked after in its record; by the name of the build. */
  readonly attempts: ReadonlyMap<string, number>;
  /** Builds that still have ephemeral objects. */
  readonly withObjects: ReadonlySet<string>;
  readonly secrets: BuildSecrets;
  /** The nodes of the pool. */
  readonly nodes: readonly Node[];
  /** What the registry last said about an image; undefined where it has not been asked, or too long ago. */
  readonly imageState: (image: string) => ImageState | undefined;
  /** What the registry last said about pushing with the credentials of the config; undefined as above. */
  readonly pushState: PushState | undefined;
  readonly hasTrustBundle: boolean;
  readonly nowMs: number;
  readonly limits: BuildLimits;
};

type BuildSecrets = {
  readonly push?: Secret;
  /** `spec.baseImagePullSecret`, or the pull secret of the cluster where none is named. */
  readonly base?: Secret;
};

export type ImageState =
  /** `bytes`: what a node downloads; absent for an index of several images. */
  | { readonly kind: 'present'; readonly bytes?: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'error'; readonly message: string };

export type PushState = { readonly kind: 'allowed' } | { readonly kind: 'error'; readonly message: string };

export type BuildLimits = {
  /** How long a build may take. */
  readonly timeoutMs: number;
  /** How long a failed build waits for the first retry, and at most for later ones. */
  readonly minRetryMs: number;
  readonly maxRetryMs: number;
  /** How long a registry that cannot be pushed to is left alone. */
  readonly registryRetryMs: number;
  /** After what time a registry is asked again whether an image is still there. */
  readonly inspectionMs: number;
  /** How many successful builds are kept for going back, beside those that are in use. */
  readonly keptBuilds: number;
};

export const DEFAULT_BUILD_LIMITS: BuildLimits = {
  timeoutMs: 60 * 60 * 1000,
  minRetryMs: 10 * 60 * 1000,
  maxRetryMs: 6 * 60 * 60 * 1000,
  registryRetryMs: 30 * 1000,
  inspectionMs: 10 * 60 * 1000,
  keptBuilds: 2,
};

/** Builds themselves take as long as they take, so their timeout does not change. */
export function buildLimitsAtSpeed(speed: number, limits: BuildLimits): BuildLimits {
  const { minRetryMs, maxRetryMs, registryRetryMs, inspectionMs } = limits;
  return {
    ...limits,
    minRetryMs: minRetryMs / speed,
    maxRetryMs: maxRetryMs / speed,
    registryRetryMs: Math.max(MIN_REGISTRY_RETRY_MS, registryRetryMs / speed),
    inspectionMs: Math.max(MIN_INSPECTION_MS, inspectionMs / speed),
  };
}

/** Registries are real, also where time runs faster. */
const MIN_REGISTRY_RETRY_MS = 2_000;
const MIN_INSPECTION_MS = 10_000;
