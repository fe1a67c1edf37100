/**
 * What a service says where nobody said it.
 */

import type { JsonObject } from '../../../base/json.ts';
import { numberAt, optionalNumberAt, stringAt, valueAt } from '../../../base/json-fields.ts';
import { eachChangedAt, filledWith } from '../field-changes.ts';
import { without } from '../rules.ts';
import { hasAddress, isBalanced, isExternallyAccessible } from './service-types.ts';

const AFFINITY_SECONDS = 10_800;

export function serviceSpecWithDefaults(spec: JsonObject): JsonObject {
  const typed = filledWith(spec, { type: 'ClusterIP', sessionAffinity: 'None' });
  return withPolicies(withAffinity(eachChangedAt(typed, 'ports', withTarget)));
}

function withTarget(port: JsonObject): JsonObject {
  const target = valueAt(port, 'targetPort');
  const isOpen = target === undefined || target === 0 || target === '';
  const named = filledWith(port, { protocol: 'TCP' });
  return isOpen ? { ...named, targetPort: numberAt(port, 'port') } : named;
}

function withAffinity(spec: JsonObject): JsonObject {
  if (stringAt(spec, 'sessionAffinity') === 'None') return without(spec, 'sessionAffinityConfig');
  const seconds = optionalNumberAt(spec, 'sessionAffinityConfig', 'clientIP', 'timeoutSeconds');
  if (stringAt(spec, 'sessionAffinity') !== 'ClientIP' || seconds !== undefined) return spec;
  return { ...spec, sessionAffinityConfig: { clientIP: { timeoutSeconds: AFFINITY_SECONDS } } };
}

function withPolicies(spec: JsonObject): JsonObject {
  return filledWith(spec, {
    ...(isExternallyAccessible(spec) ? { externalTrafficPolicy: 'Cluster' } : {}),
    ...(hasAddress(spec) ? { internalTrafficPolicy: 'Cluster' } : {}),
    ...(isBalanced(spec) ? { allocateLoadBalancerNodePorts: true } : {}),
  });
}
