/** What has no effect on nodes that run containerd is reported on the objects that ask for it. */
import { afterEach, describe, expect, it } from 'vitest';
import { containerRuntimeConfig, imageDigestMirrorSet } from '../../src/api/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { anIdms } from '../support/build-registries.ts';
import type { World } from './build-world.ts';
import { eventsAbout, firstConfig } from './story-steps.ts';
import { startWorld } from './world.ts';

describe('in a cluster', () => {
  let world: World;
  afterEach(() => world.stop());

  const begin = async () => {
    world = await startWorld({ masters: 1, workers: 2 });
    await world.startControllers();
    await world.startDaemons();
    await firstConfig(world);
    await world.kube.create(
      imageDigestMirrorSet,
      anIdms('team', { source: 'quay.io/team', mirrors: ['m.io/team'] }),
    );
    const selector = { matchLabels: { 'pools.operator.machineconfiguration.openshift.io/worker': '' } };
    await world.kube.create(containerRuntimeConfig, {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'ContainerRuntimeConfig',
      metadata: { name: 'limits' },
      spec: {
        machineConfigPoolSelector: selector,
        containerRuntimeConfig: { pidsLimit: 2048, logLevel: 'debug' },
      },
    });
    await world.env.clock.advance(10_000);
  };
  const runs = async (name: string, containerRuntimeVersion: string) => {
    const patch = { type: 'merge', body: { status: { nodeInfo: { containerRuntimeVersion } } } } as const;
    await world.kube.patch(nodeKind, { name }, patch, { subresource: 'status' });
    await world.env.clock.advance(10_000);
  };
  const events = async (kind: string, name: string) =>
    (await eventsAbout(world, kind, name)).map(({ type, reason, message }) => [type, reason, message]);

  it('without containerd nothing is reported', async () => {
    await begin();
    await runs('worker-0', 'cri-o://1.33.1');
    expect(await events('ImageDigestMirrorSet', 'team')).toEqual([]);
    expect(await events('ContainerRuntimeConfig', 'limits')).toEqual([]);
  });

  it('with a node that runs containerd, mirror sets and ContainerRuntimeConfigs name what has no effect there', async () => {
    await begin();
    await runs('worker-0', 'containerd://1.6.20');
    expect(await events('ImageDigestMirrorSet', 'team')).toEqual([
      [
        'Warning',
        'NoEffectOnContainerd',
        'on nodes that run containerd: containerd has settings for whole registries only: "quay.io/team" is not applied, and no setting applies to its images. Name the registry quay.io instead',
      ],
    ]);
    expect(await events('ContainerRuntimeConfig', 'limits')).toEqual([
      [
        'Warning',
        'NoEffect',
        'logLevel, pidsLimit have no effect on nodes of its pools that run containerd; for pidsLimit use podPidsLimit of a KubeletConfig',
      ],
    ]);
    const { status } = (await world.kube.get(containerRuntimeConfig, { name: 'limits' })) ?? {};
    expect(status?.conditions?.map(({ type, message }) => [type, message])).toEqual([['Success', 'Success']]);
  });

  it('a ContainerRuntimeConfig for other pools than that of the node gets no warning', async () => {
    await begin();
    await runs('master-0', 'containerd://1.6.20');
    expect(await events('ContainerRuntimeConfig', 'limits')).toEqual([]);
    expect(await events('ImageDigestMirrorSet', 'team')).toHaveLength(1);
  });
});
