/**
 * IP addresses and networks.
 */

export type Address = {
  readonly family: 4 | 6;
  /** 4 or 16 bytes. */
  readonly bytes: readonly number[];
};

export type Network = { readonly address: Address; readonly prefix: number };

/** An IP address; zones (`fe80::1%eth0`) are rejected. */
export function parseAddress(text: string): Address | undefined {
  if (text.length > 64) return undefined;
  if (!text.includes(':')) {
    const bytes = parseFour(text);
    return bytes && { family: 4, bytes };
  }
  const bytes = parseSix(text);
  return bytes && { family: 6, bytes };
}

/** Like `parseAddress`, but allows leading zeros, as older versions of Go did. */
export function parseSloppyAddress(text: string): Address | undefined {
  return parseAddress(text.replace(/(^|[.:])0+(?=\d{1,3}($|\.))/g, '$1'));
}

export function parseNetwork(text: string): Network | undefined {
  const slash = text.lastIndexOf('/');
  const address = slash < 0 ? undefined : parseAddress(text.slice(0, slash));
  const digits = text.slice(slash + 1);
  if (address === undefined || !/^(0|[1-9]\d{0,2})$/.test(digits)) return undefined;
  const prefix = Number(digits);
  return prefix <= address.bytes.length * 8 ? { address, prefix } : undefined;
}

function parseFour(text: string): readonly number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part))) return undefined;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function parseSix(text: string): readonly number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => (half === '' ? [] : groupsOf(half)));
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  // An embedded IPv4 address is only allowed at the end.
  if (tail !== undefined && halves[0]?.includes('.')) return undefined;
  const missing = 16 - head.length - (tail?.length ?? 0);
  if (tail === undefined) return missing === 0 ? head : undefined;
  return missing >= 2 ? [...head, ...Array<number>(missing).fill(0), ...tail] : undefined;
}

function groupsOf(text: string): readonly number[] | undefined {
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    const four = index === groups.length - 1 && group.includes('.') ? parseFour(group) : undefined;
    if (four !== undefined) bytes.push(...four);
    else if (/^[0-9a-fA-F]{1,4}$/.test(group)) bytes.push(...bytesOf(group));
    else return undefined;
  }
  return bytes;
}

function bytesOf(group: string): readonly number[] {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
}

/** An IPv4-mapped IPv6 address: `::ffff:1.2.3.4`. */
export function isMapped({ family, bytes }: Address): boolean {
  return (
    family === 6 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  );
}

/** The canonical form. */
export function addressText({ family, bytes }: Address): string {
  if (family === 4) return bytes.join('.');
  const groups = Array.from(
    { length: 8 },
    (_, index) => ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0),
  );
  const { start, length } = longestZeros(groups);
  const hex = groups.map((group) => group.toString(16));
  if (length < 2) return hex.join(':');
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`;
}

function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== 0) start = index + 1;
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start };
  }
  return best;
}

/** The address with all bits after the prefix cleared. */
export function masked({ address, prefix }: Network): Address {
  const bytes = address.bytes.map((byte, index) => {
    const bits = Math.min(8, Math.max(0, prefix - index * 8));
    return byte & ((0xff << (8 - bits)) & 0xff);
  });
  return { family: address.family, bytes };
}

export function containsAddress(network: Network, address: Address): boolean {
  if (network.address.family !== address.family) return false;
  const inside = masked({ address, prefix: network.prefix });
  return masked(network).bytes.every((byte, index) => byte === inside.bytes[index]);
}
