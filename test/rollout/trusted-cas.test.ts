/**
 * CAs of registries: from the Image and its ConfigMap to the ControllerConfig, which daemons follow, without a rollout. And those that
 * the Proxy of an OpenShift cluster names, which are rendered.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { controllerConfig, type Image, image, machineConfig, proxy } from '../../src/api/index.ts';
import { renderedFile } from '../../src/images/index.ts';
import { configMap, customResourceDefinition } from '../../src/kubernetes/types/index.ts';
import { anImage } from '../support/build-registries.ts';
import { proxyDefinition } from '../support/proxy-definition.ts';
import type { World } from './build-world.ts';
import { type Judge, watchAsJudge } from './judge.ts';
import { eventsAbout, firstConfig, HOUR, MINUTE, patchPool, target } from './story-steps.ts';
import { startWorld } from './world.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const PLACE = { name: 'registry-cas', namespace: 'openshift-config' };

const anImageWith = (name: string): Image => {
  const made = anImage();
  return { ...made, spec: { additionalTrustedCA: { name } } };
};

describe('additionalTrustedCA', () => {
  let world: World;
  let judge: Judge;
  afterEach(() => world.stop());

  const begin = async (): Promise<void> => {
    world = await startWorld({ masters: 1, workers: 2 });
    judge = watchAsJudge(world.store, (node) => node.replace(/-\d+$/, ''));
    await world.startControllers();
    await world.startDaemons();
    await firstConfig(world);
  };
  const seconds = (count: number) => world.env.clock.advance(count * 1_000);
  const spec = async () =>
    (await world.kube.get(controllerConfig, { name: 'machine-config-controller' }))?.spec;
  const addConfigMap = (data: { readonly [key: string]: string }, place = PLACE) =>
    world.kube.create(configMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: place, data });
  const patchConfigMap = (data: { readonly [key: string]: string | null }) =>
    world.kube.patch(configMap, PLACE, { type: 'merge', body: { data } });

  it('fills the ControllerConfig, in any order of creation, and empties it again', async () => {
    await begin();
    expect(await spec()).toMatchObject({ imageRegistryBundleData: [], imageRegistryBundleUserData: [] });
    await world.kube.create(image, anImageWith(PLACE.name));
    await seconds(1);
    await addConfigMap({ 'mirror.example..5000': PEM });
    await seconds(1);
    const user = [{ file: 'mirror.example..5000', data: btoa(PEM) }];
    expect(await spec()).toMatchObject({ imageRegistryBundleUserData: user });
    const managed = { name: 'image-registry-ca', namespace: 'openshift-config-managed' };
    await addConfigMap({ 'registry.svc..5000': PEM }, managed);
    await seconds(1);
    expect(await spec()).toMatchObject({
      imageRegistryBundleData: [{ file: 'registry.svc..5000', data: btoa(PEM) }],
      imageRegistryBundleUserData: user,
    });
    await world.kube.patch(
      image,
      { name: 'cluster' },
      { type: 'merge', body: { spec: { additionalTrustedCA: null } } },
    );
    await world.kube.delete(configMap, managed);
    await seconds(1);
    expect(await spec()).toMatchObject({ imageRegistryBundleData: [], imageRegistryBundleUserData: [] });
  });

  it('renders nothing and updates no node, also in a paused pool', async () => {
    await begin();
    await patchPool(world, 'worker', { paused: true });
    await world.env.clock.advance(MINUTE);
    const before = [await target(world, 'master'), await target(world, 'worker')];
    const configs = (await world.kube.list(machineConfig)).items.length;
    await world.kube.create(image, anImageWith(PLACE.name));
    await addConfigMap({ 'mirror.example..5000': PEM });
    await world.env.clock.advance(10 * MINUTE);
    expect((await spec())?.imageRegistryBundleUserData).toHaveLength(1);
    expect([await target(world, 'master'), await target(world, 'worker')]).toEqual(before);
    expect((await world.kube.list(machineConfig)).items).toHaveLength(configs);
    expect([...judge.drains.values()]).toEqual([]);
  });

  it('reports a key that is no registry once, where it is, while the others are used', async () => {
    await begin();
    await world.kube.create(image, anImageWith(PLACE.name));
    await addConfigMap({ 'https___mirror.example': PEM, 'good.example': PEM });
    await seconds(5);
    expect((await spec())?.imageRegistryBundleUserData).toEqual([{ file: 'good.example', data: btoa(PEM) }]);
    const events = await eventsAbout(world, 'ConfigMap', PLACE.name);
    expect(events.map(({ reason, message, count }) => [reason, message, count])).toEqual([
      [
        'InvalidTrustedCA',
        'key "https___mirror.example" is not a registry: write its host name, and a port after two dots, such as registry.example.com..5000; it is ignored',
        1,
      ],
    ]);
  });

  it('keeps the CA of a registry whose new value is invalid, until it is mended', async () => {
    await begin();
    await world.kube.create(image, anImageWith(PLACE.name));
    await addConfigMap({ 'good.example': PEM });
    await seconds(5);
    await patchConfigMap({ 'good.example': 'mistyped' });
    await seconds(5);
    expect((await spec())?.imageRegistryBundleUserData).toEqual([{ file: 'good.example', data: btoa(PEM) }]);
    const renewed = PEM.replace('MIIB', 'MIIC');
    await patchConfigMap({ 'good.example': renewed });
    await seconds(5);
    expect((await spec())?.imageRegistryBundleUserData).toEqual([
      { file: 'good.example', data: btoa(renewed) },
    ]);
  });

  it('reports a ConfigMap that does not exist on the Image, again while it is missing', async () => {
    await begin();
    await world.kube.create(image, anImageWith('lost'));
    await world.env.clock.advance(HOUR);
    const [event] = await eventsAbout(world, 'Image', 'cluster');
    expect(event).toMatchObject({
      reason: 'InvalidImageConfig',
      message: expect.stringMatching(/^ConfigMap "lost" of spec\.additionalTrustedCA does not exist/),
    });
    expect((await eventsAbout(world, 'Image', 'cluster')).length).toBeGreaterThan(1);
  });
});

describe('trustedCA of the Proxy', () => {
  let world: World;
  afterEach(() => world.stop());

  const pem = (body: string) => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;
  const trusted = async () => {
    const found = await world.kube.get(controllerConfig, { name: 'machine-config-controller' });
    const data = found?.spec.additionalTrustBundle;
    return typeof data === 'string' ? atob(data) : data;
  };
  const rendered = async () => {
    const found = await world.kube.get(machineConfig, { name: await target(world, 'worker') });
    const path = '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt';
    return found === undefined ? undefined : renderedFile(found, path);
  };
  const addBundle = (name: string, text: string) =>
    world.kube.create(configMap, {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { 'ca-bundle.crt': text } },
      metadata: { name, namespace: 'openshift-config' },
    });
  const nameBundle = (name: string) =>
    world.kube.patch(proxy, { name: 'cluster' }, { type: 'merge', body: { spec: { trustedCA: { name } } } });
  const addProxy = (name: string) =>
    world.kube.create(proxy, {
      ...{ apiVersion: 'config.openshift.io/v1', kind: 'Proxy', metadata: { name: 'cluster' } },
      spec: { trustedCA: { name } },
    });

  it('is joined with the bundle of users and rendered, as soon as it is named', async () => {
    world = await startWorld({ masters: 0, workers: 1 });
    await world.kube.create(customResourceDefinition, proxyDefinition);
    await world.startControllers();
    await world.startDaemons();
    await addBundle('user-ca-bundle', pem('MIIA'));
    await addBundle('of-the-proxy', pem('MIIB'));
    await addProxy('');
    await world.env.clock.advance(MINUTE);
    expect(await trusted()).toBe(pem('MIIA'));
    await nameBundle('of-the-proxy');
    await world.env.clock.advance(MINUTE);
    expect([await trusted(), await rendered()]).toEqual([
      pem('MIIA') + pem('MIIB'),
      pem('MIIA') + pem('MIIB'),
    ]);
    const place = { name: 'of-the-proxy', namespace: 'openshift-config' };
    const data = { 'ca-bundle.crt': pem('MIIC') };
    await world.kube.patch(configMap, place, { type: 'merge', body: { data } });
    await world.env.clock.advance(1_000);
    expect(await trusted()).toBe(pem('MIIA') + pem('MIIC'));
    // Of a mistyped name nothing is lost.
    await nameBundle('lost');
    await world.env.clock.advance(1_000);
    expect(await trusted()).toBe(pem('MIIA') + pem('MIIC'));
    expect(await eventsAbout(world, 'Proxy', 'cluster')).toMatchObject([
      {
        reason: 'InvalidProxyConfig',
        message: expect.stringMatching(
          /^ConfigMap "lost" of spec\.trustedCA does not exist in the namespace/,
        ),
      },
    ]);
    await nameBundle('');
    await world.env.clock.advance(1_000);
    expect(await trusted()).toBe(pem('MIIA'));
  });

  it('is followed on a cluster that gets the kind later, and nothing is missed without it', async () => {
    world = await startWorld({ masters: 0, workers: 1 });
    await world.startControllers();
    await world.startDaemons();
    await addBundle('user-ca-bundle', pem('MIIA'));
    await world.env.clock.advance(MINUTE);
    expect(await trusted()).toBe(pem('MIIA'));
    await world.kube.create(customResourceDefinition, proxyDefinition);
    await world.env.clock.advance(1_000);
    await addBundle('of-the-proxy', pem('MIIB'));
    await addProxy('of-the-proxy');
    await world.env.clock.advance(11 * MINUTE);
    expect(await trusted()).toBe(pem('MIIA') + pem('MIIB'));
    await nameBundle('');
    await world.env.clock.advance(1_000);
    expect(await trusted()).toBe(pem('MIIA'));
  });
});
