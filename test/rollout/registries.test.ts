/** From where nodes pull images: mirror sets and what else speaks of registries, from the object to the nodes. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  annotations,
  clusterImagePolicy,
  image,
  imageContentSourcePolicy,
  imageDigestMirrorSet,
  imagePolicy,
  imageTagMirrorSet,
  labels,
  type MachineConfig,
  machineConfig,
  machineConfigPool,
} from '../../src/api/index.ts';
import { fileContents, parseIgnition } from '../../src/config/ignition/index.ts';
import { aPool } from '../support/build.ts';
import {
  aClusterImagePolicy,
  anIcsp,
  anIdms,
  anImage,
  anImagePolicy,
  anItms,
} from '../support/build-registries.ts';
import type { World } from './build-world.ts';
import { type Judge, watchAsJudge } from './judge.ts';
import { eventsAbout, firstConfig, HOUR, MINUTE, patchPool, target } from './story-steps.ts';
import { startWorld } from './world.ts';
import type { Running } from './world-process.ts';

const CONF = '/etc/containers/registries.conf';
const UNTIL = '; until this is fixed, nodes keep their present configuration for this source';

describe('registries', () => {
  let world: World;
  let judge: Judge;
  let controllers: Running;
  afterEach(() => world.stop());

  const begin = async (before: () => Promise<unknown> = async () => undefined): Promise<void> => {
    world = await startWorld({ masters: 1, workers: 2 });
    judge = watchAsJudge(world.store, (node) => node.replace(/-\d+$/, ''));
    await before();
    controllers = await world.startControllers();
    await world.startDaemons();
    await firstConfig(world);
  };
  const generated = (pool: string) =>
    world.kube.get(machineConfig, { name: `99-${pool}-generated-registries` });
  const rendered = async (pool: string) => world.kube.get(machineConfig, { name: await target(world, pool) });
  const conf = async (pool: string) => textOf(await generated(pool), CONF);
  const renderedNames = async () =>
    (await world.kube.list(machineConfig)).items
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.startsWith('rendered-'));
  const events = async (kind: string, name: string) =>
    (await eventsAbout(world, kind, name)).map(({ type, reason, message, count }) => [
      type,
      reason,
      message,
      count,
    ]);
  const seconds = (count: number) => world.env.clock.advance(count * 1_000);
  const drains = () => [...judge.drains.values()].reduce((sum, count) => sum + count, 0);

  it('are an empty config on a plain cluster, which is part of the first rendering', async () => {
    await begin();
    for (const pool of ['master', 'worker']) {
      expect(await generated(pool)).toMatchObject({
        metadata: {
          labels: { [labels.role]: pool },
          annotations: { [annotations.generatedByControllerVersion]: 'test' },
        },
        spec: { config: { ignition: { version: '3.5.0' } } },
      });
      expect((await world.pool(pool)).spec.configuration?.source?.map(({ name }) => name)).toContain(
        `99-${pool}-generated-registries`,
      );
    }
    await seconds(60);
    expect((await renderedNames()).length).toBe(2);
    expect(drains()).toBe(0);
  });

  it('that exist before the controllers start are part of the first rendering', async () => {
    await begin(() =>
      world.kube.create(imageTagMirrorSet, anItms('hub', { source: 'docker.io', mirrors: ['m.io'] })),
    );
    expect(textOf(await rendered('worker'), CONF)).toContain('location = "m.io"');
    await seconds(60);
    expect((await renderedNames()).length).toBe(2);
  });

  it('reach every node from a mirror set, and are removed with it', async () => {
    await begin();
    await world.kube.create(machineConfigPool, aPool('infra'));
    const [before] = [await target(world, 'worker')];
    await world.kube.create(imageTagMirrorSet, anItms('hub', { source: 'docker.io', mirrors: ['m.io/hub'] }));
    await seconds(10);
    await world.untilUpdated(['master', 'worker'], HOUR);
    expect(await conf('worker')).toContain(`\
[[registry]]
  prefix = ""
  location = "docker.io"

  [[registry.mirror]]
    location = "m.io/hub"
    pull-from-mirror = "tag-only"
`);
    for (const pool of ['master', 'worker', 'infra']) {
      expect(textOf(await rendered(pool), CONF)).toBe(await conf('worker'));
    }
    // Custom pools have it through the workers.
    expect(await generated('infra')).toBeUndefined();
    await world.kube.delete(imageTagMirrorSet, { name: 'hub' });
    await seconds(10);
    await world.untilUpdated(['master', 'worker'], HOUR);
    expect(await target(world, 'worker')).toBe(before);
    expect(await conf('worker')).toBeUndefined();
    expect(judge.faults).toEqual([]);
  });

  it('that change thrice within seconds are rendered once and rolled out once', async () => {
    await begin();
    const names = await renderedNames();
    for (const host of ['docker.io', 'quay.io', 'nvcr.io']) {
      await world.kube.create(imageTagMirrorSet, anItms(host, { source: host, mirrors: [`m.io/${host}`] }));
      await seconds(1.5);
    }
    await seconds(10);
    await world.untilUpdated(['master', 'worker'], HOUR);
    expect((await renderedNames()).length - names.length).toBe(2);
    expect([...judge.drains]).toEqual([
      ['master-0', 1],
      ['worker-0', 1],
      ['worker-1', 1],
    ]);
  });

  it('that change while a pool is paused are rolled out once, when it is resumed', async () => {
    await begin();
    await patchPool(world, 'worker', { paused: true });
    for (const host of ['docker.io', 'quay.io']) {
      await world.kube.create(imageTagMirrorSet, anItms(host, { source: host, mirrors: [`m.io/${host}`] }));
      await seconds(30);
    }
    expect(textOf(await rendered('worker'), CONF)).toContain('m.io/quay.io');
    expect(judge.drains.get('worker-0')).toBeUndefined();
    await patchPool(world, 'worker', { paused: false });
    await world.untilUpdated(['worker'], HOUR);
    expect([judge.drains.get('worker-0'), judge.drains.get('worker-1')]).toEqual([1, 1]);
  });

  it('that change within seconds are rendered once, also right after a change of the pools', async () => {
    await begin();
    const { kube } = world;
    const add = (name: string) =>
      kube.create(imageTagMirrorSet, anItms(name, { source: `${name}.io`, mirrors: [`m.io/${name}`] }));
    const justBefore: readonly (() => Promise<unknown>)[] = [
      () => patchPool(world, 'worker', { paused: true }),
      () => patchPool(world, 'worker', { paused: false, maxUnavailable: 2 }),
      () => add('before').then(() => seconds(5)),
    ];
    for (const [index, act] of justBefore.entries()) {
      await seconds(30);
      await act();
      await world.env.clock.advance(4_500);
      const names = await renderedNames();
      await add(`a${index}`);
      await seconds(1);
      await add(`b${index}`);
      await seconds(30);
      expect((await renderedNames()).length - names.length, `${index}`).toBe(2);
    }
  });

  it('stay when mirror sets conflict, with events on both sets, and other sets still take effect', async () => {
    await begin();
    const { kube } = world;
    const mirrors = ['m.io/quay'];
    await kube.create(imageTagMirrorSet, anItms('ours', { source: 'quay.io', mirrors }));
    await seconds(10);
    const good = await conf('worker');
    const theirs = {
      source: 'quay.io',
      mirrors: ['n.io'],
      mirrorSourcePolicy: 'NeverContactSource',
    } as const;
    await kube.create(imageDigestMirrorSet, anIdms('theirs', theirs));
    await seconds(10);
    expect(await conf('worker')).toBe(good);
    const text = `conflicting mirrorSourcePolicy is set for the same source "quay.io" in imagedigestmirrorsets, imagetagmirrorsets, or imagecontentsourcepolicies${UNTIL}`;
    for (const [kind, name] of [
      ['ImageTagMirrorSet', 'ours'],
      ['ImageDigestMirrorSet', 'theirs'],
    ] as const) {
      expect(await events(kind, name)).toEqual([['Warning', 'ConflictingMirrorSets', text, 1]]);
    }
    // Others still take effect, also after a restart without any state.
    await controllers.stop();
    controllers = await world.startControllers();
    await kube.create(imageTagMirrorSet, anItms('other', { source: 'ghcr.io', mirrors: ['m.io/ghcr'] }));
    await seconds(10);
    const both = (await conf('worker')) ?? '';
    expect([both.includes('m.io/quay'), both.includes('m.io/ghcr'), both.includes('n.io')]).toEqual([
      true,
      true,
      false,
    ]);
    await kube.delete(imageTagMirrorSet, { name: 'ours' });
    await seconds(10);
    expect(await conf('worker')).toContain('blocked = true\n\n  [[registry.mirror]]\n    location = "n.io"');
  });

  it('that are invalid get events on the object, repeated until they are fixed', async () => {
    await begin();
    const { kube } = world;
    const names = await renderedNames();
    await kube.create(imageContentSourcePolicy, anIcsp('old', { source: 'quay.io', mirrors: ['*.io'] }));
    const event = ['Warning', 'InvalidMirrorSet', `invalid format for mirror "*.io"${UNTIL}`, 1];
    await seconds(10);
    expect(await events('ImageContentSourcePolicy', 'old')).toEqual([event]);
    await world.env.clock.advance(31 * MINUTE);
    expect(await events('ImageContentSourcePolicy', 'old')).toEqual([event, event]);
    expect(await renderedNames()).toEqual(names);
    const spec = { repositoryDigestMirrors: [{ source: 'quay.io', mirrors: ['m.io'] }] };
    await kube.patch(imageContentSourcePolicy, { name: 'old' }, { type: 'merge', body: { spec } });
    await world.env.clock.advance(61 * MINUTE);
    expect(await events('ImageContentSourcePolicy', 'old')).toEqual([event, event]);
    expect(await conf('worker')).toContain('pull-from-mirror = "digest-only"');
  });

  it('that exceed a MachineConfig are reported with all other problems, and nodes keep their config', async () => {
    await begin();
    const { kube } = world;
    await kube.create(imageTagMirrorSet, anItms('hub', { source: 'docker.io', mirrors: ['m.io/hub'] }));
    await seconds(10);
    const good = await conf('worker');
    const sources = Array.from({ length: 7_500 }, (_, index) => ({
      ...{
        source: `source-${index}.example/with/a/long/path`,
        mirrors: [`mirror-${index}.example/with/a/long/path`],
      },
    }));
    await kube.create(imageTagMirrorSet, anItms('large', ...sources));
    await kube.create(imageContentSourcePolicy, anIcsp('old', { source: 'quay.io', mirrors: ['*.io'] }));
    await seconds(10);
    expect(await events('ImageTagMirrorSet', 'large')).toEqual([
      ['Warning', 'RegistriesTooLarge', expect.stringContaining('until this is fixed, nodes keep'), 1],
    ]);
    expect(await events('ImageContentSourcePolicy', 'old')).toHaveLength(1);
    expect(await conf('worker')).toBe(good);
    await kube.delete(imageTagMirrorSet, { name: 'large' });
    await kube.create(imageTagMirrorSet, anItms('ghcr', { source: 'ghcr.io', mirrors: ['m.io/ghcr'] }));
    await seconds(10);
    expect(await conf('worker')).toContain('"m.io/ghcr"');
  });

  it('are restored whenever their MachineConfig is modified', async () => {
    await begin();
    await world.kube.create(imageTagMirrorSet, anItms('hub', { source: 'docker.io', mirrors: ['m.io/hub'] }));
    await seconds(10);
    const name = '99-worker-generated-registries';
    const [good] = [await generated('worker')];
    await world.kube.delete(machineConfig, { name });
    await seconds(2);
    expect((await generated('worker'))?.spec).toEqual(good?.spec);
    const body = {
      metadata: { labels: { mine: 'x', [labels.role]: null } },
      spec: { kernelArguments: ['x'] },
    };
    await world.kube.patch(machineConfig, { name }, { type: 'merge', body });
    await seconds(2);
    const restored = await generated('worker');
    expect(restored?.spec).toEqual(good?.spec);
    expect(restored?.metadata.labels).toEqual({ mine: 'x', [labels.role]: 'worker' });
  });

  it('come only from the Image named cluster', async () => {
    await begin();
    const search = { containerRuntimeSearchRegistries: ['quay.io'] };
    const other = { ...anImage({ blockedRegistries: ['quay.io'] }), metadata: { name: 'other' } };
    await world.kube.create(image, other);
    await world.kube.create(image, anImage({ ...search, allowedRegistries: ['quay.io', 'm.io'] }));
    await seconds(10);
    const config = await generated('master');
    expect(textOf(config, CONF)).toBeUndefined();
    expect(textOf(config, '/etc/containers/registries.conf.d/01-image-searchRegistries.conf')).toContain(
      '["quay.io"]',
    );
    expect(textOf(config, '/etc/containers/policy.json')).toContain('"type": "reject"');
  });

  it('with conflicting signature policies have a condition for as long as they conflict', async () => {
    await begin();
    const { kube } = world;
    const place = { namespace: 'default', name: 'own' };
    await kube.create(clusterImagePolicy, aClusterImagePolicy('all', ['quay.io/team']));
    await kube.create(imagePolicy, anImagePolicy(place, ['quay.io/team/app', 'docker.io/team']));
    await seconds(10);
    const message =
      'has conflicting scope(s) ["quay.io/team/app"] that equal to or nest inside existing clusterimagepolicy, only policy from clusterimagepolicy scope(s) will be applied';
    expect((await kube.get(imagePolicy, place))?.status?.conditions).toEqual([
      {
        ...{ type: 'Pending', status: 'False', reason: 'ConflictScopes', message },
        lastTransitionTime: expect.any(String),
      },
    ]);
    expect(await events('ImagePolicy', 'own')).toEqual([['Warning', 'ConflictScopes', message, 1]]);
    expect((await kube.get(clusterImagePolicy, { name: 'all' }))?.status).toBeUndefined();
    expect(textOf(await generated('worker'), '/etc/crio/policies/default.json')).toContain('docker.io/team');
    await kube.delete(clusterImagePolicy, { name: 'all' });
    await seconds(10);
    expect((await kube.get(imagePolicy, place))?.status?.conditions).toBeUndefined();
    expect(textOf(await generated('worker'), '/etc/crio/policies/default.json')).toContain(
      'quay.io/team/app',
    );
  });
});

function textOf(config: MachineConfig | undefined, path: string): string | undefined {
  const parsed = parseIgnition(config?.spec?.config);
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  const file = parsed.value.storage?.files?.find((one) => one.path === path);
  // The base has a file of this name, too; only ours comes in this form.
  if (file === undefined || !file.contents?.source?.includes(';base64,')) return undefined;
  const bytes = fileContents(file.contents);
  return bytes.kind === 'ok' ? new TextDecoder().decode(bytes.value) : undefined;
}
