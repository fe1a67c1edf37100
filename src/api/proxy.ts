/**
 * Proxy: the proxy of the cluster, and the CAs that its connections are verified with. The kind is OpenShift's: we read the object
 * `cluster` where it exists and generate no CRD for it.
 */

import { defineKind, type ObjectOfKind } from '../kubernetes/meta/index.ts';
import { openObject, string } from '../kubernetes/schema/index.ts';
import { CONFIG_GROUP } from './groups.ts';

export const proxy = defineKind({
  group: CONFIG_GROUP,
  version: 'v1',
  kind: 'Proxy',
  plural: 'proxies',
  description: 'Proxy of the cluster.',
  spec: openObject('Desired settings.', {
    trustedCA: openObject('ConfigMap in the namespace openshift-config with CAs that nodes trust.', {
      name: string('Name of the ConfigMap; may be empty.'),
    }),
  }),
});
export type ClusterProxy = ObjectOfKind<typeof proxy>;
