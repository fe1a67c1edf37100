/**
 * What follows from the type of a service: what it can have, and what the server gives to it.
 */

import type { JsonObject } from '../../../base/json.ts';
import { objectAt, stringAt, stringsAt, valueAt } from '../../../base/json-fields.ts';

/** Whether it can be reached by an address of its own. */
export function hasAddress(spec: JsonObject): boolean {
  return ['ClusterIP', 'NodePort', 'LoadBalancer'].includes(stringAt(spec, 'type'));
}

export function isBalanced(spec: JsonObject): boolean {
  return stringAt(spec, 'type') === 'LoadBalancer';
}

export function mayHaveNodePorts(spec: JsonObject): boolean {
  return ['NodePort', 'LoadBalancer'].includes(stringAt(spec, 'type'));
}

/** Whether ports of the nodes are given to it though it names none. */
export function wantsNodePorts(spec: JsonObject): boolean {
  return mayHaveNodePorts(spec) && valueAt(spec, 'allocateLoadBalancerNodePorts') !== false;
}

/** Whether a balancer has to ask the nodes which of them take part. */
export function needsHealthPort(spec: JsonObject): boolean {
  return isBalanced(spec) && stringAt(spec, 'externalTrafficPolicy') === 'Local';
}

/** Where a service leads to outside of the cluster, and nodes take part in that. */
export function isExternallyAccessible(spec: JsonObject): boolean {
  const hasOuterAddress = stringsAt(spec, 'externalIPs').length > 0;
  return mayHaveNodePorts(spec) || (stringAt(spec, 'type') === 'ClusterIP' && hasOuterAddress);
}

/** Nobody stands in front of its pods. */
export function isHeadless(spec: JsonObject): boolean {
  return stringAt(spec, 'clusterIP') === 'None';
}

/** Without address and selector anyone may say who belongs to it, in any family of addresses. */
export function isOpenToAnyFamily(spec: JsonObject): boolean {
  return isHeadless(spec) && Object.keys(objectAt(spec, 'selector') ?? {}).length === 0;
}
