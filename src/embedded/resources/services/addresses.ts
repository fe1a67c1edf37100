/**
 * Special-purpose IP addresses that services and endpoints must not use.
 */
import type { Problem } from '../../../base/errors.ts';
import {
  type Address,
  containsAddress,
  isMapped,
  parseNetwork,
  parseSloppyAddress,
} from '../../../base/text/index.ts';
import { invalidText } from '../field-problems.ts';

const RANGES: readonly (readonly [text: string, ...networks: string[]])[] = [
  ['may not be unspecified (0.0.0.0)', '0.0.0.0/32'],
  ['may not be unspecified (::)', '::/128'],
  ['may not be in the loopback range (127.0.0.0/8, ::1/128)', '127.0.0.0/8', '::1/128'],
  ['may not be in the link-local range (169.254.0.0/16, fe80::/10)', '169.254.0.0/16', 'fe80::/10'],
  [
    'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
    '224.0.0.0/24',
    'ff02::/16',
    'ff12::/16',
  ],
];

/** Unspecified, loopback, link-local and multicast addresses. */
export function addressRangeProblems(path: string, text: string): readonly Problem[] {
  const address = plain(parseSloppyAddress(text));
  if (address === undefined) return [invalidText(path, text, 'must be a valid IP address')];
  return RANGES.filter(([, ...networks]) => networks.some((network) => isInNetwork(address, network))).map(
    ([why]) => invalidText(path, text, why),
  );
}

function isInNetwork(address: Address, network: string): boolean {
  const parsed = parseNetwork(network);
  return parsed !== undefined && containsAddress(parsed, address);
}

/** An IPv4-mapped IPv6 address counts as IPv4. */
function plain(address: Address | undefined): Address | undefined {
  if (address === undefined || !isMapped(address)) return address;
  return { family: 4, bytes: address.bytes.slice(12) };
}
