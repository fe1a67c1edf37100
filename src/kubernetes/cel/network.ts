/**
 * Kubernetes' libraries for URLs, IP addresses and networks.
 */
import {
  type Address,
  addressText,
  containsAddress,
  escapedPath,
  hostname,
  isMapped,
  masked,
  type Network,
  parseAddress,
  parseNetwork,
  parseUrl,
  port,
  queryValues,
  quoted,
  type Url,
} from '../../base/text/index.ts';
import { BOOL, type CelType, INT, listOf, mapFrom, STRING, type TypeOf } from './cel-type.ts';
import { type Library, overload, traversal } from './overloads.ts';
import { EvaluationError, ListValue, MapValue, type Opaque } from './values.ts';

class UrlValue implements Opaque {
  readonly opaque = 'kubernetes.URL';
  readonly url: Url;
  constructor(url: Url) {
    this.url = url;
  }
  equals(other: Opaque): boolean {
    return other instanceof UrlValue && JSON.stringify(other.url) === JSON.stringify(this.url);
  }
}

class IpValue implements Opaque {
  readonly opaque = 'net.IP';
  readonly address: Address;
  constructor(address: Address) {
    this.address = address;
  }
  equals(other: Opaque): boolean {
    return other instanceof IpValue && addressText(other.address) === addressText(this.address);
  }
}

class CidrValue implements Opaque {
  readonly opaque = 'net.CIDR';
  readonly network: Network;
  constructor(network: Network) {
    this.network = network;
  }
  equals(other: Opaque): boolean {
    return other instanceof CidrValue && networkText(other.network) === networkText(this.network);
  }
}

const URL_TYPE: TypeOf<UrlValue> = opaqueType('kubernetes.URL');
const IP: TypeOf<IpValue> = opaqueType('net.IP');
const CIDR: TypeOf<CidrValue> = opaqueType('net.CIDR');

function opaqueType(name: string): CelType {
  return { kind: 'opaque', name };
}

export const NETWORK: Library = {
  functions: {
    url: [overload([STRING], URL_TYPE, urlOf, traversal())],
    isURL: [overload([STRING], BOOL, (text) => 'url' in parseUrl(text), traversal())],
    ip: [overload([STRING], IP, ipOf, traversal())],
    isIP: [overload([STRING], BOOL, (text) => 'address' in readAddress(text), traversal())],
    'ip.isCanonical': [
      overload([STRING], BOOL, (text) => addressText(ipOf(text).address) === text, traversal(2)),
    ],
    cidr: [overload([STRING], CIDR, cidrOf, traversal())],
    isCIDR: [overload([STRING], BOOL, (text) => readNetwork(text) !== undefined, traversal())],
    string: [
      overload([IP], STRING, (ip) => addressText(ip.address)),
      overload([CIDR], STRING, (cidr) => networkText(cidr.network)),
    ],
  },
  methods: {
    getScheme: [overload([URL_TYPE], STRING, ({ url }) => url.scheme)],
    getHost: [overload([URL_TYPE], STRING, ({ url }) => url.host)],
    getHostname: [overload([URL_TYPE], STRING, ({ url }) => hostname(url.host))],
    getPort: [overload([URL_TYPE], STRING, ({ url }) => port(url.host))],
    getEscapedPath: [overload([URL_TYPE], STRING, ({ url }) => escapedPath(url.path))],
    getQuery: [overload([URL_TYPE], mapFrom(STRING, listOf(STRING)), ({ url }) => queryOf(url))],
    family: [overload([IP], INT, ({ address }) => BigInt(address.family))],
    isUnspecified: [overload([IP], BOOL, ({ address }) => address.bytes.every((byte) => byte === 0))],
    isLoopback: [overload([IP], BOOL, ({ address }) => isLoopback(address))],
    isLinkLocalMulticast: [overload([IP], BOOL, ({ address }) => isLinkLocalMulticast(address))],
    isLinkLocalUnicast: [overload([IP], BOOL, ({ address }) => isLinkLocalUnicast(address))],
    isGlobalUnicast: [overload([IP], BOOL, ({ address }) => isGlobalUnicast(address))],
    containsIP: [
      overload([CIDR, STRING], BOOL, (cidr, text) => containsAddress(cidr.network, ipOf(text).address)),
      overload([CIDR, IP], BOOL, (cidr, ip) => containsAddress(cidr.network, ip.address)),
    ],
    containsCIDR: [
      overload([CIDR, STRING], BOOL, (cidr, text) => containsNetwork(cidr.network, cidrOf(text).network)),
      overload([CIDR, CIDR], BOOL, (cidr, other) => containsNetwork(cidr.network, other.network)),
    ],
    ip: [overload([CIDR], IP, (cidr) => new IpValue(cidr.network.address))],
    prefixLength: [overload([CIDR], INT, (cidr) => BigInt(cidr.network.prefix))],
    masked: [
      overload(
        [CIDR],
        CIDR,
        ({ network }) => new CidrValue({ address: masked(network), prefix: network.prefix }),
      ),
    ],
  },
};

