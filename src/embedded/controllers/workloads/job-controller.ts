/** The Job controller: creates pods, counts results, and releases pods of deleted Jobs. */

import { type AnyObject, after, type Controller, done, type Next } from '../../../kubernetes/client/index.ts';
import { type Job, job, type Pod, pod } from '../../../kubernetes/types/index.ts';
import { Expectations } from '../expectations.ts';
import { keyOf, objectKeyOf } from '../object-keys.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { carryOut, patchMetadata } from '../writes.ts';
import { decideJob, isOurs } from './decide-job.ts';
import { byNamespace, followOwned } from './follow-owned.ts';
import { endedMs } from './job-end.ts';
import { finishedMs, hasFailed, isTracked, TRACKING, withoutTracking } from './job-pods.ts';
import { byController, candidatesFor, claimDependents, controllerOf } from './ownership.ts';

const indexes = { ...byController, ...byNamespace };

export function createJobController({ kube, caches, env, settings }: WorkloadContext): Controller {
  const jobs = caches.of(job, { indexes });
  const pods = caches.of(pod, { indexes });
  const expectations = new Expectations({ clock: env.clock, timeoutMs: settings.expectationTimeoutMs });
  expectations.track(job, jobs);
  expectations.track(pod, pods);

  /** Failure times of pods by the UID of the Job. Only used for backoff, so losing them is harmless. */
  const failures = new Map<string, Map<string, number>>();

  function noteFailures(one: Job, owned: readonly Pod[]): readonly number[] {
    const { uid = '' } = one.metadata;
    const noted = failures.get(uid) ?? new Map<string, number>();
    const failed = owned.filter((other) => hasFailed(other, one));
    for (const other of failed) noted.set(other.metadata.uid ?? '', finishedMs(other));
    if (noted.size > 0) failures.set(uid, noted);
    return [...noted.values()];
  }

  async function reconcile(key: string): Promise<Next> {
    const pending = expectations.pending(key);
    if (pending !== undefined) return pending;
    const one = jobs.get(objectKeyOf(key));
    if (one === undefined || !isOurs(one)) return done;
    const claimed = await claimDependents(
      kube,
      { resource: job, owner: one, selector: one.spec.selector },
      { resource: pod, candidates: candidatesFor(pods, one), finalizer: TRACKING },
    );
    if (claimed === undefined) return done;
    await expectations.carryOut(kube, key, claimed.writes);
    // Adopted objects have changed; they are counted once observed.
    if (claimed.writes.length > 0) return done;
    const { writes, lookAgainMs } = decideJob({
      job: one,
      pods: claimed.owned,
      failuresMs: noteFailures(one, claimed.owned),
      nowMs: env.clock.now(),
      backoffMs: settings.jobBackoffMs,
      backoffLimitMs: settings.jobBackoffLimitMs,
    });
    await expectations.carryOut(kube, key, writes);
    return lookAgainMs === undefined ? done : after(lookAgainMs, 'a deadline or backoff ends');
  }

  return {
    name: 'job',
    workers: 4,
    caches: [jobs, pods],
    watch: (enqueue) => {
      followOwned(pods, { resource: job, cache: jobs, selectorOf: ({ spec }) => spec.selector }, enqueue);
      jobs.onChange(({ before, after: one }) => {
        const isOver = one === undefined || endedMs(one) !== undefined;
        if (isOver) failures.delete((before ?? one)?.metadata.uid ?? '');
      });
    },
    reconcile,
  };
}

/** Removes the tracking finalizer of pods whose Job is deleted or finished. */
export function createJobOrphanController({ kube, caches }: WorkloadContext): Controller {
  const jobs = caches.of(job);
  const pods = caches.of(pod, { indexes });

  async function reconcile(key: string): Promise<Next> {
    const one = pods.get(objectKeyOf(key));
    if (one === undefined || !isTracked(one)) return done;
    const known = ownerOf(one, (place) => jobs.get(place));
    if (known !== undefined && endedMs(known) === undefined) return done;
    // The cache of Jobs may lag behind that of pods.
    const reference = controllerOf(one);
    if (known === undefined && reference?.kind === job.kind) {
      const { namespace = '' } = one.metadata;
      const found = await kube.get(job, { name: reference.name, namespace });
      if (found?.metadata.uid === reference.uid) return done;
    }
    await carryOut(kube, patchMetadata(pod, one, { finalizers: withoutTracking(one) }));
    return done;
  }

  return {
    name: 'job-orphan',
    workers: 2,
    caches: [jobs, pods],
    watch: (enqueue) => {
      const enqueueTracked = (one: Pod | undefined): void => {
        if (one !== undefined && isTracked(one)) enqueue(keyOf(one));
      };
      pods.onChange(({ after: one }) => enqueueTracked(one));
      jobs.onChange(({ before, after: one }) => {
        const isOver = one === undefined || endedMs(one) !== undefined;
        const uid = (before ?? one)?.metadata.uid ?? '';
        if (isOver) for (const owned of pods.by('controller', uid)) enqueueTracked(owned);
      });
    },
    reconcile,
  };
}

function ownerOf(
  { metadata }: AnyObject,
  find: (place: { readonly name: string; readonly namespace: string }) => Job | undefined,
): Job | undefined {
  const reference = controllerOf({ metadata });
  if (reference === undefined || reference.kind !== job.kind) return undefined;
  const found = find({ name: reference.name, namespace: metadata.namespace ?? '' });
  return found?.metadata.uid === reference.uid ? found : undefined;
}
