/**
 * The operator, the controllers and the builder with their own identities: the permissions of `manifests/` suffice, and all of them are
 * used. The same story on a real server: `test/kubernetes/rbac`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, createApiServer, createMemoryStore } from '../src/embedded/apiserver/index.ts';
import { installManifests } from '../src/embedded/up/install-manifests-node.ts';
import { createInProcessTransport, createKube, type InProcessUser } from '../src/kubernetes/client/index.ts';
import { folder, rightsOf } from './support/manifests-files.ts';
import { buildPodIdentity, daemonIdentity, identities } from './support/manifests-identities.ts';
import { ACCOUNTS, type Component, ManifestsStory, NO_RATE_LIMIT } from './support/manifests-story.ts';
import { meanwhile, virtualEnv } from './support/virtual-env.ts';

const env = virtualEnv();
const LIMIT_MS = 10 * 60_000;

let server: ApiServer;
let story: ManifestsStory;
beforeAll(async () => {
  server = await createApiServer({ store: createMemoryStore(), env, tokenKey: new Uint8Array(32) });
  await meanwhile(env, installManifests({ handle: server.handle, clock: env.clock, directory: folder }));
  story = new ManifestsStory({
    env,
    admin: kubeAs({ name: 'admin', groups: ['system:masters'] }),
    transportOf: (component) => transportAs(identities[component]),
    daemonKube: async (node) => kubeAs(daemonIdentity(node)),
    podKube: async (name) => kubeAs(buildPodIdentity(name)),
    wait: (ms) => env.clock.advance(ms),
  });
  await story.run();
});
afterAll(async () => {
  env.stop();
  await env.clock.resolved(Promise.all(story.running), LIMIT_MS);
  await server.close();
});

describe('with the permissions of the manifests', () => {
  it('no request is forbidden', () => {
    expect(story.refused).toEqual([]);
  });

  it.each<Component>(['operator', 'controller', 'builder'])(
    'the %s has no unused permission',
    (component) => {
      const rights = rightsOf(ACCOUNTS[component]);
      expect([...story.used[component]].filter((one) => !rights.has(one))).toEqual([]);
      expect(story.unused(component)).toEqual([]);
    },
  );
});

function transportAs(user: InProcessUser) {
  return createInProcessTransport({ handle: server.handle, user });
}

function kubeAs(user: InProcessUser) {
  return createKube({ transport: transportAs(user), env, fieldManager: 'story', limits: NO_RATE_LIMIT });
}
