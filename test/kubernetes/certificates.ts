/** The keys and certificates of a cluster that lives as long as one test run. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export type Certificates = {
  readonly caPem: string;
  readonly adminCert: string;
  readonly adminKey: string;
  /** Where the files `<name>.crt` and `<name>.key` are: see {@link pathOf}. */
  readonly directory: string;
};

/**
 * Rejects where `openssl` is missing: Node can make keys, but it cannot sign certificates. `others` are signed beside those of
 * a server on the loopback, and replace them by name.
 */
export async function makeCertificates(
  directory: string,
  others: readonly Identity[] = [],
): Promise<Certificates> {
  await makeKey(directory, 'ca');
  await makeKey(directory, 'service-accounts');
  await openssl(directory, [
    'req',
    '-x509',
    '-new',
    '-sha256',
    '-days',
    DAYS,
    '-subj',
    '/CN=millwright-test-ca',
    '-key',
    'ca.key',
    '-out',
    'ca.crt',
  ]);
  const named = new Map([...identities, ...others].map((identity) => [identity.name, identity]));
  for (const identity of named.values()) await makeCertificate(directory, identity);
  return {
    caPem: await readFile(pathOf(directory, 'ca.crt'), 'utf8'),
    adminCert: await readFile(pathOf(directory, 'admin.crt'), 'utf8'),
    adminKey: await readFile(pathOf(directory, 'admin.key'), 'utf8'),
    directory,
  };
}

export function pathOf(directory: string, file: string): string {
  return join(directory, file);
}

export type Identity = { readonly name: string; readonly subject: string; readonly extensions: string };

const DAYS = '7';
const identities: readonly Identity[] = [
  {
    name: 'server',
    subject: '/CN=kube-apiserver',
    extensions:
      'extendedKeyUsage=serverAuth\nsubjectAltName=IP:127.0.0.1,DNS:localhost,DNS:kubernetes.default.svc\n',
  },
  {
    name: 'admin',
    subject: '/O=system:masters/CN=kubernetes-admin',
    extensions: 'extendedKeyUsage=clientAuth\n',
  },
  {
    name: 'controller-manager',
    subject: '/CN=system:kube-controller-manager',
    extensions: 'extendedKeyUsage=clientAuth\n',
  },
];

async function makeCertificate(directory: string, { name, subject, extensions }: Identity): Promise<void> {
  await makeKey(directory, name);
  await writeFile(pathOf(directory, `${name}.ext`), extensions);
  await openssl(directory, ['req', '-new', '-subj', subject, '-key', `${name}.key`, '-out', `${name}.csr`]);
  await openssl(directory, [
    'x509',
    '-req',
    '-sha256',
    '-days',
    DAYS,
    '-CA',
    'ca.crt',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-in',
    `${name}.csr`,
    '-extfile',
    `${name}.ext`,
    '-out',
    `${name}.crt`,
  ]);
}

async function makeKey(directory: string, name: string): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  await writeFile(pathOf(directory, `${name}.key`), privateKey, { mode: 0o600 });
  await writeFile(pathOf(directory, `${name}.pub`), publicKey);
}

async function openssl(directory: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)('openssl', args, { cwd: directory });
}
