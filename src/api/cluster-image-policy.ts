/**
 * ClusterImagePolicy: by whom images must be signed, anywhere in the cluster.
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
    'By whom images must be signed, anywhere in the cluster. It wins over ImagePolicies for the same images and becomes part of the signature policy of every node.',
  spec: imagePolicySpec,
  status: imagePolicyStatus,
});
export type ClusterImagePolicy = ObjectOfKind<typeof clusterImagePolicy>;
