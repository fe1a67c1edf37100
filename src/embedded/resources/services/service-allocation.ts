/**
 * Allocation of cluster IPs and node ports for services.
 */

import type { JsonObject } from '../../../base/json.ts';
import {
  numberAt,
  objectAt,
  objectsAt,
  optionalStringsAt,
  stringAt,
  stringsAt,
} from '../../../base/json-fields.ts';
import { isMapped, parseSloppyAddress } from '../../../base/text/index.ts';
import { withChangedItems } from '../object-edits.ts';
import type { WriteContext } from '../strategy.ts';
import { allocatesNodePorts, mayHaveNodePorts, needsHealthPort } from './service-types.ts';

/** 10.96.0.0/16 without its network and broadcast addresses. */
const NETWORK = [10, 96];
const LAST_OFFSET = 65_534;
/** The first 256 addresses are reserved for static allocation, as in kube-apiserver. */
const FIRST_GIVEN_OFFSET = 256;
export const FIRST_NODE_PORT = 30_000;
export const LAST_NODE_PORT = 32_767;

/** Allocates a cluster IP if the service needs one. */
export function withClusterIp(spec: JsonObject, context: WriteContext): JsonObject {
  if (stringAt(spec, 'type') === 'ExternalName') return spec;
  const wanted = stringAt(spec, 'clusterIP');
  const given = optionalStringsAt(spec, 'clusterIPs');
  if (wanted !== '') return given === undefined ? { ...spec, clusterIPs: [wanted] } : spec;
  // A list without its first address and an unsupported family are reported by validation.
  const [family] = stringsAt(spec, 'ipFamilies');
  if (given !== undefined || family !== 'IPv4') return spec;
  const { offsets: taken } = allocationsOf(context.others());
  const offset = freeNumber(context, { from: FIRST_GIVEN_OFFSET, to: LAST_OFFSET, taken });
  if (offset === undefined) return spec;
  const address = [...NETWORK, offset >> 8, offset & 255].join('.');
  return { ...spec, clusterIP: address, clusterIPs: [address] };
}

/**
 * Allocates node ports if the type needs them. In a new service, ports with the same number and different protocols
 * share one.
 */
export function withAllocatedPorts(spec: JsonObject, context: WriteContext, isNew: boolean): JsonObject {
  const needsHealth = needsHealthPort(spec);
  if (!allocatesNodePorts(spec) && !needsHealth) return spec;
  const taken = new Set([...allocationsOf(context.others()).ports, ...portsOf(spec)]);
  const next = (): number | undefined => {
    const port = freeNumber(context, { from: FIRST_NODE_PORT, to: LAST_NODE_PORT, taken });
    if (port !== undefined) taken.add(port);
    return port;
  };
  const ported = allocatesNodePorts(spec) ? withNodePorts(spec, { next, isShared: isNew }) : spec;
  return needsHealth ? withNumber(ported, 'healthCheckNodePort', next) : ported;
}

type Source = { readonly next: () => number | undefined; readonly isShared: boolean };

function withNodePorts(spec: JsonObject, { next, isShared }: Source): JsonObject {
  const byPort = new Map<number, number>();
  const remember = (port: JsonObject) => {
    const [number, nodePort] = [numberAt(port, 'port'), nodePortOf(port)];
    if (isShared && nodePort !== 0 && !byPort.has(number)) byPort.set(number, nodePort);
  };
  objectsAt(spec, 'ports').forEach(remember);
  return withChangedItems(spec, 'ports', (port) => {
    const given = withNumber(port, 'nodePort', () => byPort.get(numberAt(port, 'port')) ?? next());
    remember(given);
    return given;
  });
}

function withNumber(object: JsonObject, field: string, next: () => number | undefined): JsonObject {
  if (numberAt(object, field) !== 0) return object;
  const number = next();
  return number === undefined ? object : { ...object, [field]: number };
}

/** What services have allocated. */
type Allocations = {
  /** Offsets of cluster IPs in the range. */
  readonly offsets: ReadonlySet<number>;
  readonly ports: ReadonlySet<number>;
};

export function allocationsOf(services: Iterable<JsonObject>): Allocations {
  const offsets = new Set<number>();
  const ports = new Set<number>();
  for (const service of services) {
    const spec = objectAt(service, 'spec') ?? {};
    for (const address of stringsAt(spec, 'clusterIPs')) {
      const offset = offsetOf(address);
      if (offset !== undefined) offsets.add(offset);
    }
    for (const port of portsOf(spec)) ports.add(port);
  }
  return { offsets, ports };
}

/** The offset of an address in the range, in any notation; undefined outside of it. */
export function offsetOf(text: string): number | undefined {
  const address = parseSloppyAddress(text);
  if (address === undefined || (address.family === 6 && !isMapped(address))) return undefined;
  const [first, second, third = 0, fourth = 0] = address.bytes.slice(-4);
  const offset = third * 256 + fourth;
  const isInside = first === NETWORK[0] && second === NETWORK[1] && offset >= 1 && offset <= LAST_OFFSET;
  return isInside ? offset : undefined;
}

export function isIPv6(text: string): boolean {
  const address = parseSloppyAddress(text);
  return address?.family === 6 && !isMapped(address);
}

/** The node ports that a service has allocated; numbers of a type without node ports do not count. */
function portsOf(spec: JsonObject): readonly number[] {
  const health = needsHealthPort(spec) ? numberAt(spec, 'healthCheckNodePort') : 0;
  return [...(mayHaveNodePorts(spec) ? nodePortsOf(spec) : []), health].filter((port) => port !== 0);
}

export function nodePortsOf(spec: JsonObject): readonly number[] {
  return objectsAt(spec, 'ports').map(nodePortOf);
}

export function nodePortOf(port: JsonObject): number {
  return numberAt(port, 'nodePort');
}

type Range = { readonly from: number; readonly to: number; readonly taken: ReadonlySet<number> };

/** Starts at a random number and takes the next free one. */
function freeNumber({ random }: WriteContext, { from, to, taken }: Range): number | undefined {
  const size = to - from + 1;
  const start = Math.floor(random() * size);
  for (let step = 0; step < size; step++) {
    const number = from + ((start + step) % size);
    if (!taken.has(number)) return number;
  }
  return undefined;
}
