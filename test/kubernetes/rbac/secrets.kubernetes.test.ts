/**
 * What the components may do with Secrets on a real server: RBAC and admission policies together.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Method } from '../../contract/http-client.ts';
import { identities } from '../../support/manifests-identities.ts';
import type { Row } from '../../support/manifests-rows.ts';
import { CREDENTIALS, secretRows, secretScene } from '../../support/manifests-secret-requests.ts';
import type { Credentials } from '../kubeconfig.ts';
import { startKubernetes } from '../kubernetes.ts';
import { type InstalledCluster, installOn, NS } from './installed-cluster.ts';

const MERGE = 'application/merge-patch+json';
const MAX_ASKED = 30;

const cluster = await startKubernetes();
if ('unavailable' in cluster) {
  describe.skip(`Secrets (${cluster.unavailable})`, () => it('have no server to be on', () => undefined));
} else {
  let installed: InstalledCluster;
  const tokens = new Map<string, Credentials>();
  beforeAll(async () => {
    installed = await installOn(cluster);
    for (const [collection, body] of secretScene) {
      const answer = await installed.client.request('POST', collection, { body });
      expect(answer.status, answer.body).toBe(201);
    }
    for (const { name } of [identities.server, identities.operator, identities.builder]) {
      tokens.set(name, await installed.tokenOf(name.split(':').at(-1) ?? ''));
    }
  });
  afterAll(() => installed.stop());

  const tokenOf = ({ name }: Row['user']): Credentials => {
    const token = tokens.get(name);
    if (token === undefined) throw new Error(`no token of ${name}`);
    return token;
  };
  const ask = async ({ request, body, user }: Row) => {
    const [method = '', path = ''] = request.split(' ');
    const send = () =>
      installed.client.request(method as Method, method === 'GET' ? path : `${path}?dryRun=All`, {
        user: tokenOf(user),
        ...(body === undefined ? {} : { body }),
        ...(method === 'PATCH' ? { contentType: MERGE } : {}),
      });
    let answer = await send();
    // The storage of a kind that was just defined takes a moment, and the server says so.
    for (let asked = 0; answer.status === 429 && asked < MAX_ASKED; asked++) {
      await pause(Number(answer.headers['retry-after']) * 1000);
      answer = await send();
    }
    return answer;
  };

  it.each(secretRows.filter(({ refusal }) => refusal === undefined))(
    'a real server answers $who: $request $body',
    async (row) => {
      const { status, body } = await ask(row);
      expect([200, 201], body).toContain(status);
    },
  );

  it.each(secretRows.filter(({ refusal }) => refusal !== undefined))(
    'a real server refuses $who: $request $body',
    async (row) => {
      const { status, body, json } = await ask(row);
      expect(status, body).toBe(403);
      expect(String(json.message)).toContain(row.refusal);
      expect(body).not.toContain(CREDENTIALS.content);
    },
  );

  it.each([
    ['a merge patch', MERGE, {}],
    ['a strategic merge patch', 'application/strategic-merge-patch+json', {}],
    ['a JSON patch', 'application/json-patch+json', []],
    [
      'server-side apply',
      'application/apply-patch+yaml',
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: CREDENTIALS.name } },
    ],
  ])('the operator reads no Secret of others by %s that changes nothing', async (_, contentType, body) => {
    const path = `/api/v1/namespaces/${NS}/secrets/${CREDENTIALS.name}?fieldManager=operator`;
    const user = tokenOf(identities.operator);
    const answer = await installed.client.request('PATCH', path, { user, body, contentType });
    expect(answer.status, answer.body).toBe(403);
    expect(answer.body).not.toContain(CREDENTIALS.content);
  });
}
