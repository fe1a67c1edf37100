/**
 * Scale: the replicas of a workload of any kind. Read and written as the subresource `scale`.
 */
import { int32, string, struct } from '../schema/index.ts';
import { defineBody } from './builtin.ts';
import { always, filled } from './fields.ts';

export const scale = defineBody({
  group: 'autoscaling',
  kind: 'Scale',
  description: 'How many pods a workload has.',
  fields: {
    spec: filled(
      struct('autoscaling.ScaleSpec', 'How many are wanted.', { replicas: int32('Their number.') }),
    ),
    status: filled(
      struct('autoscaling.ScaleStatus', 'How many there are.', {
        replicas: always(int32('Their number.')),
        selector: string('The labels by which they are found, in the form that kubectl -l takes.'),
      }),
    ),
  },
});

/** The subresource of workloads that can be scaled. */
export const scaleSubresource = { name: 'scale', verbs: ['get', 'patch', 'update'], takes: scale } as const;
