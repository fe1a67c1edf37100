/**
 * Defaults of services.
 */

import type { JsonObject } from '../../../base/json.ts';
import { numberAt, optionalNumberAt, stringAt, valueAt } from '../../../base/json-fields.ts';
import { withChangedItems, withDefaults, without } from '../object-edits.ts';
import { hasClusterIp, isExternallyAccessible, isLoadBalancer } from './service-types.ts';

const AFFINITY_SECONDS = 10_800;

export function serviceSpecWithDefaults(spec: JsonObject): JsonObject {
  const typed = withDefaults(spec, { type: 'ClusterIP', sessionAffinity: 'None' });
  return withPolicies(withAffinity(withChangedItems(typed, 'ports', withTarget)));
}

function withTarget(port: JsonObject): JsonObject {
  const target = valueAt(port, 'targetPort');
  const isOpen = target === undefined || target === 0 || target === '';
  const named = withDefaults(port, { protocol: 'TCP' });
  return isOpen ? { ...named, targetPort: numberAt(port, 'port') } : named;
}

function withAffinity(spec: JsonObject): JsonObject {
  if (stringAt(spec, 'sessionAffinity') === 'None') return without(spec, 'sessionAffinityConfig');
  const seconds = optionalNumberAt(spec, 'sessionAffinityConfig', 'clientIP', 'timeoutSeconds');
  if (stringAt(spec, 'sessionAffinity') !== 'ClientIP' || seconds !== undefined) return spec;
  return { ...spec, sessionAffinityConfig: { clientIP: { timeoutSeconds: AFFINITY_SECONDS } } };
}

function withPolicies(spec: JsonObject): JsonObject {
  return withDefaults(spec, {
    ...(isExternallyAccessible(spec) ? { externalTrafficPolicy: 'Cluster' } : {}),
    ...(hasClusterIp(spec) ? { internalTrafficPolicy: 'Cluster' } : {}),
    ...(isLoadBalancer(spec) ? { allocateLoadBalancerNodePorts: true } : {}),
  });
}
