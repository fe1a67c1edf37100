/**
 * A change of a node as data, and the patch that writes it.
 */
import { optionalStringAt } from '../base/json-fields.ts';
import type { Node } from '../kubernetes/types/index.ts';

export type NodeChange = {
  /** True cordons, false uncordons. */
  readonly unschedulable?: boolean;
  /** `null` removes an annotation. */
  readonly annotations: { readonly [key: string]: string | null };
};

/**
 * A merge patch with the resourceVersion of the node: a decision about one version must not be applied to another.
 */
export function nodePatch(node: Node, { unschedulable, annotations }: NodeChange): object {
  const resourceVersion = optionalStringAt(node.metadata, 'resourceVersion');
  return {
    metadata: { ...(resourceVersion === undefined ? {} : { resourceVersion }), annotations },
    // Schedulable nodes do not have the field.
    ...(unschedulable === undefined ? {} : { spec: { unschedulable: unschedulable ? true : null } }),
  };
}
