/**
 * What depends on the type of a service: which fields it may have, and what is allocated for it.
 */

import type { JsonObject } from '../../../base/json.ts';
import { objectAt, stringAt, stringsAt, valueAt } from '../../../base/json-fields.ts';

/** Whether it has a cluster IP (or is headless). */
export function hasClusterIp(spec: JsonObject): boolean {
  return ['ClusterIP', 'NodePort', 'LoadBalancer'].includes(stringAt(spec, 'type'));
}

export function isLoadBalancer(spec: JsonObject): boolean {
  return stringAt(spec, 'type') === 'LoadBalancer';
}

export function mayHaveNodePorts(spec: JsonObject): boolean {
  return ['NodePort', 'LoadBalancer'].includes(stringAt(spec, 'type'));
}

/** Whether node ports are allocated for it. */
export function allocatesNodePorts(spec: JsonObject): boolean {
  return mayHaveNodePorts(spec) && valueAt(spec, 'allocateLoadBalancerNodePorts') !== false;
}

/** Whether load balancers probe the nodes for local endpoints. */
export function needsHealthPort(spec: JsonObject): boolean {
  return isLoadBalancer(spec) && stringAt(spec, 'externalTrafficPolicy') === 'Local';
}

/** Whether it is reachable from outside of the cluster through nodes. */
export function isExternallyAccessible(spec: JsonObject): boolean {
  const hasOuterAddress = stringsAt(spec, 'externalIPs').length > 0;
  return mayHaveNodePorts(spec) || (stringAt(spec, 'type') === 'ClusterIP' && hasOuterAddress);
}

export function isHeadless(spec: JsonObject): boolean {
  return stringAt(spec, 'clusterIP') === 'None';
}

/** A headless service without a selector has its endpoints from elsewhere, in any IP family. */
export function isOpenToAnyFamily(spec: JsonObject): boolean {
  return isHeadless(spec) && Object.keys(objectAt(spec, 'selector') ?? {}).length === 0;
}
