/**
 * What becomes of allocations when a service changes: kept where they are still needed, dropped where not.
 */
import { type Json, type JsonObject, jsonEqual } from '../json.ts';
import { eachChangedAt } from './field-changes.ts';
import { itemsAt, numberAt, textAt, valueAt } from './json-fields.ts';
import { without } from './rules.ts';
import { isExternallyAccessible } from './service-defaults.ts';

/** Whoever leaves an address or port out of an update means to keep it. */
export function withKeptAllocations(spec: JsonObject, old: JsonObject): JsonObject {
  const addressed = hasAddress(spec) && hasAddress(old) ? withKeptAddress(spec, old) : spec;
  const ported = hasNodePorts(spec) && hasNodePorts(old) ? withKeptPorts(addressed, old) : addressed;
  const health = numberAt(old, 'healthCheckNodePort');
  const keepsHealth = needsHealthPort(spec) && needsHealthPort(old) && health !== undefined;
  return keepsHealth && numberAt(spec, 'healthCheckNodePort') === undefined
    ? { ...ported, healthCheckNodePort: health }
    : ported;
}

/** Fields that the type no longer has any use for, unless they were changed on purpose. */
export function withoutUnusedFields(spec: JsonObject, old: JsonObject): JsonObject {
  const dropped = [
    ...(hasAddress(old) && !hasAddress(spec)
      ? ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy']
      : []),
    ...(needsHealthPort(old) && !needsHealthPort(spec) ? ['healthCheckNodePort'] : []),
    ...(isExternallyAccessible(old) && !isExternallyAccessible(spec) ? ['externalTrafficPolicy'] : []),
    ...(isBalanced(old) && !isBalanced(spec) ? ['allocateLoadBalancerNodePorts', 'loadBalancerClass'] : []),
  ].filter((field) => jsonEqual(valueAt(spec, field), valueAt(old, field)));
  const kept = without(spec, ...dropped);
  return hasNodePorts(old) && !hasNodePorts(spec) ? withoutOldPorts(kept, old) : kept;
}

function hasAddress(spec: JsonObject): boolean {
  return ['ClusterIP', 'NodePort', 'LoadBalancer'].includes(textAt(spec, 'type'));
}

function hasNodePorts(spec: JsonObject): boolean {
  return ['NodePort', 'LoadBalancer'].includes(textAt(spec, 'type'));
}

function isBalanced(spec: JsonObject): boolean {
  return textAt(spec, 'type') === 'LoadBalancer';
}

function needsHealthPort(spec: JsonObject): boolean {
  return isBalanced(spec) && textAt(spec, 'externalTrafficPolicy') === 'Local';
}

/** The list follows the single address where only that was changed. */
function withKeptAddress(spec: JsonObject, old: JsonObject): JsonObject {
  const [address, before] = [textAt(spec, 'clusterIP'), textAt(old, 'clusterIP')];
  const list = valueAt(spec, 'clusterIPs');
  const isSameList = jsonEqual(list, valueAt(old, 'clusterIPs'));
  if (address === '' && (list === undefined || isSameList)) {
    return before === '' ? spec : { ...spec, clusterIP: before, ...listOf(old) };
  }
  if (list === undefined) return address === before ? { ...spec, ...listOf(old) } : spec;
  return address !== before && isSameList ? { ...spec, clusterIPs: [address] } : spec;
}

function listOf(old: JsonObject): JsonObject {
  const list = valueAt(old, 'clusterIPs');
  return list === undefined ? {} : { clusterIPs: list };
}

function withKeptPorts(spec: JsonObject, old: JsonObject): JsonObject {
  const before = new Map(
    itemsAt(old, 'ports').map((port): [string, Json | undefined] => [
      placeOf(port),
      valueAt(port, 'nodePort'),
    ]),
  );
  return eachChangedAt(spec, 'ports', (port) => {
    const kept = before.get(placeOf(port));
    const isOpen = (numberAt(port, 'nodePort') ?? 0) === 0;
    return isOpen && kept !== undefined ? { ...port, nodePort: kept } : port;
  });
}

function withoutOldPorts(spec: JsonObject, old: JsonObject): JsonObject {
  const before = itemsAt(old, 'ports').map((port) => numberAt(port, 'nodePort') ?? 0);
  const now = itemsAt(spec, 'ports').map((port) => numberAt(port, 'nodePort') ?? 0);
  const isUnchanged = now.every((port) => port === 0 || before.includes(port));
  return isUnchanged ? eachChangedAt(spec, 'ports', (port) => without(port, 'nodePort')) : spec;
}

function placeOf(port: JsonObject): string {
  return `${textAt(port, 'protocol')}/${numberAt(port, 'port') ?? 0}`;
}
