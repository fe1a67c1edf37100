/**
 * The CA and the serving certificate of the MachineConfigServer: which of them have to be issued.
 *
 * Machines that join know the CA from their pointer Ignition, which administrators copy into the settings of platforms. So the CA
 * is replaced late, and a change of addresses replaces the serving certificate alone.
 */
import { compareBytes } from '../base/json.ts';
import { parseAddress } from '../base/text/index.ts';
import type { CertificateIssuer, PemPair } from './certificate-issuer.ts';
import { type Hosts, hostsExtension, type Name } from './x509.ts';

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;
const LIFE_MS = 10 * YEAR_MS;
/** With less time left it is replaced: two years are enough to distribute another CA. */
const MARGIN_MS = 2 * YEAR_MS;

const AUTHORITY_NAME: Name = { commonName: 'machine-config-server-ca' };
const SERVER_NAME: Name = { commonName: 'machine-config-server' };

export type ServerCertificates = { readonly authority: PemPair; readonly server: PemPair };

type Wanted = {
  /** Names and addresses by which machines reach the server. */
  readonly hosts: readonly string[];
  readonly nowMs: number;
  readonly issuer: CertificateIssuer;
};

/** Keeps what is good, and issues the rest. */
export function serverCertificates(kept: Partial<ServerCertificates>, wanted: Wanted): ServerCertificates {
  const { nowMs, issuer } = wanted;
  const authority = isGoodAuthority(kept.authority, wanted)
    ? kept.authority
    : issuer.issueAuthority({ name: AUTHORITY_NAME, nowMs, lifeMs: LIFE_MS });
  if (isGoodServer(kept.server, authority, wanted)) return { authority, server: kept.server };
  const notAfterMs = issuer.inspect(authority)?.notAfterMs ?? nowMs;
  const server = issuer.issueLeaf(authority, {
    issuer: AUTHORITY_NAME,
    subject: SERVER_NAME,
    use: { kind: 'server', hosts: hostsOf(wanted.hosts) },
    nowMs,
    // It must not outlive the CA.
    lifeMs: Math.min(LIFE_MS, notAfterMs - nowMs),
  });
  return { authority, server };
}

function isGoodAuthority(pair: PemPair | undefined, { issuer, nowMs }: Wanted): pair is PemPair {
  const facts = pair && issuer.inspect(pair);
  return facts?.isAuthority === true && facts.notAfterMs - nowMs > MARGIN_MS;
}

function isGoodServer(
  pair: PemPair | undefined,
  authority: PemPair,
  { issuer, nowMs, hosts }: Wanted,
): pair is PemPair {
  const facts = pair && issuer.inspect(pair);
  if (pair === undefined || facts === undefined) return false;
  const names = hostsExtension(hostsOf(hosts));
  return (
    facts.notAfterMs - nowMs > MARGIN_MS &&
    issuer.isIssuedBy(pair, authority) &&
    includesBytes(facts.der, names)
  );
}

/** In one order, so that the same hosts give the same certificate. */
function hostsOf(hosts: readonly string[]): Hosts {
  const sorted = [...new Set(hosts.map((host) => host.toLowerCase()))].toSorted(compareBytes);
  const addresses = sorted.flatMap((host) => {
    const bytes = parseAddress(host)?.bytes;
    return bytes === undefined ? [] : [[...bytes]];
  });
  const names = sorted.filter((host) => parseAddress(host) === undefined && HOST_NAME.test(host));
  return { names, addresses };
}

/** Host names that a certificate cannot contain are left out. */
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function includesBytes(bytes: Uint8Array, part: Uint8Array): boolean {
  for (let start = bytes.indexOf(part[0] ?? 0); start >= 0; start = bytes.indexOf(part[0] ?? 0, start + 1)) {
    if (part.every((byte, index) => bytes[start + index] === byte)) return true;
  }
  return false;
}
