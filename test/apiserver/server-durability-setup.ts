/** The set-up before the first kill: a directory in use, objects to write to, and credentials. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { connect, type HttpClient, type ServerAddress } from '../contract/http-client.ts';
import { type Loose, listOf, textOf } from '../contract/loose.ts';
import { configMap, type Fields } from '../contract/objects.ts';
import { type Credentials, readKubeconfig } from '../kubernetes/kubeconfig.ts';
import { WatchHistory } from './server-durability-history.ts';
import type { Ledger } from './server-durability-ledger.ts';
import { startProcess } from './server-durability-process.ts';
import {
  CONFIG_MAPS,
  type Collection,
  MARKER,
  NAMESPACE,
  POOLS,
  pathOf,
} from './server-durability-request.ts';
import { POOL_NAMES } from './server-durability-writer.ts';

export type Place = { readonly folder: string; readonly port: number };

export type Scene = Place & {
  /** From the kubeconfig of the first start; the file is not read again. */
  readonly address: ServerAddress;
  readonly kubeconfig: { readonly path: string; readonly text: string };
  /** Of a service account that may do anything. */
  readonly token: Credentials;
  readonly histories: readonly WatchHistory[];
};

/** The server is killed after the set-up. */
export async function prepare(place: Place, ledger: Ledger): Promise<Scene> {
  const process = startProcess(place);
  try {
    await process.untilReady();
    const path = join(place.folder, 'kubeconfig');
    const { url, caPem: ca, admin } = await readKubeconfig(path);
    const address = { url, ca, admin };
    const kubeconfig = { path, text: await readFile(path, 'utf8') };
    const client = connect(address);
    await createObjects(client);
    const token = await issueToken(client);
    await expectForgeryFails(client, token);
    const histories = [
      await startHistory(client, CONFIG_MAPS, ledger),
      await startHistory(client, POOLS, ledger),
    ];
    client.close();
    return { ...place, address, kubeconfig, token, histories };
  } finally {
    await process.kill();
  }
}

const ACCOUNT = 'writer';
const ACCOUNTS = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`;

async function createObjects({ request }: HttpClient): Promise<void> {
  const create = async (path: string, body: Fields) => {
    const { status, body: text } = await request('POST', path, { body });
    expect({ path, status }, text).toEqual({ path, status: 201 });
  };
  const binding = {
    metadata: { name: ACCOUNT },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', namespace: NAMESPACE, name: ACCOUNT }],
  };
  await create('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await create(ACCOUNTS, { metadata: { name: ACCOUNT } });
  await create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', binding);
  await create(CONFIG_MAPS.path, configMap(MARKER));
  const pool = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfigPool' };
  for (const name of POOL_NAMES) {
    // A policy of the manifests wants every pool to take what workers have.
    const machineConfigSelector = { matchLabels: { 'machineconfiguration.openshift.io/role': 'worker' } };
    const spec = { maxUnavailable: name, machineConfigSelector };
    await create(POOLS.path, { ...pool, metadata: { name }, spec });
  }
}

export async function issueToken({ request }: HttpClient): Promise<{ readonly token: string }> {
  const path = `${ACCOUNTS}/${ACCOUNT}/token`;
  const { status, body, json } = await request('POST', path, { body: {} });
  expect(status, body).toBe(201);
  return { token: textOf(json.status?.token) };
}

/** Otherwise a token that still works would prove nothing. */
async function expectForgeryFails({ request }: HttpClient, { token }: { token: string }): Promise<void> {
  const user = { token: `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}` };
  const { status } = await request('GET', pathOf(CONFIG_MAPS, MARKER), { user });
  expect(status).toBe(401);
}

async function startHistory(
  { request }: HttpClient,
  collection: Collection,
  ledger: Ledger,
): Promise<WatchHistory> {
  const { json: list } = await request('GET', collection.path);
  const version = Number(textOf(list.metadata?.resourceVersion));
  const objects: Loose[] = [];
  for (const { metadata } of listOf(list.items)) {
    const { json } = await request('GET', pathOf(collection, textOf(metadata?.name)));
    ledger.hear('put', json);
    objects.push(json);
  }
  ledger.hearVersion(version);
  return new WatchHistory(collection, ledger, { version, objects });
}
