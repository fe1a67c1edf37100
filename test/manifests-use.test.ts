/**
 * The operator, the controllers and the builder with their own identities: the permissions of `manifests/` suffice, and all of them are
 * used, also in another namespace. The same story on a real server: `test/kubernetes/rbac`.
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NAMESPACE } from '../src/api/index.ts';
import { type ApiServer, createApiServer, createMemoryStore } from '../src/embedded/apiserver/index.ts';
import { installManifests } from '../src/embedded/up/install-manifests-node.ts';
import { createInProcessTransport, createKube, type InProcessUser } from '../src/kubernetes/client/index.ts';
import { manifestsIn, rightsOf } from './support/manifests-files.ts';
import { buildPodIdentity, daemonIdentity, identitiesIn } from './support/manifests-identities.ts';
import {
  ACCOUNTS,
  type Component,
  ManifestsStory,
  missingDeletions,
  NO_RATE_LIMIT,
} from './support/manifests-story.ts';
import { meanwhile, virtualEnv } from './support/virtual-env.ts';

const LIMIT_MS = 10 * 60_000;

describe.each([NAMESPACE, 'machines'])('with the permissions of the manifests in %s', (namespace) => {
  const env = virtualEnv();
  const directory = manifestsIn(namespace);
  let server: ApiServer;
  let story: ManifestsStory;
  const transportAs = (user: InProcessUser) => createInProcessTransport({ handle: server.handle, user });
  const kubeAs = (user: InProcessUser) =>
    createKube({ transport: transportAs(user), env, fieldManager: 'story', limits: NO_RATE_LIMIT });

  beforeAll(async () => {
    server = await createApiServer({ store: createMemoryStore(), env, tokenKey: new Uint8Array(32) });
    await meanwhile(env, installManifests({ handle: server.handle, clock: env.clock, directory }));
    story = new ManifestsStory({
      namespace,
      env,
      admin: kubeAs({ name: 'admin', groups: ['system:masters'] }),
      transportOf: (component) => transportAs(identitiesIn(namespace)[component]),
      daemonKube: async (node) => kubeAs(daemonIdentity(node, namespace)),
      podKube: async (name) => kubeAs(buildPodIdentity(name, namespace)),
      wait: (ms) => env.clock.advance(ms),
    });
    await story.run();
  });
  afterAll(async () => {
    env.stop();
    await env.clock.resolved(Promise.all(story.running), LIMIT_MS);
    await server.close();
    rmSync(directory, { recursive: true });
  });

  it('no request is forbidden', () => {
    expect(story.refused).toEqual([]);
  });

  it.each<Component>(['operator', 'controller', 'builder', 'server'])(
    'the %s has deleted every kind of object that it ever deletes',
    (component) => {
      expect(missingDeletions(component, story.deleted[component])).toEqual([]);
    },
  );

  it('no request is about any namespace but its own and those of the cluster', () => {
    const others = ['default', 'kube-system', 'openshift-config', 'openshift-config-managed'];
    // Without one: objects that are in none, and the pods of all.
    expect([...story.namespaces].sort()).toEqual(['', ...others, namespace].sort());
  });

  it.each<Component>(['operator', 'controller', 'builder', 'server'])(
    'the %s has no unused permission',
    (component) => {
      const rights = rightsOf(ACCOUNTS[component]);
      expect([...story.used[component]].filter((one) => !rights.has(one))).toEqual([]);
      expect(story.unused(component)).toEqual([]);
    },
  );
});
