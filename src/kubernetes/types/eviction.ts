/**
 * Eviction: asks a pod to go, if its disruption budgets allow. Sent to `pods/eviction`.
 */
import { described } from '../schema/index.ts';
import { defineBody } from './builtin.ts';
import { deleteOptions } from './delete-options.ts';

export const eviction = defineBody({
  group: 'policy',
  kind: 'Eviction',
  description: 'Asks a pod to go, if its disruption budgets allow.',
  fields: { deleteOptions: described('How to delete the pod.', deleteOptions) },
});
