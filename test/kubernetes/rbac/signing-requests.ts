/** CertificateSigningRequests on a real server, which says whom they are of, and what becomes of them. */
import { generateKeyPairSync, sign as signWith, X509Certificate } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../../src/base/env.ts';
import { parseManifests } from '../../../src/install/index.ts';
import type { Answer, HttpClient } from '../../contract/http-client.ts';
import { listOf } from '../../contract/loose.ts';
import { aRequest, aSigningRequest, pemOf, type RequestParts } from '../../support/a-certificate-request.ts';
import { textOfFile } from '../../support/manifests-files.ts';
import type { Credentials } from '../kubeconfig.ts';

export const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
/** Of the server; on two busy cores. */
const LIMIT_MS = 60_000;

export type Asked = {
  /** Who sends it: a user whom the administrator impersonates, with a group, or somebody with credentials of their own. */
  readonly sender: { readonly user: string; readonly group: string } | Credentials;
  readonly parts: RequestParts;
  readonly signerName: string;
  readonly usages: readonly string[];
};

export const nodeUser = (name: string) => `system:node:${name}`;
export const asNode = (name: string) => ({ user: nodeUser(name), group: 'system:nodes' });

export class SigningRequests {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  async create(
    path: string,
    body: object,
    options: Parameters<HttpClient['request']>[2] = {},
  ): Promise<void> {
    const answer = await this.#client.request('POST', path, { ...options, body });
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.body}`);
  }

  /** A role and its binding. */
  async install(file: string): Promise<void> {
    const [manifest] = parseManifests(new Map([[file, textOfFile(file)]]));
    for (const object of manifest?.objects ?? [])
      await this.create(`${RBAC}/${String(object.kind).toLowerCase()}s`, object);
  }

  /** Returns the private key. */
  async send(name: string, { sender, parts, signerName, usages }: Asked): Promise<string> {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }));
    const sign = (info: Uint8Array) => new Uint8Array(signWith('sha256', info, privateKey));
    const whole = aSigningRequest(pemOf(aRequest({ ...parts, key, sign })), { signerName, usages });
    const { apiVersion, kind, spec } = whole;
    // The server says whom it is of.
    const { username: _, groups: __, ...sent } = spec;
    const as =
      'user' in sender
        ? { headers: { 'impersonate-user': sender.user, 'impersonate-group': sender.group } }
        : { user: sender };
    await this.create(REQUESTS, { apiVersion, kind, metadata: { name }, spec: sent }, as);
    return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  }

  async read(name: string): Promise<Answer['json']> {
    return (await this.#client.request('GET', this.#path(name))).json;
  }

  async conditionsOf(name: string): Promise<readonly unknown[]> {
    const { status } = await this.read(name);
    return listOf(status?.conditions ?? ([] as never)).map(({ type }) => type as unknown);
  }

  async delete(name: string): Promise<void> {
    await this.#client.request('DELETE', this.#path(name));
  }

  async approvalAs(name: string, user: Credentials): Promise<Answer> {
    const json = await this.read(name);
    const condition = { type: 'Approved', status: 'True', reason: 'Any', message: 'any' };
    const body = { ...json, status: { ...json.status, conditions: [condition] } };
    return this.#client.request('PUT', `${this.#path(name)}/approval`, { body, user });
  }

  async untilApproved(name: string): Promise<void> {
    await eventually(`${name} is approved`, async () => (await this.conditionsOf(name)).includes('Approved'));
  }

  /** As the cluster has signed it. */
  async certificateOf(name: string): Promise<X509Certificate> {
    const signed = async () => String((await this.read(name)).status?.certificate ?? '');
    await eventually(`${name} is signed`, async () => (await signed()) !== '');
    return new X509Certificate(atob(await signed()));
  }

  #path(name: string): string {
    return `${REQUESTS}/${encodeURIComponent(name)}`;
  }
}

export async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = systemClock.monotonic() + LIMIT_MS;
  while (!(await holds())) {
    if (systemClock.monotonic() > end) throw new Error(`not after ${LIMIT_MS} ms: ${what}`);
    await pause(50);
  }
}
