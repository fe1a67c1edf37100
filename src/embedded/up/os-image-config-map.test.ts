import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { meanwhile, type VirtualEnv, virtualEnv } from '../../../test/support/virtual-env.ts';
import { NAMESPACE } from '../../api/index.ts';
import { createInProcessTransport, createKube, type Kube } from '../../kubernetes/client/index.ts';
import { configMap, namespace } from '../../kubernetes/types/index.ts';
import { type ApiServer, createApiServer, createMemoryStore } from '../apiserver/index.ts';
import { applyOsImageConfigMap } from './os-image-config-map.ts';

const PLACE = { name: 'machine-config-osimageurl', namespace: NAMESPACE };
const FIRST = { osImage: 'registry.example/os:1', version: '1.0.0' };
const SECOND = { osImage: 'registry.example/os:2', version: '2.0.0' };

let env: VirtualEnv;
let server: ApiServer;
const kubeOf = (fieldManager: string): Kube => {
  const user = { name: 'admin', groups: ['system:masters'] };
  const transport = createInProcessTransport({ handle: server.handle, user });
  return createKube({ transport, env, fieldManager });
};
const apply = (image: typeof FIRST) => meanwhile(env, applyOsImageConfigMap(kubeOf('millwright'), image));
const patch = (osImageURL: string) =>
  meanwhile(
    env,
    kubeOf('kubectl-patch').patch(configMap, PLACE, { type: 'merge', body: { data: { osImageURL } } }),
  );
const data = async () => (await meanwhile(env, kubeOf('reader').get(configMap, PLACE)))?.data;

beforeEach(async () => {
  env = virtualEnv();
  server = await createApiServer({ store: createMemoryStore(), env, tokenKey: new Uint8Array(32) });
  const metadata = { name: NAMESPACE };
  await meanwhile(env, kubeOf('setup').create(namespace, { apiVersion: 'v1', kind: 'Namespace', metadata }));
});
afterEach(async () => {
  env.stop();
  await server.close();
});

describe('the ConfigMap machine-config-osimageurl', () => {
  it('has all keys from the start, of which osImageURL is empty', async () => {
    await apply(FIRST);
    expect(await data()).toEqual({
      baseOSContainerImage: 'registry.example/os:1',
      baseOSExtensionsContainerImage: '',
      osImageURL: '',
      releaseVersion: '1.0.0',
    });
  });

  it('follows the release, and has all keys after every start', async () => {
    await apply(FIRST);
    await apply(SECOND);
    await apply(SECOND);
    expect(await data()).toEqual({
      baseOSContainerImage: 'registry.example/os:2',
      baseOSExtensionsContainerImage: '',
      osImageURL: '',
      releaseVersion: '2.0.0',
    });
  });

  it('keeps an image that an administrator has set, until it is empty again', async () => {
    await apply(FIRST);
    await patch('registry.example/custom:1');
    await apply(SECOND);
    await apply(SECOND);
    expect(await data()).toMatchObject({ osImageURL: 'registry.example/custom:1', releaseVersion: '2.0.0' });
    await patch('');
    await apply(SECOND);
    expect(await data()).toMatchObject({ osImageURL: '', baseOSContainerImage: 'registry.example/os:2' });
  });
});
