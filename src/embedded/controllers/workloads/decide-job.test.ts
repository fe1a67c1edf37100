import { describe, expect, it } from 'vitest';
import {
  ago,
  aJob,
  aPod,
  aTemplate,
  NOW_MS,
  type PodState,
} from '../../../../test/support/build-workloads.ts';
import { formatWrites, withStatusIn } from '../../../../test/support/format-writes.ts';
import { type Job, type JobStatus, job as jobResource, type Pod } from '../../../kubernetes/types/index.ts';
import { BURST, decideJob, isOurs } from './decide-job.ts';
import { finishedMs, hasFailed, TRACKING } from './job-pods.ts';

/** A pod with the tracking finalizer, unless `isCounted`. */
function held(name: string, state: PodState = {}, { isCounted = false } = {}): Pod {
  return aPod(name, state, isCounted ? {} : { finalizers: [TRACKING] });
}

function decide(job: Job, pods: readonly Pod[] = [], nowMs = NOW_MS) {
  const failuresMs = pods.filter((one) => hasFailed(one, job)).map(finishedMs);
  return decideJob({ job, pods, failuresMs, nowMs, backoffMs: 10_000, backoffLimitMs: 600_000 });
}

function statusOf({ writes }: ReturnType<typeof decide>): JobStatus | undefined {
  return withStatusIn(jobResource, writes).status;
}

function conditions(status: JobStatus | undefined): readonly string[] {
  return (status?.conditions ?? []).map(({ type, status: is, reason }) => `${type}=${is} ${reason}`);
}

const running: JobStatus = { startTime: ago(100) };
const release = (name: string) => `patch pods/${name} {"finalizers":null}`;

describe('a job', () => {
  it('begins', () => {
    const decision = decide(aJob({ completions: 5, parallelism: 2 }));
    expect(formatWrites(decision.writes)).toEqual([
      'update jobs/work status',
      'create pods/work-*',
      'create pods/work-*',
    ]);
    expect(statusOf(decision)).toEqual({
      active: 2,
      ready: 0,
      terminating: 0,
      startTime: ago(0),
      uncountedTerminatedPods: {},
    });
    expect(decision.writes.at(-1)?.object.metadata).toMatchObject({
      finalizers: [TRACKING],
      ownerReferences: [{ kind: 'Job', name: 'work', controller: true }],
    });
  });

  it.each<[string, Partial<Job['spec']>, JobStatus, number, number]>([
    ['as many as parallelism allows', { completions: 9, parallelism: 3 }, {}, 0, 3],
    ['no more than the missing completions', { completions: 4, parallelism: 3 }, { succeeded: 2 }, 1, 1],
    ['none if enough are active', { completions: 4, parallelism: 2 }, {}, 2, 0],
    ['one by default', { completions: 1 }, {}, 0, 1],
    ['at most a burst at once', { completions: 9000, parallelism: 9000 }, {}, 0, BURST],
  ])('creates pods: %s', (_, spec, status, active, created) => {
    const pods = Array.from({ length: active }, (__, index) => held(`p${index}`));
    const { writes } = decide(aJob(spec, { status: { ...running, ...status } }), pods);
    expect(writes.filter(({ kind }) => kind === 'create')).toHaveLength(created);
  });

  it('without completions creates no more pods after the first success', () => {
    const { completions: _, ...spec } = aJob({ parallelism: 3 }).spec;
    const job = { ...aJob({}, { status: { ...running, succeeded: 1 } }), spec };
    expect(formatWrites(decide(job, [held('a')]).writes)).toEqual(['update jobs/work status']);
  });

  it('deletes surplus pods without counting them', () => {
    const job = aJob({ completions: 5, parallelism: 1 }, { status: running });
    const decision = decide(job, [held('a', { readyFor: 9, node: 'n' }), held('b')]);
    expect(formatWrites(decision.writes)).toEqual(['update jobs/work status', release('b'), 'delete pods/b']);
    expect(statusOf(decision)).toMatchObject({ active: 1, ready: 1, terminating: 1 });
    expect(statusOf(decision)).not.toHaveProperty('failed');
  });

  it('with managedBy is ignored', () => {
    expect(isOurs(aJob({ managedBy: 'example.com/other' }))).toBe(false);
    expect(isOurs(aJob({ managedBy: 'kubernetes.io/job-controller' }))).toBe(true);
    expect(isOurs(aJob())).toBe(true);
  });
});

