/**
 * The certificate of the metrics port: `tls.crt` and `tls.key` of a mounted Secret, or, where there is none, a self-signed one. Clients
 * send a token over it, so the connection is encrypted in any case; to know whom they talk to they need a certificate of their own CA.
 */
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../base/env.ts';
import { certificateIssuer } from '../../certificates/certificate-issuer-node.ts';
import type { PemPair } from '../../certificates/index.ts';

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** `undefined`: the folder has none that can be used. */
export async function mountedCertificate(folder: string | undefined): Promise<PemPair | undefined> {
  if (folder === undefined) return undefined;
  try {
    const [certPem, keyPem] = await Promise.all(
      ['tls.crt', 'tls.key'].map((name) => readFile(join(folder, name), 'utf8')),
    );
    const pair = { certPem: certPem ?? '', keyPem: keyPem ?? '' };
    return certificateIssuer.inspect(pair) === undefined ? undefined : pair;
  } catch {
    return undefined;
  }
}

/** Longer than any pod lives. */
export function selfSignedCertificate(clock: Clock): PemPair {
  const nowMs = clock.now();
  const name = { commonName: `millwright-metrics@${hostname()}`.slice(0, 64) };
  const authority = certificateIssuer.issueAuthority({ name, nowMs, lifeMs: 10 * YEAR_MS });
  const hosts = { names: ['localhost'], addresses: [[127, 0, 0, 1]] };
  return certificateIssuer.issueLeaf(authority, {
    issuer: name,
    subject: { commonName: 'millwright-metrics' },
    use: { kind: 'server', hosts },
    nowMs,
    lifeMs: 10 * YEAR_MS,
  });
}
