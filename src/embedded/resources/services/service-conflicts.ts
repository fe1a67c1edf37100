/**
 * Conflicts of a service with the allocations of others: cluster IPs and node ports must be free, in range and of a
 * supported family. kube-apiserver reports only the first problem.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { numberAt, objectAt, objectsAt, optionalStringsAt, stringAt } from '../../../base/json-fields.ts';
import { goStrings } from '../decoding/go-format.ts';
import { invalid } from '../field-problems.ts';
import { metadataOf } from '../object-edits.ts';
import {
  allocationsOf,
  FIRST_NODE_PORT,
  LAST_NODE_PORT,
  nodePortOf,
  nodePortsOf,
  offsetOf,
} from './service-allocation.ts';
import { clusterFieldProblems } from './service-cluster-fields.ts';
import { ipFamilyProblems } from './service-ip-families.ts';
import { hasClusterIp, mayHaveNodePorts, needsHealthPort } from './service-types.ts';

export function allocationConflicts(
  object: JsonObject,
  old: JsonObject | undefined,
  others: Iterable<JsonObject>,
): readonly Problem[] {
  const spec = objectAt(object, 'spec') ?? {};
  if (stringAt(spec, 'type') === 'ExternalName') return [];
  const oldSpec = old === undefined ? undefined : (objectAt(old, 'spec') ?? {});
  const fields = clusterFieldProblems(spec);
  if (fields.length > 0) return fields;
  const families = ipFamilyProblems(spec, oldSpec);
  if (families.length > 0) return families;
  const { offsets, ports } = allocationsOf(old === undefined ? others : othersThan(old, others));
  const conflicts = [
    ...clusterIpConflicts(spec, oldSpec, offsets),
    ...(mayHaveNodePorts(spec) ? nodePortConflicts(spec, oldSpec, ports) : []),
  ];
  return conflicts.slice(0, 1);
}

function* othersThan(old: JsonObject, services: Iterable<JsonObject>): Iterable<JsonObject> {
  const { name, namespace } = metadataOf(old);
  for (const service of services) {
    const metadata = metadataOf(service);
    if (metadata.name !== name || metadata.namespace !== namespace) yield service;
  }
}

const TAKEN_ADDRESS = 'provided IP is already allocated';
const OUTSIDE = 'the provided network does not match the current range';

/** An address that the service already has is not allocated again; that it is immutable is validated elsewhere. */
function clusterIpConflicts(
  spec: JsonObject,
  old: JsonObject | undefined,
  taken: ReadonlySet<number>,
): readonly Problem[] {
  const address = stringAt(spec, 'clusterIP');
  if (address === '' || address === 'None' || (old !== undefined && hasClusterIp(old))) return [];
  const offset = offsetOf(address);
  if (offset !== undefined && !taken.has(offset)) return [];
  const detail = `failed to allocate IP ${address}: ${offset === undefined ? OUTSIDE : TAKEN_ADDRESS}`;
  return [invalid('spec.clusterIPs', goStrings(optionalStringsAt(spec, 'clusterIPs')), detail)];
}

const TAKEN_PORT = 'provided port is already allocated';
const NO_NODE_PORT = `provided port is not in the valid range. The range of valid ports is ${FIRST_NODE_PORT}-${LAST_NODE_PORT}`;

function nodePortConflicts(
  spec: JsonObject,
  old: JsonObject | undefined,
  takenByOthers: ReadonlySet<number>,
): readonly Problem[] {
  const held = old !== undefined && mayHaveNodePorts(old) ? nodePortsOf(old) : [];
  const oldHealth = old !== undefined && needsHealthPort(old) ? healthPortOf(old) : 0;
  const taken = new Set([...takenByOthers, oldHealth]);
  const conflict = (path: string, port: number): readonly Problem[] => {
    const isPort = port >= FIRST_NODE_PORT && port <= LAST_NODE_PORT;
    if (isPort && !taken.has(port)) return [];
    return [invalid(path, String(port), isPort ? TAKEN_PORT : NO_NODE_PORT)];
  };
  const shared = old === undefined ? sharedOnCreate() : sharedOnUpdate(held);
  const problems = objectsAt(spec, 'ports').flatMap((port, index) => {
    const nodePort = nodePortOf(port);
    if (nodePort === 0 || shared(port)) return [];
    const found = conflict(`spec.ports[${index}].nodePort`, nodePort);
    taken.add(nodePort);
    return found;
  });
  for (const port of held) taken.add(port);
  const asksForHealth = needsHealthPort(spec) && oldHealth === 0 && healthPortOf(spec) !== 0;
  return asksForHealth
    ? [...problems, ...conflict('spec.healthCheckNodePort', healthPortOf(spec))]
    : problems;
}

function healthPortOf(spec: JsonObject): number {
  return numberAt(spec, 'healthCheckNodePort');
}

type IsShared = (port: JsonObject) => boolean;

/** In a new service, ports with the same number may share a node port. */
function sharedOnCreate(): IsShared {
  const byPort = new Map<number, number>();
  return (port) => {
    const [number, nodePort] = [numberAt(port, 'port'), nodePortOf(port)];
    const first = byPort.get(number);
    if (first === undefined) byPort.set(number, nodePort);
    return first === nodePort;
  };
}

/** On update, ports with different protocols may share a node port, and the service keeps its own. */
function sharedOnUpdate(held: readonly number[]): IsShared {
  const known = new Set(held);
  const seen = new Set<string>();
  return (port) => {
    const nodePort = nodePortOf(port);
    const location = `${stringAt(port, 'protocol')}/${nodePort}`;
    const isShared = known.has(nodePort) && !seen.has(location);
    known.add(nodePort);
    seen.add(location);
    return isShared;
  };
}
