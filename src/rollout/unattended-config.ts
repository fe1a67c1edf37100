/**
 * MachineOSConfigs that no builder takes up. Their pool would wait for an image that never comes.
 *
 *     nodes of the pool         what they get meanwhile
 *     none has a built image    the plain image of their configuration: the MachineOSConfig has no effect yet
 *     some have one             nothing: they keep their image, and the pool waits
 *
 * A builder creates a MachineOSBuild at once, so the pool is unattended when there is none for a while. That is recorded in
 * its condition BuildPending, from which a restarted controller, and `insight`, know it too.
 */
import type { MachineConfigPool, MachineOSConfig } from '../api/index.ts';
import { conditionOf, nameOf } from '../kubernetes/meta/index.ts';
import type { ConditionUpdate } from './condition-update.ts';
import type { Layering } from './layering.ts';
import type { RolloutEvent } from './rollout-event.ts';

/** A builder that was just restarted has this long to start a build. */
export const BUILD_START_GRACE_MS = 30_000;

const TYPE = 'BuildPending';
const REASON = 'NoBuilder';

export type UnattendedConfig = {
  readonly config: MachineOSConfig;
  /** Some nodes of the pool have a built image, so the pool stays in image mode. */
  readonly hasImages: boolean;
};

type Wait = {
  /** How long there has been no build of the present configuration. */
  readonly waitedMs: number;
  /** Whether any node of the pool has a built image, or was sent to one. */
  readonly hasImages: boolean;
};

/** `undefined` where a build exists, or may still be started. */
export function unattendedConfig(
  pool: MachineConfigPool,
  layering: Layering | undefined,
  { waitedMs, hasImages }: Wait,
): UnattendedConfig | undefined {
  if (layering === undefined || layering.build !== undefined) return undefined;
  return isReported(pool) || waitedMs >= BUILD_START_GRACE_MS
    ? { config: layering.config, hasImages }
    : undefined;
}

/** The layering by which nodes are sent: none where the pool goes on with its plain image. */
export function layeringInForce(
  layering: Layering | undefined,
  unattended: UnattendedConfig | undefined,
): Layering | undefined {
  return unattended === undefined || unattended.hasImages ? layering : undefined;
}

/** `undefined` where there is no such condition, and none is needed. */
export function unattendedCondition(
  pool: MachineConfigPool,
  unattended: UnattendedConfig | undefined,
): ConditionUpdate | undefined {
  if (unattended !== undefined) {
    return { type: TYPE, status: 'True', reason: REASON, message: messageOf(unattended) };
  }
  return isReported(pool) ? { type: TYPE, status: 'False', reason: '', message: '' } : undefined;
}

/** About the pool and about the MachineOSConfig. */
export function unattendedEvent(unattended: UnattendedConfig): RolloutEvent {
  return { type: 'Warning', reason: REASON, message: messageOf(unattended), isAdditional: true };
}

function isReported(pool: MachineConfigPool): boolean {
  const { status, reason } = conditionOf(pool, TYPE) ?? {};
  return status === 'True' && reason === REASON;
}

function messageOf({ config, hasImages }: UnattendedConfig): string {
  const cause = `No builder starts a build for MachineOSConfig ${nameOf(config)}`;
  return hasImages
    ? `${cause}: nodes keep the OS image that they have, and the pool waits for the build`
    : `${cause}, so it has no effect: the pool goes on with the OS image of its MachineConfig`;
}
