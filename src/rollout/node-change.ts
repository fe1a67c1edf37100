/**
 * What a decision wants written on a node, as data, and the patch that writes it.
 */
import { optionalStringAt } from '../base/json-fields.ts';
import type { Node } from '../kubernetes/types/index.ts';

export type NodeChange = {
  /** True cordons, false uncordons. */
  readonly unschedulable?: boolean;
  /** `null` takes an annotation away. */
  readonly annotations: { readonly [key: string]: string | null };
};

/**
 * A merge patch that the server refuses where the node has changed since it was seen: a decision about one state of a
 * node must not be carried out on another.
 */
export function nodePatch(node: Node, { unschedulable, annotations }: NodeChange): object {
  const resourceVersion = optionalStringAt(node.metadata, 'resourceVersion');
  return {
    metadata: { ...(resourceVersion === undefined ? {} : { resourceVersion }), annotations },
    // A node that takes work does not carry the field.
    ...(unschedulable === undefined ? {} : { spec: { unschedulable: unschedulable ? true : null } }),
  };
}
