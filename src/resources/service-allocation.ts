/**
 * Addresses and ports that the server gives to services, each once.
 */
import type { JsonObject } from '../json.ts';
import { eachChangedAt, filledWith } from './field-changes.ts';
import { itemsAt, numberAt, textAt, textsAt, valueAt } from './json-fields.ts';
import type { WriteContext } from './resource.ts';

/** 10.96.0.0/16. The first 256 are left to those who choose an address themselves, as a server does. */
const FIRST_OFFSET = 256;
const LAST_OFFSET = 65_534;
const FIRST_NODE_PORT = 30_000;
const LAST_NODE_PORT = 32_767;

/** The spec with an address, unless it leads elsewhere or wants none. */
export function withAddresses(spec: JsonObject, context: WriteContext): JsonObject {
  if (textAt(spec, 'type') === 'ExternalName') return spec;
  const wanted = textAt(spec, 'clusterIP');
  const isHeadless = wanted === 'None';
  // Whoever has neither address nor selector may be reached by any family of addresses.
  const isOpen = isHeadless && valueAt(spec, 'selector') === undefined;
  const families = filledWith(spec, {
    ipFamilies: isOpen ? ['IPv4', 'IPv6'] : ['IPv4'],
    ipFamilyPolicy: isOpen ? 'RequireDualStack' : 'SingleStack',
  });
  const given = textsAt(spec, 'clusterIPs');
  if (wanted !== '') return given === undefined ? { ...families, clusterIPs: [wanted] } : families;
  // A list without its first address is a mistake, and so is a family that is not served. Both are told later.
  const [family] = textsAt(families, 'ipFamilies') ?? [];
  if (given !== undefined || family !== 'IPv4') return families;
  const address = freeAddress(context);
  return address === undefined ? families : { ...families, clusterIP: address, clusterIPs: [address] };
}

/** The spec with ports of the nodes for every port, where its type asks for them. */
export function withPorts(spec: JsonObject, context: WriteContext): JsonObject {
  const type = textAt(spec, 'type');
  const wantsPorts =
    type === 'NodePort' || (type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
  const wantsHealthPort = type === 'LoadBalancer' && textAt(spec, 'externalTrafficPolicy') === 'Local';
  if (!wantsPorts && !wantsHealthPort) return spec;
  const taken = new Set([...takenPorts(context), ...portsOf(spec)]);
  const next = (): number | undefined => {
    const port = freeNumber(context, { from: FIRST_NODE_PORT, to: LAST_NODE_PORT, taken });
    if (port !== undefined) taken.add(port);
    return port;
  };
  const withNodePorts = wantsPorts
    ? eachChangedAt(spec, 'ports', (port) => withNumber(port, 'nodePort', next))
    : spec;
  return wantsHealthPort ? withNumber(withNodePorts, 'healthCheckNodePort', next) : withNodePorts;
}

function withNumber(object: JsonObject, field: string, next: () => number | undefined): JsonObject {
  if ((numberAt(object, field) ?? 0) !== 0) return object;
  const number = next();
  return number === undefined ? object : { ...object, [field]: number };
}

function freeAddress(context: WriteContext): string | undefined {
  const taken = new Set<number>();
  for (const other of context.others()) {
    for (const address of textsAt(other, 'spec', 'clusterIPs') ?? []) taken.add(offsetOf(address));
  }
  const offset = freeNumber(context, { from: FIRST_OFFSET, to: LAST_OFFSET, taken });
  return offset === undefined ? undefined : `10.96.${offset >> 8}.${offset & 255}`;
}

function offsetOf(address: string): number {
  const [, , third = 0, fourth = 0] = address.split('.').map(Number);
  return third * 256 + fourth;
}

function takenPorts(context: WriteContext): readonly number[] {
  return [...context.others()].flatMap((other) => {
    const spec = other.spec;
    return typeof spec === 'object' && spec !== null && !Array.isArray(spec)
      ? portsOf(spec as JsonObject)
      : [];
  });
}

function portsOf(spec: JsonObject): readonly number[] {
  const ports = itemsAt(spec, 'ports').map((port) => numberAt(port, 'nodePort') ?? 0);
  return [...ports, numberAt(spec, 'healthCheckNodePort') ?? 0];
}

type Range = { readonly from: number; readonly to: number; readonly taken: ReadonlySet<number> };

/** Starts anywhere and takes the first that is free from there. */
function freeNumber({ random }: WriteContext, { from, to, taken }: Range): number | undefined {
  const size = to - from + 1;
  const start = Math.floor(random() * size);
  for (let step = 0; step < size; step++) {
    const number = from + ((start + step) % size);
    if (!taken.has(number)) return number;
  }
  return undefined;
}
