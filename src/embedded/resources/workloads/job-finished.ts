/**
 * Validation of the status of finished jobs: completion time and terminal conditions must be consistent.
 */

import type { Problem } from '../../../base/errors.ts';
import {
  numberAt,
  optionalNumberAt,
  optionalStringAt,
  optionalStringsAt,
  valueAt,
} from '../../../base/json-fields.ts';
import { goStrings, goTime } from '../decoding/go-format.ts';
import { invalid, required } from '../field-problems.ts';
import { hasChanged, isFinished, isTrue, type JobView } from './job-view.ts';

export function finishedJobProblems(job: JobView, before: JobView): readonly Problem[] {
  const changes = (...what: readonly string[]): boolean => hasChanged(job, before, ...what);
  const problemWith = (detail: string): Problem => invalid('status.conditions', undefined, detail);
  const problems: Problem[] = [];
  const isComplete = isTrue(job, 'Complete');
  if (changes('Complete', 'Failed') && isComplete && isTrue(job, 'Failed')) {
    problems.push(problemWith('cannot set Complete=True and Failed=true conditions'));
  }
  if (changes('Complete', 'FailureTarget') && isComplete && isTrue(job, 'FailureTarget')) {
    problems.push(problemWith('cannot set Complete=True and FailureTarget=true conditions'));
  }
  problems.push(...completionTimeProblems(job, before));
  if (changes('Failed', 'failedIndexes') && isTrue(job, 'Failed') && !isTrue(job, 'FailureTarget')) {
    problems.push(problemWith('cannot set Failed=True condition without the FailureTarget=true condition'));
  }
  if (changes('Complete', 'SuccessCriteriaMet') && isComplete && !isTrue(job, 'SuccessCriteriaMet')) {
    problems.push(
      problemWith('cannot set Complete=True condition without the SuccessCriteriaMet=true condition'),
    );
  }
  return [...problems, ...finishedProblems(job, before)];
}

function completionTimeProblems(job: JobView, before: JobView): readonly Problem[] {
  const path = 'status.completionTime';
  const completed = optionalStringAt(job.status, 'completionTime');
  const started = optionalStringAt(job.status, 'startTime');
  const isComplete = isTrue(job, 'Complete');
  const problems: Problem[] = [];
  const problemWith = (detail: string): Problem => invalid(path, goTime(completed ?? ''), detail);
  if (hasChanged(job, before, 'Complete', 'completionTime')) {
    if (completed !== undefined && !isComplete) {
      problems.push(problemWith('cannot set completionTime when there is no Complete=True condition'));
    }
    if (completed === undefined && isComplete) {
      problems.push(required(path, 'completionTime is required for Complete jobs'));
    }
  }
  // Decoded times have one format, so that string order is time order.
  const isBeforeStart = completed !== undefined && started !== undefined && completed < started;
  if (isBeforeStart && hasChanged(job, before, 'startTime', 'completionTime')) {
    problems.push(problemWith('completionTime cannot be set before startTime'));
  }
  return problems;
}

function finishedProblems(job: JobView, before: JobView): readonly Problem[] {
  if (!isFinished(job)) return [];
  const hasFinished = isFinished(job) !== isFinished(before);
  const active = numberAt(job.status, 'active');
  const [succeeded, failed] = ['succeeded', 'failed'].map((list) =>
    optionalStringsAt(job.status, 'uncountedTerminatedPods', list),
  );
  const uncounted = (succeeded?.length ?? 0) + (failed?.length ?? 0);
  const neverStarts =
    valueAt(job.spec, 'suspend') === true && optionalNumberAt(job.spec, 'completions') === 0;
  const problems: Problem[] = [];
  if ((hasFinished || hasChanged(job, before, 'active')) && active > 0) {
    problems.push(invalid('status.active', String(active), 'active>0 is invalid for finished job'));
  }
  const isStartAsked = (hasFinished || hasChanged(job, before, 'startTime')) && !neverStarts;
  if (isStartAsked && optionalStringAt(job.status, 'startTime') === undefined) {
    problems.push(required('status.startTime', 'startTime is required for finished job'));
  }
  if ((hasFinished || hasChanged(job, before, 'uncountedTerminatedPods')) && uncounted > 0) {
    const lists = `Succeeded:${goStrings(succeeded, UIDS)}, Failed:${goStrings(failed, UIDS)}`;
    const detail = 'uncountedTerminatedPods needs to be empty for finished job';
    const value = `batch.UncountedTerminatedPods{${lists}}`;
    problems.push(invalid('status.uncountedTerminatedPods', value, detail));
  }
  return problems;
}

/** The conditions SuccessCriteriaMet, FailureTarget, Complete and Failed must be consistent. */
export function criteriaProblems(job: JobView): readonly Problem[] {
  const isMet = isTrue(job, 'SuccessCriteriaMet');
  const hasPolicy = valueAt(job.spec, 'successPolicy') !== undefined;
  const details = [
    isMet && isTrue(job, 'Failed') && 'cannot set SuccessCriteriaMet=True and Failed=true conditions',
    isMet &&
      isTrue(job, 'FailureTarget') &&
      'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
    !isMet &&
      hasPolicy &&
      isTrue(job, 'Complete') &&
      'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True',
  ];
  return details.flatMap((detail) =>
    detail === false ? [] : [invalid('status.conditions', undefined, detail)],
  );
}

const UIDS = '[]types.UID';