describe('the count of a job', () => {
  const job = aJob({ completions: 3, parallelism: 1 }, { status: running });

  it('records a pod before it removes its finalizer', () => {
    const decision = decide(job, [held('a', { phase: 'Succeeded' })]);
    expect(formatWrites(decision.writes)).toEqual([
      'update jobs/work status',
      release('a'),
      'create pods/work-*',
    ]);
    expect(statusOf(decision)).toMatchObject({ uncountedTerminatedPods: { succeeded: ['uid-a'] } });
    expect(statusOf(decision)).not.toHaveProperty('succeeded');
  });

  it('removes the finalizer again if that was lost', () => {
    const noted = aJob(job.spec, {
      status: { ...running, uncountedTerminatedPods: { succeeded: ['uid-a'] } },
    });
    expect(formatWrites(decide(noted, [held('a', { phase: 'Succeeded' }), held('b')]).writes)).toContain(
      release('a'),
    );
  });

  it.each([
    ['is let go', [held('a', { phase: 'Succeeded' }, { isCounted: true })]],
    ['is gone', []],
  ])('counts it once it %s', (_, pods) => {
    const noted = aJob(job.spec, {
      status: { ...running, uncountedTerminatedPods: { succeeded: ['uid-a'] } },
    });
    const status = statusOf(decide(noted, [...pods, held('b')]));
    expect(status).toMatchObject({ succeeded: 1, active: 1, uncountedTerminatedPods: {} });
  });

  it('does not count it twice', () => {
    const counted = aJob(job.spec, {
      status: { ...running, active: 1, ready: 0, terminating: 0, succeeded: 1, uncountedTerminatedPods: {} },
    });
    expect(
      decide(counted, [held('a', { phase: 'Succeeded' }, { isCounted: true }), held('b')]).writes,
    ).toEqual([]);
  });

  it('counts a terminating pod as failed', () => {
    const status = statusOf(decide(job, [held('a', { readyFor: 9, leaves: true })]));
    expect(status).toMatchObject({ uncountedTerminatedPods: { failed: ['uid-a'] }, terminating: 1 });
  });

  it('waits for its end with podReplacementPolicy Failed', () => {
    const patient = aJob({ ...job.spec, podReplacementPolicy: 'Failed' }, { status: running });
    const decision = decide(patient, [held('a', { readyFor: 9, leaves: true })]);
    expect(statusOf(decision)).toMatchObject({ uncountedTerminatedPods: {}, terminating: 1 });
    expect(formatWrites(decision.writes)).toEqual(['update jobs/work status']);
  });
});

describe('a job that fails', () => {
  it('has exponential backoff', () => {
    const job = aJob({ completions: 1 }, { status: running });
    const failed = (count: number) =>
      Array.from({ length: count }, (_, index) => held(`p${index}`, { phase: 'Failed', age: 50 }));
    // They failed when they became unready, which is now.
    expect([1, 2, 3].map((count) => decide(job, failed(count)).lookAgainMs)).toEqual([
      10_000, 20_000, 40_000,
    ]);
    expect(formatWrites(decide(job, failed(1)).writes)).not.toContain('create pods/work-*');
    expect(formatWrites(decide(job, failed(1), NOW_MS + 10_000).writes)).toContain('create pods/work-*');
  });

  it('fails after backoffLimit, once all pods are counted', () => {
    const job = aJob({ backoffLimit: 0, completions: 2, parallelism: 2 }, { status: running });
    const first = decide(job, [held('a', { phase: 'Failed' }), held('b', { readyFor: 5 })]);
    expect(formatWrites(first.writes)).toEqual([
      'update jobs/work status',
      release('a'),
      release('b'),
      'delete pods/b',
    ]);
    expect(conditions(statusOf(first))).toEqual(['FailureTarget=True BackoffLimitExceeded']);
    expect(statusOf(first)).toMatchObject({ uncountedTerminatedPods: { failed: ['uid-a', 'uid-b'] } });
    const second = decide(withStatusIn(jobResource, first.writes), [
      held('a', { phase: 'Failed' }, { isCounted: true }),
      held('b', { leaves: true }, { isCounted: true }),
    ]);
    expect(conditions(statusOf(second))).toEqual(['FailureTarget=True BackoffLimitExceeded']);
    expect(statusOf(second)).toMatchObject({ failed: 2, terminating: 1 });
    const third = decide(withStatusIn(jobResource, second.writes), [
      held('a', { phase: 'Failed' }, { isCounted: true }),
    ]);
    expect(conditions(statusOf(third))).toEqual([
      'FailureTarget=True BackoffLimitExceeded',
      'Failed=True BackoffLimitExceeded',
    ]);
    expect(third.writes).toHaveLength(1);
  });

  it('fails after too many container restarts', () => {
    const template = aTemplate('a', { restartPolicy: 'OnFailure' });
    const job = aJob({ backoffLimit: 2, template }, { status: running });
    expect(conditions(statusOf(decide(job, [held('a', { readyFor: 1, restarts: 1 })])))).toEqual([]);
    expect(conditions(statusOf(decide(job, [held('a', { readyFor: 1, restarts: 2 })])))).toEqual([
      'FailureTarget=True BackoffLimitExceeded',
    ]);
  });

  it('fails after activeDeadlineSeconds', () => {
    const job = aJob({ activeDeadlineSeconds: 101 }, { status: running });
    const inTime = decide(job, [held('a')]);
    expect([conditions(statusOf(inTime)), inTime.lookAgainMs]).toEqual([[], 1000]);
    const late = decide(job, [held('a')], NOW_MS + 1000);
    expect(conditions(statusOf(late))).toEqual(['FailureTarget=True DeadlineExceeded']);
    expect(formatWrites(late.writes)).toContain('delete pods/a');
  });

  it.each<[string, Partial<Job['spec']>]>([
    ['spec.completionMode: Indexed', { completionMode: 'Indexed' }],
    ['spec.podFailurePolicy', { podFailurePolicy: { rules: [] } }],
    ['spec.successPolicy', { successPolicy: { rules: [] } }],
    ['spec.backoffLimitPerIndex', { backoffLimitPerIndex: 1 }],
  ])('fails with unsupported fields: %s', (field, spec) => {
    const status = statusOf(decide(aJob(spec)));
    expect(conditions(status)).toEqual(['FailureTarget=True NotSupported', 'Failed=True NotSupported']);
    expect(status?.conditions?.[1]?.message).toContain(field);
  });
});

