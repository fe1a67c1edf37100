/**
 * Job: pods that run to completion.
 */
import { labelSelector, type ObjectOfKind } from '../meta/index.ts';
import {
  boolean,
  dateTime,
  type Infer,
  int32,
  int64,
  list,
  named,
  oneOf,
  pointer,
  string,
  struct,
} from '../schema/index.ts';
import { defineBuiltin, statusSubresource } from './builtin.ts';
import { conditionFields } from './conditions.ts';
import { always, filled, items, nullableTime, patched, present } from './fields.ts';
import { podFailurePolicy, successPolicy } from './job-policies.ts';
import { podTemplate } from './pods/pod-template.ts';
import { metadataFields, selectable } from './selectable-fields.ts';

const spec = struct('batch.JobSpec', 'The spec of the job.', {
  template: always(podTemplate),
  parallelism: pointer(int32('How many pods may run at once; 1 unless given.')),
  completions: pointer(int32('How many must succeed.')),
  completionMode: pointer(
    named(
      'batch.CompletionMode',
      oneOf('Whether each success has a number of its own; NonIndexed unless given.', [
        'Indexed',
        'NonIndexed',
      ]),
    ),
  ),
  backoffLimit: pointer(int32('How many failures end the job; 6 unless given.')),
  backoffLimitPerIndex: pointer(int32('How many failures end one index.')),
  maxFailedIndexes: pointer(int32('How many failed indexes end the job.')),
  activeDeadlineSeconds: pointer(int64('How long it may take.')),
  ttlSecondsAfterFinished: pointer(int32('How long it is kept once it has ended; for ever unless given.')),
  suspend: pointer(boolean('Whether it waits, without pods.')),
  podFailurePolicy,
  successPolicy,
  podReplacementPolicy: pointer(
    named('batch.PodReplacementPolicy', oneOf('When a pod is replaced.', ['Failed', 'TerminatingOrFailed'])),
  ),
  selector: labelSelector('Labels of its pods; made by the server.'),
  manualSelector: pointer(boolean('Whether the selector was made by hand.')),
  managedBy: pointer(string('The controller that looks after it; the usual one unless given.')),
});
type JobSpec = { readonly [Field in keyof Infer<typeof spec>]: Infer<typeof spec>[Field] };

const podUids = (description: string) =>
  list(description, named('types.UID', string('The identity of a pod.')), { list: 'set' });

const status = struct('batch.JobStatus', 'The status of the job.', {
  active: int32('How many pods run or are about to.'),
  ready: pointer(int32('How many of them are ready.')),
  succeeded: int32('How many have succeeded.'),
  failed: int32('How many have failed.'),
  terminating: pointer(int32('The number of terminating pods.')),
  startTime: dateTime('When it began.'),
  completionTime: dateTime('When it succeeded.'),
  completedIndexes: string('Indexes that have succeeded, such as 1,3-5.'),
  failedIndexes: pointer(string('Indexes that have failed, such as 1,3-5.')),
  uncountedTerminatedPods: struct(
    'batch.UncountedTerminatedPods',
    'Pods that have ended and are not in the counts yet.',
    {
      succeeded: podUids('Those that succeeded.'),
      failed: podUids('Those that failed.'),
    },
  ),
  conditions: patched(
    items(
      'The conditions of the job.',
      struct('batch.JobCondition', 'One aspect of its state.', {
        ...conditionFields('batch.JobCondition'),
        lastProbeTime: nullableTime('When it was last looked at.'),
      }),
    ),
    { key: 'type', strategy: 'merge' },
  ),
});
export type JobStatus = { readonly [Field in keyof Infer<typeof status>]: Infer<typeof status>[Field] };

export const job = defineBuiltin({
  group: 'batch',
  kind: 'Job',
  plural: 'jobs',
  categories: ['all'],
  description: 'Pods that run until their work is done.',
  subresources: [statusSubresource],
  selectableFields: [
    ...metadataFields,
    selectable('status.successful', { places: [['status', 'succeeded']], absent: '0' }),
  ],
  fields: { spec: present<JobSpec>(spec), status: filled<JobStatus>(status) },
});
export type Job = ObjectOfKind<typeof job>;
