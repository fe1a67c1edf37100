/**
 * Deployment: pods that are replaced in a rolling update when their template changes.
 */
import { labelSelector, type ObjectOfKind } from '../meta/index.ts';
import {
  boolean,
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
import { conditionFields } from './conditions.ts';
import { always, filled, keyed, nullableTime, patched, present } from './fields.ts';
import { podTemplate } from './pods/pod-template.ts';
import { scaleSubresource } from './scale.ts';

const strategy = struct('apps.DeploymentStrategy', 'How pods are replaced.', {
  type: named(
    'apps.DeploymentStrategyType',
    oneOf('All at once, or step by step; RollingUpdate unless given.', ['Recreate', 'RollingUpdate']),
  ),
  rollingUpdate: struct('apps.RollingUpdateDeployment', 'How large the steps are.', {
    maxUnavailable: pointer(intOrString('How many may be missing meanwhile; 25% unless given.')),
    maxSurge: pointer(intOrString('How many may be too many meanwhile; 25% unless given.')),
  }),
});

const spec = struct('apps.DeploymentSpec', 'The spec of the deployment.', {
  replicas: pointer(int32('How many pods; 1 unless given.')),
  selector: required(labelSelector('Labels of its pods; they must be in the template, and cannot change.')),
  template: always(podTemplate),
  strategy: patched(filled(strategy), { strategy: 'retainKeys' }),
  minReadySeconds: int32('How long a pod must be ready before it counts as available.'),
  revisionHistoryLimit: pointer(int32('How many old ReplicaSets are kept; 10 unless given.')),
  progressDeadlineSeconds: pointer(
    int32('The seconds without progress after which the deployment counts as failed; 600 unless given.'),
  ),
  paused: boolean('Whether changes of the template wait.'),
});
type DeploymentSpec = { readonly [Field in keyof Infer<typeof spec>]: Infer<typeof spec>[Field] };

const status = struct('apps.DeploymentStatus', 'The status of the deployment.', {
  observedGeneration: int64('The observed generation.'),
  replicas: int32('How many pods there are.'),
  updatedReplicas: int32('How many have the present template.'),
  readyReplicas: int32('How many are ready.'),
  availableReplicas: int32('How many have been ready for long enough.'),
  unavailableReplicas: int32('How many are still missing.'),
  terminatingReplicas: pointer(int32('The number of terminating pods.')),
  collisionCount: pointer(int32('How often the name of a ReplicaSet was taken.')),
  conditions: keyed(
    'The conditions of the deployment.',
    struct('apps.DeploymentCondition', 'One aspect of its state.', {
      ...conditionFields('apps.DeploymentCondition'),
      lastUpdateTime: nullableTime('When it was last reported.'),
    }),
    ['type'],
  ),
});
export type DeploymentStatus = {
  readonly [Field in keyof Infer<typeof status>]: Infer<typeof status>[Field];
};

export const deployment = defineBuiltin({
  group: 'apps',
  kind: 'Deployment',
  plural: 'deployments',
  shortNames: ['deploy'],
  categories: ['all'],
  description: 'Pods that are replaced in a rolling update when their template changes.',
  subresources: [statusSubresource, scaleSubresource],
  fields: { spec: present<DeploymentSpec>(spec), status: filled<DeploymentStatus>(status) },
});
export type Deployment = ObjectOfKind<typeof deployment>;