describe('a job that succeeds', () => {
  it('is complete once all pods are counted', () => {
    const job = aJob({}, { status: running });
    const first = decide(job, [held('a', { phase: 'Succeeded' })]);
    expect(conditions(statusOf(first))).toEqual(['SuccessCriteriaMet=True CompletionsReached']);
    const second = decide(withStatusIn(jobResource, first.writes), [
      held('a', { phase: 'Succeeded' }, { isCounted: true }),
    ]);
    expect(statusOf(second)).toMatchObject({ succeeded: 1, completionTime: ago(0) });
    expect(conditions(statusOf(second))).toEqual([
      'SuccessCriteriaMet=True CompletionsReached',
      'Complete=True CompletionsReached',
    ]);
    expect(decide(withStatusIn(jobResource, second.writes))).toEqual({ writes: [], lookAgainMs: undefined });
  });

  it('without completions waits for the other pods', () => {
    const { completions: _, ...spec } = aJob({ parallelism: 2 }).spec;
    const job = { ...aJob({}, { status: running }), spec };
    const pods = [held('a', { phase: 'Succeeded' }), held('b', { readyFor: 3 })];
    expect(conditions(statusOf(decide(job, pods)))).toEqual([]);
    const both = [held('a', { phase: 'Succeeded' }), held('b', { phase: 'Succeeded' })];
    expect(conditions(statusOf(decide(job, both)))).toEqual(['SuccessCriteriaMet=True CompletionsReached']);
  });

  it.each([
    [{}, undefined, []],
    [{ ttlSecondsAfterFinished: 60 }, 20_000, []],
    [{ ttlSecondsAfterFinished: 40 }, undefined, ['delete jobs/work Foreground']],
  ])('with %j is kept for its TTL', (spec, lookAgainMs, writes) => {
    const complete = { type: 'Complete', status: 'True', lastTransitionTime: ago(40) };
    const decision = decide(aJob(spec, { status: { conditions: [complete] } }));
    expect({ ...decision, writes: formatWrites(decision.writes) }).toEqual({ writes, lookAgainMs });
  });
});

describe('a suspended job', () => {
  it('has no pods and no start time', () => {
    const decision = decide(aJob({ suspend: true }), []);
    expect(formatWrites(decision.writes)).toEqual(['update jobs/work status']);
    expect(statusOf(decision)).not.toHaveProperty('startTime');
    expect(conditions(statusOf(decision))).toEqual(['Suspended=True JobSuspended']);
  });

  it('starts again when it is resumed', () => {
    const suspended = { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: '' };
    const decision = decide(aJob({}, { status: { startTime: ago(500), conditions: [suspended] } }));
    expect(statusOf(decision)).toMatchObject({ startTime: ago(0), active: 1 });
    expect(conditions(statusOf(decision))).toEqual(['Suspended=False JobResumed']);
  });

  it('deletes its pods', () => {
    const decision = decide(aJob({ suspend: true }, { status: running }), [held('a')]);
    expect(formatWrites(decision.writes)).toEqual(['update jobs/work status', release('a'), 'delete pods/a']);
  });

  it('releases its pods when it is deleted', () => {
    const ending = aJob({}, { status: running, deletionTimestamp: ago(1) });
    const decision = decide(ending, [held('a', { readyFor: 4 })]);
    expect(formatWrites(decision.writes)).toEqual(['update jobs/work status', release('a')]);
  });
});
