/**
 * The credentials with which nodes pull OS images: from Secrets to the ControllerConfig, which daemons follow. And those of kubelets,
 * which are a file of the base configs.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { controllerConfig, machineConfig } from '../../src/api/index.ts';
import { renderedFile } from '../../src/images/index.ts';
import { secret } from '../../src/kubernetes/types/index.ts';
import type { World } from './build-world.ts';
import { eventsAbout, firstConfig, HOUR, MINUTE, target } from './story-steps.ts';
import { startWorld } from './world.ts';

const OURS = 'openshift-machine-config-operator';
const CLUSTER = 'openshift-config';

let world: World;
beforeEach(async () => {
  world = await startWorld({ masters: 1, workers: 1 });
  await world.startControllers();
  await world.startDaemons();
  await firstConfig(world);
});
afterEach(() => world.stop());

const authFile = async () => {
  const found = await world.kube.get(controllerConfig, { name: 'machine-config-controller' });
  const data = found?.spec.internalRegistryPullSecret;
  return data === undefined || data === null ? undefined : atob(data);
};

const dataOf = (auths: object) => ({ '.dockerconfigjson': btoa(JSON.stringify({ auths })) });

const addSecret = async (namespace: string, name: string, auths: object) => {
  await world.kube.create(secret, {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } },
    ...{ type: 'kubernetes.io/dockerconfigjson', data: dataOf(auths) },
  });
  await world.env.clock.advance(1_000);
};

it('are those of the three Secrets, the last of which wins, and follow them without a rollout', async () => {
  expect(await authFile()).toBeUndefined();
  await addSecret(CLUSTER, 'pull-secret', { 'quay.io': { auth: 'Yzpj' } });
  expect(await authFile()).toBe('{"auths":{"quay.io":{"auth":"Yzpj"}}}');
  // It is the one of kubelets as well, which is rendered.
  await world.untilUpdated(['master', 'worker'], HOUR);
  const before = await target(world, 'worker');
  await addSecret(OURS, 'machine-os-puller', {
    'own.example': { auth: 'bzpv' },
    'quay.io': { auth: 'bzpv' },
  });
  await addSecret(OURS, 'pull-secret', { 'more.example': { auth: 'bTpt' } });
  // Nobody else's are read.
  await addSecret(OURS, 'push', { 'own.example': { auth: 'cDpw' } });
  expect(JSON.parse((await authFile()) ?? '')).toEqual({
    auths: {
      'own.example': { auth: 'bzpv' },
      'quay.io': { auth: 'Yzpj' },
      'more.example': { auth: 'bTpt' },
    },
  });
  for (const [namespace, name] of [
    [CLUSTER, 'pull-secret'],
    [OURS, 'machine-os-puller'],
    [OURS, 'pull-secret'],
  ] as const) {
    await world.kube.delete(secret, { namespace, name });
  }
  await world.env.clock.advance(10_000);
  expect(await authFile()).toBe('{"auths":{}}');
  expect(await target(world, 'worker')).toBe(before);
});

it('stay as they are while a Secret is invalid, which is reported on it without its content', async () => {
  await addSecret(CLUSTER, 'pull-secret', { 'quay.io': { auth: 'Yzpj' } });
  const bad = { '.dockerconfigjson': btoa('{"auths": {"quay.io": {"password": "hunter2", "x": 1}}}') };
  const place = { namespace: CLUSTER, name: 'pull-secret' };
  await world.kube.patch(secret, place, { type: 'merge', body: { data: bad } });
  await world.env.clock.advance(HOUR / 4);
  expect(await authFile()).toBe('{"auths":{"quay.io":{"auth":"Yzpj"}}}');
  const events = await eventsAbout(world, 'Secret', 'pull-secret');
  expect(events).toMatchObject([{ type: 'Warning', reason: 'InvalidPullSecret', count: 1 }]);
  expect(events[0]?.message).toContain('has the unknown field "x" in the entry for "quay.io"');
  expect(JSON.stringify(events)).not.toContain('hunter2');
  const body = { data: dataOf({ 'quay.io': { auth: 'bmV3' } }) };
  await world.kube.patch(secret, place, { type: 'merge', body });
  await world.env.clock.advance(1_000);
  expect(await authFile()).toBe('{"auths":{"quay.io":{"auth":"bmV3"}}}');
});

describe('the pull secret of kubelets', () => {
  const PLACE = { namespace: CLUSTER, name: 'pull-secret' };
  const config = async () =>
    (await world.kube.get(controllerConfig, { name: 'machine-config-controller' }))?.spec.pullSecret;
  const rendered = async () => {
    const found = await world.kube.get(machineConfig, { name: await target(world, 'worker') });
    return found === undefined ? undefined : renderedFile(found, '/var/lib/kubelet/config.json');
  };
  const failing = async () => {
    const found = await world.kube.get(controllerConfig, { name: 'machine-config-controller' });
    const [condition] = (found?.status?.conditions ?? []).filter(
      ({ type, status }) => type === 'TemplateControllerFailing' && status === 'True',
    );
    return condition?.message;
  };
  const change = (body: object) => world.kube.patch(secret, PLACE, { type: 'merge', body });
  const pass = () => world.env.clock.advance(MINUTE);

  it('is named by the ControllerConfig once it exists, rendered, and followed', async () => {
    expect([await config(), await rendered()]).toEqual([undefined, undefined]);
    await addSecret(CLUSTER, 'pull-secret', { 'quay.io': { auth: 'Yzpj' } });
    await pass();
    expect(await config()).toEqual({ apiVersion: 'v1', kind: 'Secret', ...PLACE });
    expect(await rendered()).toBe('{"auths":{"quay.io":{"auth":"Yzpj"}}}\n');
    await change({ data: dataOf({ 'quay.io': { auth: 'bmV3' } }) });
    await pass();
    expect(await rendered()).toBe('{"auths":{"quay.io":{"auth":"bmV3"}}}\n');
    await change({ metadata: { labels: { team: 'a' } } });
    await pass();
    await world.untilUpdated(['master', 'worker'], HOUR);
  });

  it('stays on nodes while it is gone, which is reported, and is cleared by an empty one', async () => {
    await addSecret(CLUSTER, 'pull-secret', { 'quay.io': { auth: 'Yzpj' } });
    await pass();
    await world.kube.delete(secret, PLACE);
    await pass();
    expect(await rendered()).toBe('{"auths":{"quay.io":{"auth":"Yzpj"}}}\n');
    expect(await failing()).toContain(
      ': Secret openshift-config/pull-secret: it does not exist: create it again, with the value {"auths":{}} where nodes are to have no credentials',
    );
    await addSecret(CLUSTER, 'pull-secret', {});
    await pass();
    expect([await rendered(), await failing()]).toEqual(['{"auths":{}}\n', undefined]);
  });

  it('of another type is reported in the words of upstream, without its content', async () => {
    await world.kube.create(secret, {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: PLACE },
      data: { '.dockerconfigjson': btoa('{"auths":{"quay.io":{"auth":"hunter2"}}}') },
    });
    await pass();
    expect(await rendered()).toBeUndefined();
    const message = await failing();
    expect(message).toContain('expected secret type kubernetes.io/dockerconfigjson found Opaque');
    expect(message).not.toContain('hunter2');
  });
});
