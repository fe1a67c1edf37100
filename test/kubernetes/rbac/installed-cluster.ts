/**
 * A real server with the manifests of Millwright in effect, and the tokens of its service accounts as a cluster makes them: by
 * TokenRequest, bound to a pod where asked.
 */
import { systemClock } from '../../../src/base/env.ts';
import type { Request, Response } from '../../../src/embedded/apiserver/index.ts';
import { installManifests } from '../../../src/embedded/up/install-manifests-node.ts';
import { createNodeTransport, type NodeTransport } from '../../../src/kubernetes/client/transport-node.ts';
import { connect, type HttpClient } from '../../contract/http-client.ts';
import { textOf } from '../../contract/loose.ts';
import { folder } from '../../support/manifests-files.ts';
import type { Credentials } from '../kubeconfig.ts';
import type { Cluster } from '../kubernetes.ts';
import { waitForPolicies } from './policies-in-effect.ts';

export const NS = 'openshift-machine-config-operator';

export type InstalledCluster = {
  readonly client: HttpClient;
  readonly transportAs: (user: Credentials) => NodeTransport;
  /** A token of an account in the namespace of Millwright, bound to nothing or to a pod that exists. */
  readonly tokenOf: (account: string, pod?: BoundPod) => Promise<Credentials>;
  /** A pod of an account: of the DaemonSet on a node, or of no one on none. */
  readonly createPod: (name: string, account: string, node?: string) => Promise<BoundPod>;
  readonly stop: () => Promise<void>;
};

type BoundPod = { readonly name: string; readonly uid: string };

export async function installOn(cluster: Cluster): Promise<InstalledCluster> {
  const { url, caPem, adminCert: cert, adminKey: key } = cluster;
  const client = connect({ url, ca: caPem, admin: { cert, key } });
  const transports: NodeTransport[] = [];
  const transportAs = (user: Credentials) => {
    const identity =
      'cert' in user
        ? { certificate: { certPem: user.cert, keyPem: user.key } }
        : { token: async () => ('token' in user ? user.token : undefined) };
    const access = { url, authorityPem: caPem, ...identity };
    const transport = createNodeTransport({ access, clock: systemClock });
    transports.push(transport);
    return transport;
  };
  const handle = handleOf(transportAs({ cert, key }));
  await installManifests({ handle, clock: systemClock, directory: folder });
  await waitForPolicies(client);
  return {
    client,
    transportAs,
    tokenOf: (account, pod) => tokenOf(client, account, pod),
    createPod: (name, account, node) => createPod(client, { name, account, node }),
    async stop() {
      client.close();
      for (const transport of transports) transport.close();
      await cluster.stop();
    },
  };
}

/** The server as a function, which is what installs manifests on the embedded one. */
function handleOf(transport: NodeTransport): (request: Request) => Promise<Response> {
  return async ({ method, path, query, headers, body }) => {
    const sent = { method: method as 'GET' | 'PATCH', path, query, headers: given(headers) };
    const answer = await transport.send(body.length === 0 ? sent : { ...sent, body });
    const parts: Uint8Array[] = [];
    for await (const part of answer.body) parts.push(part);
    return { status: answer.status, headers: [], body: Buffer.concat(parts) };
  };
}

async function tokenOf(client: HttpClient, account: string, pod?: BoundPod): Promise<Credentials> {
  const path = `/api/v1/namespaces/${NS}/serviceaccounts/${account}/token`;
  const boundObjectRef =
    pod === undefined ? {} : { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', ...pod } };
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: boundObjectRef };
  const { json } = await client.request('POST', path, { body });
  return { token: textOf(json.status?.token) };
}

type PodParts = { readonly name: string; readonly account: string; readonly node: string | undefined };

async function createPod(client: HttpClient, { name, account, node }: PodParts): Promise<BoundPod> {
  const { status, json, body } = await client.request('POST', `/api/v1/namespaces/${NS}/pods`, {
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, ...(node === undefined ? {} : { ownerReferences: [await daemonSetOf(client)] }) },
      spec: {
        serviceAccountName: account,
        ...(node === undefined ? {} : { nodeName: node }),
        containers: [{ name: 'main', image: 'registry.example/main:1' }],
      },
    },
  });
  if (status !== 201) throw new Error(`creating pod ${name}: ${status} ${body}`);
  return { name, uid: textOf(json.metadata?.uid) };
}

function given(headers: Request['headers']): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

async function daemonSetOf(client: HttpClient): Promise<object> {
  const path = `/apis/apps/v1/namespaces/${NS}/daemonsets/machine-config-daemon`;
  const { json } = await client.request('GET', path);
  const { name, uid } = json.metadata ?? {};
  return { apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid, controller: true };
}
