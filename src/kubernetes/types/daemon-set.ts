/**
 * DaemonSet: one pod on every node, or on selected ones.
 */
import { labelSelector, type ObjectOfKind } from '../meta/index.ts';
import {
  type Infer,
  int32,
  int64,
  intOrString,
  named,
  oneOf,
  pointer,
  required,
  struct,
} from '../schema/index.ts';
import { defineBuiltin, statusSubresource } from './builtin.ts';
import { legacyCondition } from './conditions.ts';
import { always, filled, keyed, present } from './fields.ts';
import { podTemplate } from './pods/pod-template.ts';

const updateStrategy = struct('apps.DaemonSetUpdateStrategy', 'How pods are replaced.', {
  type: named(
    'apps.DaemonSetUpdateStrategyType',
    oneOf('OnDelete waits until pods are deleted; RollingUpdate unless given.', [
      'OnDelete',
      'RollingUpdate',
    ]),
  ),
  rollingUpdate: struct('apps.RollingUpdateDaemonSet', 'How large the steps are.', {
    maxUnavailable: pointer(
      intOrString('On how many nodes the pod may be missing meanwhile; 1 unless given.'),
    ),
    maxSurge: pointer(intOrString('On how many nodes there may be two meanwhile; 0 unless given.')),
  }),
});

const spec = struct('apps.DaemonSetSpec', 'The spec of the set.', {
  selector: required(labelSelector('Labels of its pods; they must be in the template, and cannot change.')),
  template: always(podTemplate),
  updateStrategy: filled(updateStrategy),
  minReadySeconds: int32('How long a pod must be ready before it counts as available.'),
  revisionHistoryLimit: pointer(int32('How many old templates are kept; 10 unless given.')),
});
type DaemonSetSpec = { readonly [Field in keyof Infer<typeof spec>]: Infer<typeof spec>[Field] };

const status = struct('apps.DaemonSetStatus', 'The status of the set.', {
  desiredNumberScheduled: always(int32('How many nodes are to have the pod.')),
  currentNumberScheduled: always(int32('How many of them have it.')),
  numberMisscheduled: always(int32('How many others have it.')),
  numberReady: always(int32('On how many it is ready.')),
  numberAvailable: int32('On how many it has been ready for long enough.'),
  numberUnavailable: int32('On how many it has not.'),
  updatedNumberScheduled: int32('How many have it with the present template.'),
  observedGeneration: int64('The observed generation.'),
  collisionCount: pointer(int32('How often the name of a ControllerRevision was taken.')),
  conditions: keyed('The conditions of the set.', legacyCondition('apps.DaemonSetCondition'), ['type']),
});
export type DaemonSetStatus = { readonly [Field in keyof Infer<typeof status>]: Infer<typeof status>[Field] };

export const daemonSet = defineBuiltin({
  group: 'apps',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  shortNames: ['ds'],
  categories: ['all'],
  description: 'One pod on every node, or on those that are chosen.',
  subresources: [statusSubresource],
  fields: { spec: present<DaemonSetSpec>(spec), status: filled<DaemonSetStatus>(status) },
});
export type DaemonSet = ObjectOfKind<typeof daemonSet>;
