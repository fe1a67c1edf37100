/**
 * ReplicaSet: a number of identical pods.
 */
import { labelSelector, type ObjectOfKind } from '../meta/index.ts';
import { type Infer, int32, int64, pointer, required, struct } from '../schema/index.ts';
import { defineBuiltin, statusSubresource } from './builtin.ts';
import { legacyCondition } from './conditions.ts';
import { always, filled, keyed, present } from './fields.ts';
import { podTemplate } from './pods/pod-template.ts';
import { scaleSubresource } from './scale.ts';

const spec = struct('apps.ReplicaSetSpec', 'The spec of the set.', {
  replicas: pointer(int32('How many pods; 1 unless given.')),
  selector: required(labelSelector('Labels of its pods; they must be in the template, and cannot change.')),
  template: present(podTemplate),
  minReadySeconds: int32('How long a pod must be ready before it counts as available.'),
});
type ReplicaSetSpec = { readonly [Field in keyof Infer<typeof spec>]: Infer<typeof spec>[Field] };

const status = struct('apps.ReplicaSetStatus', 'The status of the set.', {
  replicas: always(int32('How many pods there are.')),
  fullyLabeledReplicas: int32('How many carry all labels of the template.'),
  readyReplicas: int32('How many are ready.'),
  availableReplicas: int32('How many have been ready for long enough.'),
  terminatingReplicas: pointer(int32('The number of terminating pods.')),
  observedGeneration: int64('The observed generation.'),
  conditions: keyed('The conditions of the set.', legacyCondition('apps.ReplicaSetCondition'), ['type']),
});
export type ReplicaSetStatus = {
  readonly [Field in keyof Infer<typeof status>]: Infer<typeof status>[Field];
};

export const replicaSet = defineBuiltin({
  group: 'apps',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  shortNames: ['rs'],
  categories: ['all'],
  description: 'A number of identical pods.',
  subresources: [statusSubresource, scaleSubresource],
  fields: { spec: present<ReplicaSetSpec>(spec), status: filled<ReplicaSetStatus>(status) },
});
export type ReplicaSet = ObjectOfKind<typeof replicaSet>;
