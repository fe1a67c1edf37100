/**
 * ImagePolicy: signature requirements for the images of pods in one namespace.
 */

import { defineKind, type ObjectOfKind } from '../kubernetes/meta/index.ts';
import { CONFIG_GROUP } from './groups.ts';
import { imagePolicySpec, imagePolicyStatus } from './image-policy-spec.ts';

export const imagePolicy = defineKind({
  group: CONFIG_GROUP,
  version: 'v1',
  kind: 'ImagePolicy',
  plural: 'imagepolicies',
  scope: 'Namespaced',
  description:
    'Signature policy for images of the pods in this namespace. Scopes that a ClusterImagePolicy covers are ignored.',
  spec: imagePolicySpec,
  status: imagePolicyStatus,
});
export type ImagePolicy = ObjectOfKind<typeof imagePolicy>;
