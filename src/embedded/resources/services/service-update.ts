/**
 * Allocations on update of a service: kept while the type needs them, dropped otherwise.
 */

import { type JsonObject, jsonEqual } from '../../../base/json.ts';
import { objectsAt, optionalNumberAt, stringAt, valueAt } from '../../../base/json-fields.ts';
import { withChangedItems, withDefaults, without } from '../object-edits.ts';
import { nodePortOf, nodePortsOf } from './service-allocation.ts';
import {
  allocatesNodePorts,
  hasClusterIp,
  isExternallyAccessible,
  isLoadBalancer,
  mayHaveNodePorts,
  needsHealthPort,
} from './service-types.ts';

/** Addresses and ports that an update omits are kept. */
export function withKeptAllocations(spec: JsonObject, old: JsonObject): JsonObject {
  const addressed = hasClusterIp(spec) && hasClusterIp(old) ? withKeptClusterIp(spec, old) : spec;
  const ported =
    allocatesNodePorts(spec) && mayHaveNodePorts(old) ? withKeptPorts(addressed, old) : addressed;
  const health = optionalNumberAt(old, 'healthCheckNodePort');
  const keepsHealth = needsHealthPort(spec) && needsHealthPort(old) && health !== undefined;
  return keepsHealth && optionalNumberAt(spec, 'healthCheckNodePort') === undefined
    ? { ...ported, healthCheckNodePort: health }
    : ported;
}

/** Drops fields that the new type does not use, unless the update changes them. */
export function withoutUnusedFields(spec: JsonObject, old: JsonObject): JsonObject {
  const dropped = [
    ...(hasClusterIp(old) && !hasClusterIp(spec)
      ? ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy']
      : []),
    ...(needsHealthPort(old) && !needsHealthPort(spec) ? ['healthCheckNodePort'] : []),
    ...(isExternallyAccessible(old) && !isExternallyAccessible(spec) ? ['externalTrafficPolicy'] : []),
    ...(isLoadBalancer(old) && !isLoadBalancer(spec)
      ? ['allocateLoadBalancerNodePorts', 'loadBalancerClass']
      : []),
  ].filter((field) => jsonEqual(valueAt(spec, field), valueAt(old, field)));
  const kept = without(spec, ...dropped);
  return mayHaveNodePorts(old) && !mayHaveNodePorts(spec) ? withoutOldPorts(kept, old) : kept;
}

/** `clusterIPs` follows `clusterIP` if only that was changed. The policy is kept unless the update sets it. */
function withKeptClusterIp(spec: JsonObject, old: JsonObject): JsonObject {
  const policy = valueAt(old, 'ipFamilyPolicy');
  const settled = policy === undefined ? spec : withDefaults(spec, { ipFamilyPolicy: policy });
  const [address, before] = [stringAt(spec, 'clusterIP'), stringAt(old, 'clusterIP')];
  const list = valueAt(spec, 'clusterIPs');
  if (address === '' && before !== '') {
    return { ...settled, clusterIP: before, ...(list === undefined && listOf(old)) };
  }
  if (list === undefined) return address === before ? { ...settled, ...listOf(old) } : settled;
  const isSameList = jsonEqual(list, valueAt(old, 'clusterIPs'));
  return address !== before && isSameList ? { ...settled, clusterIPs: [address] } : settled;
}

function listOf(old: JsonObject): JsonObject {
  const list = valueAt(old, 'clusterIPs');
  return list === undefined ? {} : { clusterIPs: list };
}

/** Ports are matched by name. */
function withKeptPorts(spec: JsonObject, old: JsonObject): JsonObject {
  const before = new Map(objectsAt(old, 'ports').map((port) => [stringAt(port, 'name'), nodePortOf(port)]));
  const used = new Set(nodePortsOf(spec));
  return withChangedItems(spec, 'ports', (port) => {
    const kept = before.get(stringAt(port, 'name')) ?? 0;
    if (nodePortOf(port) !== 0 || kept === 0 || used.has(kept)) return port;
    used.add(kept);
    return { ...port, nodePort: kept };
  });
}

/** Node ports are dropped with the type, unless the update sets others. */
function withoutOldPorts(spec: JsonObject, old: JsonObject): JsonObject {
  const before = nodePortsOf(old);
  const isUnchanged = nodePortsOf(spec).every((port) => port === 0 || before.includes(port));
  return isUnchanged ? withChangedItems(spec, 'ports', (port) => without(port, 'nodePort')) : spec;
}
