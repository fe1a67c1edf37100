/** The credentials with which nodes pull OS images: from Secrets to the ControllerConfig, which daemons follow. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { controllerConfig } from '../../src/api/index.ts';
import { secret } from '../../src/kubernetes/types/index.ts';
import type { World } from './build-world.ts';
import { eventsAbout, firstConfig, HOUR, target } from './story-steps.ts';
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
  const before = await target(world, 'worker');
  expect(await authFile()).toBeUndefined();
  await addSecret(CLUSTER, 'pull-secret', { 'quay.io': { auth: 'Yzpj' } });
  expect(await authFile()).toBe('{"auths":{"quay.io":{"auth":"Yzpj"}}}');
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
