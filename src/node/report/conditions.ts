/**
 * The list of conditions of a MachineConfigNode: which there are, in which order, and when each last changed.
 */

import { isObject } from '../../base/json.ts';
import { formatTimestamp, isDateTime } from '../../base/text/index.ts';
import type { Condition } from '../../kubernetes/meta/index.ts';
import type { Saying } from '../../rollout/index.ts';

/** By type, in the order of the list. */
type Conditions = ReadonlyMap<string, Said>;
/** A condition; one that has never been written has no time yet. */
export type Said = Saying & Partial<Pick<Condition, 'lastTransitionTime' | 'observedGeneration'>>;

/** What is no phase of an update, and changes by itself. */
export const SINGLETONS: readonly string[] = [
  'PinnedImageSetsProgressing',
  'PinnedImageSetsDegraded',
  'InternalReleaseImageDegraded',
];

/** More than this the kind does not allow. */
const MAX_CONDITIONS = 20;

const FILES_AND_OS = ['AppliedFilesAndOS'];
const FILES = ['AppliedFiles', 'AppliedOSImage'];
const PULLED = ['ImagePulledFromRegistry'];

/** The order is the one that people know from real nodes, where the images are looked at first. */
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
 * The conditions that there are, without those of the other setting of the feature gate, and with those that are missing:
 * those have not yet occurred. What is there keeps its place. Conditions that we do not know stay while there is room.
 */
export function completed(before: unknown, isImageReported: boolean): Conditions {
  const known = typesOf(isImageReported);
  const gone = new Set(isImageReported ? FILES_AND_OS : [...FILES, ...PULLED]);
  const all = new Map<string, Said>();
  for (const condition of Array.isArray(before) ? before.filter(isCondition) : []) {
    if (!gone.has(condition.type) && !all.has(condition.type)) all.set(condition.type, condition);
  }
  for (const type of known) if (!all.has(type)) all.set(type, notYetOccurred(type));
  const strangers = [...all.keys()].filter((type) => !known.includes(type));
  for (const type of strangers.slice(Math.max(0, MAX_CONDITIONS - known.length))) all.delete(type);
  return all;
}

/** Times move only with the status. */
export function dated(before: unknown, conditions: Conditions, nowMs: number): readonly Condition[] {
  const last = new Map<string, Condition>();
  for (const condition of Array.isArray(before) ? before.filter(isCondition) : []) {
    if (!last.has(condition.type)) last.set(condition.type, condition);
  }
  const now = formatTimestamp(nowMs);
  return [...conditions.values()].map((said) => {
    const then = last.get(said.type);
    const isSame = then?.status === said.status && isDateTime(then.lastTransitionTime);
    return { ...said, lastTransitionTime: isSame ? then.lastTransitionTime : now };
  });
}

function notYetOccurred(type: string): Saying {
  return {
    type,
    status: 'False',
    reason: 'NotYetOccurred',
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
