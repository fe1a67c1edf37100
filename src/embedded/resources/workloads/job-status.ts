/**
 * Validation of job status updates: counts do not decrease, finished jobs stay finished, and conditions do not
 * contradict each other. Most checks apply only to what changes, so that existing inconsistencies do not block updates.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import {
  numberAt,
  optionalNumberAt,
  optionalStringAt,
  stringAt,
  stringsAt,
  valueAt,
} from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';
import { goTime } from '../decoding/go-format.ts';
import { duplicate, invalid, invalidText, negativeProblems, required } from '../field-problems.ts';
import { criteriaProblems, finishedJobProblems } from './job-finished.ts';
import { firstShared, readIndexes } from './job-indexes.ts';
import { hasChanged, isFinished, isTrue, type JobView, jobViewOf } from './job-view.ts';

export function jobStatusProblems(object: JsonObject, old: JsonObject): readonly Problem[] {
  const job = jobViewOf(object);
  const before = jobViewOf(old);
  return [
    ...COUNTS.flatMap((field) => negativeProblems(`status.${field}`, optionalNumberAt(job.status, field))),
    ...uncountedProblems(job),
    ...finishedJobProblems(job, before),
    ...indexProblems(job, before),
    ...podCountProblems(job, before),
    ...criteriaProblems(job),
    ...revertProblems(job, before),
  ];
}

function uncountedProblems({ status }: JobView): readonly Problem[] {
  const seen = new Set<string>();
  return ['succeeded', 'failed'].flatMap((list) =>
    stringsAt(status, 'uncountedTerminatedPods', list).flatMap((uid, index) => {
      const path = `status.uncountedTerminatedPods.${list}[${index}]`;
      if (uid === '') return [invalidText(path, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicate(path, quoted(uid))];
      seen.add(uid);
      return [];
    }),
  );
}

function indexProblems(job: JobView, before: JobView): readonly Problem[] {
  const completions = optionalNumberAt(job.spec, 'completions');
  const completed = stringAt(job.status, 'completedIndexes');
  const failed = optionalStringAt(job.status, 'failedIndexes');
  const hasLimit = optionalNumberAt(job.spec, 'backoffLimitPerIndex') !== undefined;
  const isIndexed = stringAt(job.spec, 'completionMode') === 'Indexed';
  const problems: Problem[] = [];
  const check = (field: string, text: string): void => {
    const read = readIndexes(text, completions ?? 0);
    if (completions === undefined || read.kind === 'read') return;
    problems.push(invalidText(`status.${field}`, text, `error parsing ${field}: ${read.message}`));
  };
  const [isCompletedNew, isFailedNew] = ['completedIndexes', 'failedIndexes'].map((field) =>
    hasChanged(job, before, field),
  );
  if (isCompletedNew) check('completedIndexes', completed);
  if (isFailedNew && hasLimit && failed !== undefined) check('failedIndexes', failed);
  if (isCompletedNew && completed !== '' && !isIndexed) {
    problems.push(invalidText('status.completedIndexes', completed, NOT_INDEXED));
  }
  if (isFailedNew && failed !== undefined && !hasLimit) {
    problems.push(invalidText('status.failedIndexes', failed, NO_LIMIT_PER_INDEX));
  }
  if (completions !== undefined && failed !== undefined && (isCompletedNew || isFailedNew)) {
    const shared = firstShared(readIndexes(completed, completions), readIndexes(failed, completions));
    if (shared !== undefined) {
      const detail = `failedIndexes and completedIndexes overlap at index: ${shared}`;
      problems.push(invalidText('status.failedIndexes', failed, detail));
    }
  }
  return problems;
}

function podCountProblems(job: JobView, before: JobView): readonly Problem[] {
  const hasFinished = isFinished(job) !== isFinished(before);
  const terminating = numberAt(job.status, 'terminating');
  const ready = numberAt(job.status, 'ready');
  const isTerminatingAsked = hasFinished || hasChanged(job, before, 'terminating');
  return [
    ...(isTerminatingAsked && isFinished(job) && terminating > 0
      ? [invalid('status.terminating', String(terminating), 'terminating>0 is invalid for finished job')]
      : []),
    ...(hasChanged(job, before, 'ready', 'active') && ready > numberAt(job.status, 'active')
      ? [invalid('status.ready', String(ready), 'cannot set more ready pods than active')]
      : []),
  ];
}

/** Counts, conditions and times that cannot be reverted. */
function revertProblems(job: JobView, before: JobView): readonly Problem[] {
  const problemWith = (detail: string): Problem => invalid('status.conditions', undefined, detail);
  const isElastic =
    stringAt(job.spec, 'completionMode') === 'Indexed' &&
    optionalNumberAt(job.spec, 'completions') === optionalNumberAt(job.spec, 'parallelism');
  const problems = ['Failed', 'Complete', 'FailureTarget']
    .filter((type) => isTrue(before, type) && !isTrue(job, type))
    .map((type) => problemWith(`cannot disable the terminal ${type}=True condition`));
  for (const field of isElastic ? ['failed'] : ['failed', 'succeeded']) {
    const count = numberAt(job.status, field);
    if (count < numberAt(before.status, field)) {
      problems.push(invalid(`status.${field}`, String(count), `cannot decrease the ${field} counter`));
    }
  }
  problems.push(...timeChangeProblems(job, before));
  const wasMet = isTrue(before, 'SuccessCriteriaMet');
  const isMet = isTrue(job, 'SuccessCriteriaMet');
  if (wasMet && !isMet) problems.push(problemWith('cannot disable the SuccessCriteriaMet=True condition'));
  if (isTrue(before, 'Complete') && !wasMet && isMet) {
    problems.push(
      problemWith('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'),
    );
  }
  return problems;
}

function timeChangeProblems(job: JobView, before: JobView): readonly Problem[] {
  const completed = optionalStringAt(job.status, 'completionTime');
  const wasCompleted = optionalStringAt(before.status, 'completionTime');
  const problems: Problem[] = [];
  if (completed !== undefined && wasCompleted !== undefined && completed !== wasCompleted) {
    const detail = 'completionTime cannot be mutated';
    problems.push(invalid('status.completionTime', goTime(completed), detail));
  }
  const isResuming = isTrue(before, 'Suspended') && job.conditions.get('Suspended') === 'False';
  const hadStarted = optionalStringAt(before.status, 'startTime') !== undefined;
  const isSuspended = valueAt(job.spec, 'suspend') === true;
  if (hadStarted && hasChanged(job, before, 'startTime') && !isSuspended && !isResuming) {
    problems.push(required('status.startTime', 'startTime cannot be removed for unsuspended job'));
  }
  return problems;
}

const COUNTS = ['active', 'succeeded', 'failed', 'ready', 'terminating'];
const NOT_INDEXED = 'cannot set non-empty completedIndexes when non-indexed completion mode';
const NO_LIMIT_PER_INDEX = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
