/**
 * Creates pods from a template.
 */

import type { AnyObject } from '../../../kubernetes/client/index.ts';
import type { OwnerReference } from '../../../kubernetes/meta/index.ts';
import type { Pod, PodTemplateSpec } from '../../../kubernetes/types/index.ts';

/** With generateName. */
export function podFromTemplate(
  owner: AnyObject,
  { metadata = {}, spec }: PodTemplateSpec,
  reference: OwnerReference,
): Pod {
  const { labels, annotations, finalizers } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: '',
      generateName: `${owner.metadata.name}-`,
      ...(owner.metadata.namespace === undefined ? {} : { namespace: owner.metadata.namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [reference],
    },
    spec,
  };
}
