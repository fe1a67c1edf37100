/** What is asked of nodes by way of the server, as far as it needs no node that answers. */
import { expect } from 'vitest';
import { userNamed } from './access.ts';
import { topic } from './contract-case.ts';
import type { Method } from './http-client.ts';
import { node } from './objects.ts';
import type { Scene } from './scene.ts';
import { badRequest, expectFailure, forbidden, notFound } from './statuses.ts';

const NODES = '/api/v1/nodes';

/** At an unreachable address, reserved for documentation. */
async function aNode(scene: Scene): Promise<string> {
  const name = scene.name('node');
  await scene.make(NODES, {
    ...node(name),
    status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] },
  });
  return `${NODES}/${name}`;
}

export const nodeProxyCases = topic('the proxy of nodes', {
  'needs a node': async (scene) => {
    for (const path of ['proxy', 'proxy/', 'proxy/healthz']) {
      const answer = await scene.get(`${NODES}/none-such/${path}`, { accept: 'text/html' });
      expectFailure(answer, notFound({ resource: 'nodes' }, 'none-such'));
    }
  },

  'needs a name that can be read': async (scene) => {
    for (const name of ['a:b:c:d', 'ftp:a:1', ':1']) {
      expectFailure(await scene.get(`${NODES}/${name}/proxy/`), badRequest(`invalid node request "${name}"`));
    }
    expectFailure(
      await scene.get(`${NODES}/none-such:1/proxy/`),
      notFound({ resource: 'nodes' }, 'none-such'),
    );
    expectFailure(
      await scene.get(`${NODES}/https:none-such:1/proxy/`),
      notFound({ resource: 'nodes' }, 'none-such'),
    );
  },

  'needs an address': async (scene) => {
    const name = scene.name('node');
    await scene.make(NODES, node(name));
    expectFailure(await scene.get(`${NODES}/${name}/proxy/`), {
      code: 500,
      message: 'no preferred addresses found; known addresses: []',
    });
  },

  'knows no dry run': async (scene) => {
    const path = await aNode(scene);
    expectFailure(
      await scene.post(`${path}/proxy/run?dryRun=All`, {}),
      badRequest('dryRun is not supported'),
    );
  },

  'sends who reads the bare path to the one with a slash': async (scene) => {
    const path = await aNode(scene);
    for (const method of ['GET', 'HEAD'] as const) {
      const answer = await scene.request(method, `${path}/proxy?a=b`);
      expect([answer.status, answer.headers.location]).toEqual([301, `${path}/proxy/?a=b`]);
    }
  },
});

const VERBS: readonly (readonly [Method, string])[] = [
  ['GET', 'get'],
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
];

export const nodeProxyAccessCases = topic(
  'the proxy of nodes',
  {
    'takes the right of the method, on the proxy': async (scene) => {
      const user = userNamed(scene, 'alice');
      for (const [method, verb] of VERBS) {
        expectFailure(
          await scene.request(method, `${NODES}/none-such/proxy/a/b`, { user }),
          forbidden(
            { resource: 'nodes' },
            'none-such',
            `User "alice" cannot ${verb} resource "nodes/proxy" in API group "" at the cluster scope`,
          ),
        );
      }
    },
  },
  ['users'],
);
