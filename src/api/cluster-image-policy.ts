/**
 * ClusterImagePolicy: signature requirements for images anywhere in the cluster.
 */

import { defineKind, type ObjectOfKind } from '../kubernetes/meta/index.ts';
import { CONFIG_GROUP } from './groups.ts';
import { imagePolicySpec, imagePolicyStatus } from './image-policy-spec.ts';

export const clusterImagePolicy = defineKind({
  group: CONFIG_GROUP,
  version: 'v1',
  kind: 'ClusterImagePolicy',
  plural: 'clusterimagepolicies',
  description:
    'Signature policy for images anywhere in the cluster. It takes precedence over ImagePolicies for the same scopes and is part of policy.json on every node.',
  spec: imagePolicySpec,
  status: imagePolicyStatus,
});
export type ClusterImagePolicy = ObjectOfKind<typeof clusterImagePolicy>;