function urlOf(text: string): UrlValue {
  const outcome = parseUrl(text);
  if ('error' in outcome) {
    throw new EvaluationError(`URL parse error during conversion from string: ${outcome.error}`);
  }
  return new UrlValue(outcome.url);
}

function queryOf(url: Url): MapValue {
  return new MapValue(
    new Map([...queryValues(url.query)].map(([key, values]) => [key, new ListValue(values)])),
  );
}

/** IPv4-mapped IPv6 addresses and addresses with a zone are refused. */
function readAddress(text: string): { readonly address: Address } | { readonly error: string } {
  const percent = text.indexOf('%');
  const address = parseAddress(percent < 0 ? text : text.slice(0, percent));
  if (address === undefined || (percent >= 0 && (address.family === 4 || percent === text.length - 1))) {
    const cause = `ParseAddr(${quoted(text)}): unable to parse IP`;
    return { error: `IP Address ${quoted(text)} parse error during conversion from string: ${cause}` };
  }
  if (percent >= 0) return { error: `IP address ${quoted(text)} with zone value is not allowed` };
  if (isMapped(address)) return { error: `IPv4-mapped IPv6 address ${quoted(text)} is not allowed` };
  return { address };
}

function ipOf(text: string): IpValue {
  const read = readAddress(text);
  if ('error' in read) throw new EvaluationError(read.error);
  return new IpValue(read.address);
}

function readNetwork(text: string): Network | undefined {
  const network = parseNetwork(text);
  return network === undefined || isMapped(network.address) ? undefined : network;
}

function cidrOf(text: string): CidrValue {
  const network = readNetwork(text);
  if (network !== undefined) return new CidrValue(network);
  const what = 'network address parse error during conversion from string';
  throw new EvaluationError(`${what}: ${networkError(text)}`);
}

function networkError(text: string): string {
  const slash = text.lastIndexOf('/');
  const address = parseAddress(text.slice(0, slash));
  if (address !== undefined && isMapped(address))
    return `IPv4-mapped IPv6 address ${quoted(text)} is not allowed`;
  const cause =
    slash < 0
      ? "no '/'"
      : address === undefined
        ? `ParseAddr(${quoted(text.slice(0, slash))}): unable to parse IP`
        : `bad bits after slash: ${quoted(text.slice(slash + 1))}`;
  const what = 'network address parse error during conversion from string';
  return `${what}: netip.ParsePrefix(${quoted(text)}): ${cause}`;
}

function networkText({ address, prefix }: Network): string {
  return `${addressText(address)}/${prefix}`;
}

function containsNetwork(outer: Network, inner: Network): boolean {
  return outer.prefix <= inner.prefix && containsAddress(outer, inner.address);
}

function isLoopback({ family, bytes }: Address): boolean {
  return family === 4 ? bytes[0] === 127 : addressText({ family, bytes }) === '::1';
}

function isMulticast({ family, bytes }: Address): boolean {
  return family === 4 ? ((bytes[0] ?? 0) & 0xf0) === 0xe0 : bytes[0] === 0xff;
}

function isLinkLocalMulticast({ family, bytes: [a, b = 0, c] }: Address): boolean {
  return family === 4 ? a === 224 && b === 0 && c === 0 : a === 0xff && (b & 0x0f) === 2;
}

function isLinkLocalUnicast({ family, bytes: [a, b = 0] }: Address): boolean {
  return family === 4 ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80;
}

function isGlobalUnicast(address: Address): boolean {
  const { family, bytes } = address;
  const isUnspecified = bytes.every((byte) => byte === 0);
  const isBroadcast = family === 4 && bytes.every((byte) => byte === 255);
  return (
    !isUnspecified &&
    !isBroadcast &&
    !isLoopback(address) &&
    !isMulticast(address) &&
    !isLinkLocalUnicast(address)
  );
}
