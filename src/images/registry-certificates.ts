/**
 * The CAs that a machine trusts for a registry, in addition to those of its OS: `*.crt` in a folder with the name of the
 * registry, by the rules of containers-certs.d(5). Client certificates are not used.
 */
import { compareBytes } from '../base/json.ts';
import type { RegistryTransport } from './transport.ts';

/** The first one that has a folder for the registry counts. */
const FOLDERS = ['/etc/containers/certs.d', '/etc/docker/certs.d'] as const;
const MAX_FILES = 100;
const MAX_FILE_BYTES = 1024 ** 2;

/** The files of a machine, as far as they are needed here. */
export interface CertificateReader {
  read(path: string, maxBytes?: number): Promise<Uint8Array | undefined>;
  list(path: string): Promise<readonly string[] | undefined>;
}

/** In PEM format; undefined where there are none. `registry`: `host` or `host:port`, as in the name of an image. */
export async function readRegistryCertificates(
  files: CertificateReader,
  registry: string,
): Promise<string | undefined> {
  for (const folder of FOLDERS) {
    const names = await files.list(`${folder}/${registry}`);
    if (names === undefined) continue;
    const texts: string[] = [];
    const found = names.filter((name) => name.endsWith('.crt')).toSorted(compareBytes);
    for (const name of found.slice(0, MAX_FILES)) {
      const bytes = await files.read(`${folder}/${registry}/${name}`, MAX_FILE_BYTES);
      if (bytes !== undefined) texts.push(new TextDecoder().decode(bytes));
    }
    return texts.length === 0 ? undefined : texts.join('\n');
  }
  return undefined;
}

/** Trusts these CAs in all its requests, also where a registry redirects to another host, as container tools do. */
export function createTrustingTransport(
  transport: RegistryTransport,
  authorityPem: string | undefined,
): RegistryTransport {
  return authorityPem === undefined
    ? transport
    : { send: (request) => transport.send({ ...request, authorityPem }) };
}
