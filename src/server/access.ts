/**
 * Who gets a config.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { containsAddress, isMapped, type Network, parseAddress } from '../base/text/index.ts';

export type AccessRules = {
  /** Without any, all sources. */
  readonly sources: readonly Network[];
  readonly isTokenRequired: boolean;
};

type Claim = {
  readonly source: string;
  readonly authorization?: string | undefined;
  /** Of the query. */
  readonly token?: string | undefined;
};

/** The status of the response, if the client gets nothing. `tokens`: those that are valid; without any, none is. */
export function refusalOf(
  rules: AccessRules,
  claim: Claim,
  tokens: readonly string[],
): 401 | 403 | undefined {
  if (rules.sources.length > 0 && !isInside(rules.sources, claim.source)) return 403;
  if (!rules.isTokenRequired) return undefined;
  const given = bearerToken(claim.authorization) ?? claim.token ?? '';
  return given !== '' && tokens.some((token) => token !== '' && isSameSecret(token, given)) ? undefined : 401;
}

function isInside(networks: readonly Network[], source: string): boolean {
  const address = parseAddress(source);
  if (address === undefined) return false;
  // A socket of both families shows addresses of IPv4 as `::ffff:10.0.0.5`.
  const plain = isMapped(address) ? ({ family: 4, bytes: address.bytes.slice(12) } as const) : address;
  return networks.some((network) => containsAddress(network, plain));
}

function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)\s*$/i.exec(authorization ?? '')?.[1];
}

/** Takes the same time wherever they differ: a token cannot be guessed byte by byte. */
function isSameSecret(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => sha256(new TextEncoder().encode(text)));
  let difference = 0;
  left?.forEach((byte, index) => {
    difference |= byte ^ (right?.[index] ?? 0);
  });
  return difference === 0;
}
