/**
 * The order in which nodes are sent to the target.
 *
 * Zone by zone, in each the oldest node first, nodes without a zone last. Before all of them come nodes that fail to update
 * to an older target: they are broken already, and unless they are sent on, their daemons may drain them again at any time,
 * beyond what the pool allows.
 */

import { labels } from '../api/index.ts';
import { compareBytes } from '../base/json.ts';
import { stringAt } from '../base/json-fields.ts';
import { labelOf, nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';

export type OrderKey = {
  readonly isBroken: boolean;
  readonly zone: string | undefined;
  /** RFC 3339 in UTC as the server writes it, so that the strings compare like times. */
  readonly created: string;
  readonly name: string;
};

export function orderKeyOf(node: Node, { isBroken }: { readonly isBroken: boolean }): OrderKey {
  return {
    isBroken,
    zone: labelOf(node, labels.zone),
    created: stringAt(node, 'metadata', 'creationTimestamp'),
    name: nameOf(node),
  };
}

export function compareForTargeting(a: OrderKey, b: OrderKey): number {
  return (
    Number(b.isBroken) - Number(a.isBroken) ||
    Number(a.zone === undefined) - Number(b.zone === undefined) ||
    compareBytes(a.zone ?? '', b.zone ?? '') ||
    compareBytes(a.created, b.created) ||
    compareBytes(a.name, b.name)
  );
}
