/** The policy that only warns: the names of pre-flight checks in an annotation. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annotations, PREFLIGHT_CHECKS } from '../src/api/index.ts';
import { type ApiServer, createApiServer, createMemoryStore } from '../src/embedded/apiserver/index.ts';
import { installManifests } from '../src/embedded/up/install-manifests-node.ts';
import { createInProcessTransport } from '../src/kubernetes/client/index.ts';
import { aMachineConfig } from './rollout/build-world.ts';
import { folder } from './support/manifests-files.ts';
import { identitiesIn } from './support/manifests-identities.ts';
import { meanwhile, virtualEnv } from './support/virtual-env.ts';

const env = virtualEnv();
let server: ApiServer;
beforeAll(async () => {
  server = await createApiServer({ store: createMemoryStore(), env, tokenKey: new Uint8Array(32) });
  await meanwhile(env, installManifests({ handle: server.handle, clock: env.clock, directory: folder }));
});
afterAll(async () => {
  env.stop();
  await server.close();
});

const ADMIN = { name: 'admin', groups: ['system:masters'] };

/** Creates a MachineConfig with this value in a dry run. */
async function create(value: string, user = ADMIN) {
  const { metadata, ...rest } = aMachineConfig('50-worker-mine', 'worker', 'hello');
  const object = { ...rest, metadata: { ...metadata, annotations: { [annotations.skipPreflight]: value } } };
  const { status, headers } = await createInProcessTransport({ handle: server.handle, user }).send({
    method: 'POST',
    path: '/apis/machineconfiguration.openshift.io/v1/machineconfigs',
    query: 'dryRun=All',
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify(object)),
  });
  return { status, warning: headers.warning ?? '' };
}

describe('a MachineConfig that skips pre-flight checks', () => {
  it.each(['', 'true', 'space', PREFLIGHT_CHECKS.join(', ')])('is accepted with %j', async (value) => {
    expect(await create(value)).toEqual({ status: 201, warning: '' });
  });

  it.each(['kubelet-unti', 'space,kubelet-unti', ' kubelet-unti , true'])(
    'is accepted with a warning for %j, which names no check',
    async (value) => {
      const { status, warning } = await create(value);
      expect(status).toBe(201);
      expect(warning).toContain('skip-preflight names kubelet-unti, which is no pre-flight check: use true');
    },
  );

  it('warns the author alone, not the controllers that carry the annotation on', async () => {
    const user = { ...ADMIN, name: identitiesIn('openshift-machine-config-operator').controller.name };
    expect(await create('kubelet-unti', user)).toEqual({ status: 201, warning: '' });
  });
});
