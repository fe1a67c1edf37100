import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AFTER_INSTALLATION_MS, installedStore } from '../../../test/support/installed-store.ts';
import { meanwhile, type VirtualEnv, virtualEnv } from '../../../test/support/virtual-env.ts';
import { image, NAMESPACE } from '../../api/index.ts';
import { createInProcessTransport, createKube, type Kube } from '../../kubernetes/client/index.ts';
import { configMap } from '../../kubernetes/types/index.ts';
import { type ApiServer, createApiServer } from '../apiserver/index.ts';
import { applyInstalledObjects } from './installed-objects.ts';

const PLACE = { name: 'machine-config-osimageurl', namespace: NAMESPACE };
const release = (number: number) =>
  ({
    osImages: [
      { version: `${number}.1`, reference: `registry.example/os:${number}` },
      { version: `${number}.2`, reference: `registry.example/os:next-${number}` },
    ],
    version: `${number}.0.0`,
    speed: number,
  }) as const;
const FIRST = release(1);
const SECOND = release(2);

let env: VirtualEnv;
let server: ApiServer;
const kubeOf = (fieldManager: string): Kube => {
  const user = { name: 'admin', groups: ['system:masters'] };
  const transport = createInProcessTransport({ handle: server.handle, user });
  return createKube({ transport, env, fieldManager });
};
const apply = (image: ReturnType<typeof release>) =>
  meanwhile(env, applyInstalledObjects(kubeOf('millwright'), image));
const patch = (osImageURL: string) =>
  meanwhile(
    env,
    kubeOf('kubectl-patch').patch(configMap, PLACE, { type: 'merge', body: { data: { osImageURL } } }),
  );
const data = async () => (await meanwhile(env, kubeOf('reader').get(configMap, PLACE)))?.data;

beforeEach(async () => {
  env = virtualEnv();
  server = await createApiServer({
    store: await installedStore({ events: 1_000, bytes: 1024 ** 2 }),
    env,
    tokenKey: new Uint8Array(32),
  });
  await env.clock.advance(AFTER_INSTALLATION_MS);
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

describe('the ConfigMap sandbox-os-images', () => {
  it('lists the OS images of the registry by version, those of this release only', async () => {
    const listed = async () =>
      (await meanwhile(env, kubeOf('reader').get(configMap, { ...PLACE, name: 'sandbox-os-images' })))?.data;
    await apply(FIRST);
    expect(await listed()).toEqual({ 1.1: 'registry.example/os:1', 1.2: 'registry.example/os:next-1' });
    await apply(SECOND);
    expect(await listed()).toEqual({ 2.1: 'registry.example/os:2', 2.2: 'registry.example/os:next-2' });
  });
});

describe('the Image cluster', () => {
  it('is there from the start, and keeps what administrators set', async () => {
    await apply(FIRST);
    const get = () => meanwhile(env, kubeOf('reader').get(image, { name: 'cluster' }));
    expect((await get())?.spec).toEqual({});
    const body = { spec: { additionalTrustedCA: { name: 'registry-cas' } } };
    await meanwhile(env, kubeOf('kubectl-patch').patch(image, { name: 'cluster' }, { type: 'merge', body }));
    await apply(SECOND);
    expect((await get())?.spec).toEqual(body.spec);
  });
});
