/**
 * Binding: assigns a pod to a node. Schedulers create it as the subresource `pods/binding`.
 */
import { objectReference } from '../meta/index.ts';
import { defineReview } from './builtin.ts';
import { always } from './fields.ts';

export const binding = defineReview({
  group: '',
  kind: 'Binding',
  plural: 'bindings',
  description: 'Puts a pod on a node.',
  fields: { target: always(objectReference('The node.')) },
});
