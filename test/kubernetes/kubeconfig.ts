/** Kubeconfig files: as much of the format as one cluster, one user and one context need. */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';

/** How a request proves who it is from. */
export type Credentials =
  | { readonly cert: string; readonly key: string }
  | { readonly token: string }
  | { readonly anonymous: true };

export type ServerAccess = {
  readonly kubeconfigPath: string;
  readonly url: string;
  readonly caPem: string;
  readonly admin: Credentials;
};

/** What the current context of the file leads to. */
export async function readKubeconfig(path: string): Promise<ServerAccess> {
  // The file is the user's: what does not have this form fails below, with the field's name.
  const file = parse(await readFile(path, 'utf8')) as Kubeconfig;
  const context = named(file.contexts, file['current-context'], 'context').context;
  const cluster = named(file.clusters, context?.cluster, 'cluster').cluster;
  const user = named(file.users, context?.user, 'user').user;
  const text = async (data: string | undefined, name: string | undefined): Promise<string | undefined> => {
    if (data !== undefined) return Buffer.from(data, 'base64').toString();
    return name === undefined ? undefined : readFile(resolve(dirname(path), name), 'utf8');
  };
  const caPem = await text(cluster?.['certificate-authority-data'], cluster?.['certificate-authority']);
  const cert = await text(user?.['client-certificate-data'], user?.['client-certificate']);
  const key = await text(user?.['client-key-data'], user?.['client-key']);
  const url = cluster?.server;
  if (url === undefined) throw new Error(`${path}: the cluster has no server`);
  if (caPem === undefined) throw new Error(`${path}: the cluster has no certificate authority`);
  if (cert !== undefined && key !== undefined)
    return { kubeconfigPath: path, url, caPem, admin: { cert, key } };
  if (user?.token === undefined) throw new Error(`${path}: the user has no client certificate and no token`);
  return { kubeconfigPath: path, url, caPem, admin: { token: user.token } };
}

export type ClientIdentity = {
  readonly url: string;
  readonly caPem: string;
  readonly cert: string;
  readonly key: string;
};

/** JSON is YAML, and nothing in it needs quoting with care. */
export function formatKubeconfig({ url, caPem, cert, key }: ClientIdentity): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const file: Kubeconfig & { readonly apiVersion: string; readonly kind: string } = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority-data': base64(caPem) } }],
    users: [
      { name: 'user', user: { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) } },
    ],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'user' } }],
    'current-context': 'test',
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

type Named = { readonly name: string };
type Kubeconfig = {
  readonly clusters?: readonly (Named & {
    readonly cluster?: {
      readonly server?: string;
      readonly 'certificate-authority'?: string;
      readonly 'certificate-authority-data'?: string;
    };
  })[];
  readonly users?: readonly (Named & {
    readonly user?: {
      readonly token?: string;
      readonly 'client-certificate'?: string;
      readonly 'client-certificate-data'?: string;
      readonly 'client-key'?: string;
      readonly 'client-key-data'?: string;
    };
  })[];
  readonly contexts?: readonly (Named & {
    readonly context?: { readonly cluster?: string; readonly user?: string };
  })[];
  readonly 'current-context'?: string;
};

function named<T extends Named>(
  entries: readonly T[] | undefined,
  name: string | undefined,
  what: string,
): T {
  const found = entries?.find((entry) => entry.name === name);
  if (found === undefined) throw new Error(`the kubeconfig has no ${what} ${JSON.stringify(name)}`);
  return found;
}
