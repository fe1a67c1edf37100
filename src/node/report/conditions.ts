/**
 * The conditions of a MachineConfigNode: their types, order and transition times.
 */

import { isObject } from '../../base/json.ts';
import { formatTimestamp, isDateTime } from '../../base/text/index.ts';
import type { Condition } from '../../kubernetes/meta/index.ts';
import type { ConditionUpdate } from '../../rollout/index.ts';

/** By type, in the order of the list. */
type Conditions = ReadonlyMap<string, ReportedCondition>;
/** A condition; one that has never been written has no time yet. */
export type ReportedCondition = ConditionUpdate &
  Partial<Pick<Condition, 'lastTransitionTime' | 'observedGeneration'>>;

/** Conditions that are independent of updates. */
export const SINGLETONS: readonly string[] = [
  'PinnedImageSetsProgressing',
  'PinnedImageSetsDegraded',
  'InternalReleaseImageDegraded',
];

/** The reason of a condition that has never been set. */
export const NOT_YET_OCCURRED = 'NotYetOccurred';

/** The limit of the CRD. */
const MAX_CONDITIONS = 20;

const FILES_AND_OS = ['AppliedFilesAndOS'];
const FILES = ['AppliedFiles', 'AppliedOSImage'];
const PULLED = ['ImagePulledFromRegistry'];

/** In the order of upstream's nodes, which check pinned images first. */
function typesOf(isImageReported: boolean): readonly string[] {
  return [
    'PinnedImageSetsProgressing',
    'UpdatePrepared',
    'UpdateExecuted',
    'UpdatePostActionComplete',
    'UpdateComplete',
    'Resumed',
    'Drained',
    ...(isImageReported ? FILES : FILES_AND_OS),
    'Cordoned',
    'RebootedNode',
    'Updated',
    'Uncordoned',
    ...(isImageReported ? PULLED : []),
    'NodeDegraded',
    'PinnedImageSetsDegraded',
  ];
}

/**
 * The existing conditions, in their order, without those of the other setting of the feature gate, and with the missing ones
 * as not yet occurred. Unknown conditions stay while there is room.
 */
export function withMissingConditions(before: unknown, isImageReported: boolean): Conditions {
  const known = typesOf(isImageReported);
  const gone = new Set(isImageReported ? FILES_AND_OS : [...FILES, ...PULLED]);
  const all = new Map<string, ReportedCondition>();
  for (const condition of Array.isArray(before) ? before.filter(isCondition) : []) {
    if (!gone.has(condition.type) && !all.has(condition.type)) all.set(condition.type, condition);
  }
  for (const type of known) if (!all.has(type)) all.set(type, notYetOccurred(type));
  const unknown = [...all.keys()].filter((type) => !known.includes(type));
  for (const type of unknown.slice(Math.max(0, MAX_CONDITIONS - known.length))) all.delete(type);
  return all;
}

/** Transition times change only with the status. */
export function withTransitionTimes(
  before: unknown,
  conditions: Conditions,
  nowMs: number,
): readonly Condition[] {
  const last = new Map<string, Condition>();
  for (const condition of Array.isArray(before) ? before.filter(isCondition) : []) {
    if (!last.has(condition.type)) last.set(condition.type, condition);
  }
  const now = formatTimestamp(nowMs);
  return [...conditions.values()].map((condition) => {
    const then = last.get(condition.type);
    const isSame = then?.status === condition.status && isDateTime(then.lastTransitionTime);
    return { ...condition, lastTransitionTime: isSame ? then.lastTransitionTime : now };
  });
}

export function notYetOccurred(type: string): ConditionUpdate {
  return {
    type,
    status: 'False',
    reason: NOT_YET_OCCURRED,
    message: `This node has not yet entered the ${type} phase`,
  };
}

function isCondition(value: unknown): value is Condition {
  return (
    isObject(value) &&
    typeof value.type === 'string' &&
    (value.status === 'True' || value.status === 'False' || value.status === 'Unknown') &&
    typeof value.reason === 'string' &&
    typeof value.message === 'string' &&
    typeof value.lastTransitionTime === 'string'
  );
}
