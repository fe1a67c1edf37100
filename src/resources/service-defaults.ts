/**
 * What a service says where nobody said it.
 */
import type { JsonObject } from '../json.ts';
import { eachChangedAt, filledWith } from './field-changes.ts';
import { numberAt, textAt, textsAt, valueAt } from './json-fields.ts';
import { without } from './rules.ts';

const AFFINITY_SECONDS = 10_800;

export function serviceSpecWithDefaults(spec: JsonObject): JsonObject {
  const typed = filledWith(spec, { type: 'ClusterIP', sessionAffinity: 'None' });
  return withPolicies(withAffinity(eachChangedAt(typed, 'ports', withTarget)));
}

/** Where a service leads to outside of the cluster, and nodes take part in that. */
export function isExternallyAccessible(spec: JsonObject): boolean {
  const type = textAt(spec, 'type');
  const hasAddresses = (textsAt(spec, 'externalIPs') ?? []).length > 0;
  return type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && hasAddresses);
}

function withTarget(port: JsonObject): JsonObject {
  const target = valueAt(port, 'targetPort');
  const isOpen = target === undefined || target === 0 || target === '';
  const named = filledWith(port, { protocol: 'TCP' });
  return isOpen ? { ...named, targetPort: numberAt(port, 'port') ?? 0 } : named;
}

function withAffinity(spec: JsonObject): JsonObject {
  if (textAt(spec, 'sessionAffinity') === 'None') return without(spec, 'sessionAffinityConfig');
  const seconds = numberAt(spec, 'sessionAffinityConfig', 'clientIP', 'timeoutSeconds');
  if (textAt(spec, 'sessionAffinity') !== 'ClientIP' || seconds !== undefined) return spec;
  return { ...spec, sessionAffinityConfig: { clientIP: { timeoutSeconds: AFFINITY_SECONDS } } };
}

function withPolicies(spec: JsonObject): JsonObject {
  const type = textAt(spec, 'type');
  return filledWith(spec, {
    ...(isExternallyAccessible(spec) ? { externalTrafficPolicy: 'Cluster' } : {}),
    ...(['ClusterIP', 'NodePort', 'LoadBalancer'].includes(type) ? { internalTrafficPolicy: 'Cluster' } : {}),
    ...(type === 'LoadBalancer' ? { allocateLoadBalancerNodePorts: true } : {}),
  });
}
