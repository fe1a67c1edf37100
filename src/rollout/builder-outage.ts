/**
 * Whether a pool waits for a build that nothing works on, because no builder is running. The builder holds a Lease; whoever
 * waits for it looks there.
 *
 *     the pool waits for a build      its Lease                        what the pool says
 *     no                              not read                         nothing
 *     for less than the grace         not read                         nothing: a builder may be starting
 *     longer                          held and renewed in time         nothing: the build has its own state
 *     longer                          missing, released, or expired    `BuildPending`, since when, and one event
 *
 * Nodes keep the OS image that they have meanwhile. The condition disappears when the Lease is held again.
 */
import { BUILDER_LEASE, type MachineConfigPool } from '../api/index.ts';
import { stringAt } from '../base/json-fields.ts';
import { formatTimestamp, parseTimestamp } from '../base/text/index.ts';
import { conditionOf, nameOf } from '../kubernetes/meta/index.ts';
import type { Lease } from '../kubernetes/types/index.ts';
import type { ConditionUpdate } from './condition-update.ts';
import { imageReadiness, isObserved, type Layering } from './layering.ts';
import type { RolloutEvent } from './rollout-event.ts';

/** A process that is being restarted has this long to take its Lease. */
export const RESTART_GRACE_MS = 60_000;

const TYPE = 'BuildPending';
const REASON = 'NoBuilder';

export type BuilderOutage = { readonly message: string };

/** Whether something is left for the builder to do. A failed build counts: only the builder can retry it. */
export function needsBuilder(layering: Layering | undefined): layering is Layering {
  return layering !== undefined && !(imageReadiness(layering).isReady && isObserved(layering));
}

/** How long until the Lease matters; 0 where it does now. A pool that has reported an outage does not wait again. */
export function leaseDueInMs(pool: MachineConfigPool, waitedMs: number): number {
  return reportedOutage(pool) === undefined ? Math.max(0, RESTART_GRACE_MS - waitedMs) : 0;
}

/** Since when nobody holds it; undefined where that is unknown, as there is no Lease. */
type Absence = { readonly sinceMs?: number };

/** `undefined` where it is held and renewed in time, or was released a moment ago. */
export function leaderAbsence(lease: Lease | undefined, nowMs: number): Absence | undefined {
  const holder = stringAt(lease?.spec, 'holderIdentity');
  const sinceMs = parseTimestamp(stringAt(lease?.spec, 'renewTime'));
  if (sinceMs === undefined) return {};
  const durationMs = holder === '' ? RESTART_GRACE_MS : (lease?.spec?.leaseDurationSeconds ?? 0) * 1000;
  return nowMs - sinceMs <= durationMs ? undefined : { sinceMs };
}

type LeaseState = {
  /** Undefined where there is none. */
  readonly lease: Lease | undefined;
  readonly nowMs: number;
};

/** `undefined` where a builder is running. */
export function builderOutage({ config }: Layering, { lease, nowMs }: LeaseState): BuilderOutage | undefined {
  const absence = leaderAbsence(lease, nowMs);
  if (absence === undefined) return undefined;
  const since =
    absence.sinceMs === undefined
      ? `No builder is running (there is no Lease ${BUILDER_LEASE})`
      : `No builder is running since ${formatTimestamp(absence.sinceMs)} (Lease ${BUILDER_LEASE})`;
  return {
    message: `${since}, so no OS image is built for MachineOSConfig ${nameOf(config)}: the pool waits, and its nodes keep the OS image that they have`,
  };
}

/** As the status of the pool has it. */
export function reportedOutage(pool: MachineConfigPool): BuilderOutage | undefined {
  const { status, reason, message = '' } = conditionOf(pool, TYPE) ?? {};
  return status === 'True' && reason === REASON ? { message } : undefined;
}

/** `undefined` where there is no such condition, and none is needed. */
export function outageCondition(
  pool: MachineConfigPool,
  outage: BuilderOutage | undefined,
): ConditionUpdate | undefined {
  if (outage !== undefined) return { type: TYPE, status: 'True', reason: REASON, message: outage.message };
  if (reportedOutage(pool) === undefined) return undefined;
  return { type: TYPE, status: 'False', reason: '', message: '' };
}

/** About the pool and about the MachineOSConfig. */
export function outageEvent({ message }: BuilderOutage): RolloutEvent {
  return { type: 'Warning', reason: REASON, message, isAdditional: true };
}
