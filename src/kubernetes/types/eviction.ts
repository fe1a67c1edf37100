/**
 * Eviction: evicts a pod if its disruption budgets allow. Created as the subresource `pods/eviction`.
 */
import { described } from '../schema/index.ts';
import { defineBody } from './builtin.ts';
import { deleteOptions } from './delete-options.ts';

export const eviction = defineBody({
  group: 'policy',
  kind: 'Eviction',
  description: 'Evicts a pod, if its disruption budgets allow.',
  fields: { deleteOptions: described('How to delete the pod.', deleteOptions) },
});
