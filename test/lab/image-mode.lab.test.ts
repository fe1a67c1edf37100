/**
 * Image mode on small real machines: an OS image is built on theirs with `buildah`, by the builder and the pods of its Job, and the
 * machines boot it through OSTree, then their base image again.
 *
 * As everywhere in the lab, systemd of the image boots on the kernel of this computer, and `rpm-ostree` is the lab's own, over the real
 * `ostree`. The Job controller is the one of the embedded cluster; the containers of a build pod are processes of this computer with
 * the volumes of the pod, not containers of Millwright's builder image.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type MachineOSConfig,
  machineOSBuild as machineOSBuildKind,
  machineOSConfig as machineOSConfigKind,
  NAMESPACE,
} from '../../src/api/index.ts';
import { node as nodeKind, secret as secretKind } from '../../src/kubernetes/types/index.ts';
import { type Builds, startBuilds } from './builds.ts';
import { type Lab, startLab } from './lab.ts';
import {
  aConfig,
  eventually,
  mostDown,
  nodeAnnotation,
  nodeCondition,
  output,
  POOL,
  poolCondition,
  ROLLOUT_LIMIT_MS,
  target,
  untilUpdated,
} from './lab-actions.ts';
import type { Machine } from './machine.ts';
import { whatTheLabLacks } from './needs.ts';
import { BOOT_LOG } from './os-files.ts';
import { until } from './until.ts';

const lacks = await whatTheLabLacks({ programs: ['buildah'] });
const NAMES = ['worker-0', 'worker-1'];

const STORY_UNIT = `[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'echo applied >/run/story'

[Install]
WantedBy=multi-user.target
`;

/** Of the pool, in the base image's days and in those of the layered one. */
const STORY = aConfig('50-story', {
  files: { '/etc/story': 'once upon a time' },
  units: { 'story.service': STORY_UNIT },
});

/** A program, a unit that runs it at boot, and a file of `/etc`. What is written proves that the steps ran, and on what. */
const CONTENT = `FROM configs AS final
RUN . /usr/lib/os-release && mkdir /usr/share/layer && \\
    echo "made of $PRETTY_NAME, which tells: $(cat /etc/story)" >/usr/share/layer/made
RUN printf '#!/bin/sh\\ncat /usr/share/layer/made >/run/layer\\n' >/usr/bin/tell && chmod 755 /usr/bin/tell && \\
    cd /usr/lib/systemd/system && \\
    printf '[Service]\\nType=oneshot\\nRemainAfterExit=yes\\nExecStart=/usr/bin/tell\\n' >layer.service && \\
    ln -s ../layer.service multi-user.target.wants/ && \\
    echo layered >/etc/layer && ostree container commit
`;
const MADE = 'made of Lab CoreOS 1.0, which tells: once upon a time';

describe.skipIf(lacks !== undefined)(
  `machines of the lab in image mode${lacks === undefined ? '' : ` (${lacks.unavailable})`}`,
  () => {
    let lab: Lab;
    let builds: Builds | undefined;
    let image = '';
    /** Before there was another image. */
    let installed: readonly Boots[] = [];

    beforeAll(async () => {
      lab = await startLab(NAMES, [STORY]);
      builds = await startBuilds(lab.controlPlane, join(lab.folder, 'builds'));
      await Promise.all(lab.machines.map((machine) => machine.start()));
      await eventually(lab, 'the pool has a config', async () => (await target(lab)) !== '');
      await untilUpdated(lab);
    });

    afterAll(async () => {
      await builds?.stop();
      await lab?.stop();
    });

    it('get an image that the builder has built on their OS', async () => {
      const { kube } = lab.controlPlane;
      installed = await Promise.all(lab.machines.map(bootsOf));
      await kube.create(secretKind, pushSecret(lab));
      await kube.create(machineOSConfigKind, aMachineOSConfig(lab));
      const explain = async () => `${await builds?.log()}\n${await lab.explain()}`;
      await until('the image is built', { limitMs: ROLLOUT_LIMIT_MS, explain }, async () => {
        const config = await kube.get(machineOSConfigKind, { name: POOL });
        image = config?.status?.currentImagePullSpec ?? '';
        return image !== '' || (await poolCondition(lab, 'ImageBuildDegraded')).startsWith('True');
      });
      const log = (await builds?.log()) ?? '';
      expect(await poolCondition(lab, 'ImageBuildDegraded'), log).toMatch(/^False/);
      expect(log).toMatch(/^image-build: \+ buildah bud /m);
      expect(log).toMatch(/^image-push: \+ buildah push /m);
      expect(image).toMatch(new RegExp(`^${repositoryOf(lab)}@sha256:[0-9a-f]{64}$`));
      const { items } = await kube.list(machineOSBuildKind);
      expect(items.map(({ status }) => status?.digestedImagePushSpec)).toEqual([image]);
    });

    it('boot the image, one at a time', async () => {
      await everyNodeHas(lab, image);
      await untilUpdated(lab);
      await expectOneBootEach(lab, installed);
      expect(await statusOf(image)).toBe(200);
      for (const machine of lab.machines) {
        expect(await bootedImages(machine)).toEqual([`* ${image}`, `  ${lab.image('1.0')}`]);
        expect(await output(machine, 'cat', '/usr/share/layer/made')).toBe(MADE);
        expect(await output(machine, 'systemctl', 'is-active', 'layer.service')).toBe('active');
        expect(await output(machine, 'cat', '/run/layer')).toBe(MADE);
        expect(await output(machine, 'cat', '/etc/layer')).toBe('layered');
        await expectStory(machine);
        await expectInService(lab, machine);
        expect(await nodeAnnotation(lab, machine.name, 'desiredImage')).toBe(image);
      }
    });

    it('boot their base image again when the MachineOSConfig is deleted, with all of their config', async () => {
      const { kube } = lab.controlPlane;
      const before = await Promise.all(lab.machines.map(bootsOf));
      await kube.delete(machineOSConfigKind, { name: POOL });
      await everyNodeHas(lab, '');
      await untilUpdated(lab);
      await expectOneBootEach(lab, before);
      for (const machine of lab.machines) {
        expect(await bootedImages(machine)).toEqual([`* ${lab.image('1.0')}`, `  ${image}`]);
        const left = 'ls -d /usr/share/layer /usr/bin/tell /etc/layer /run/layer';
        expect((await machine.run(['sh', '-c', left], { allowsFailure: true })).stdout).toBe('');
        const unit = await machine.run(['systemctl', 'is-active', 'layer.service'], { allowsFailure: true });
        expect(unit.stdout.trim()).toBe('inactive');
        await expectStory(machine);
        await expectInService(lab, machine);
        const node = await kube.get(nodeKind, { name: machine.name });
        const images = Object.keys(node?.metadata.annotations ?? {}).filter((key) => /image$/i.test(key));
        expect(images).toEqual([]);
      }
    });

    it('leave neither the image nor the build behind', async () => {
      const { kube } = lab.controlPlane;
      await eventually(lab, 'the builds are deleted', async () => {
        const { items } = await kube.list(machineOSBuildKind);
        return items.length === 0;
      });
      await eventually(lab, 'the image is deleted', async () => (await statusOf(image)) === 404);
    });
  },
);

function repositoryOf(lab: Lab): string {
  return `${hostOf(lab)}/lab/${POOL}`;
}

function hostOf({ repository }: Lab): string {
  return repository.slice(0, repository.indexOf('/'));
}

/** The registry of the lab lets everybody in. */
function pushSecret(lab: Lab) {
  const auths = { [hostOf(lab)]: { auth: btoa('lab:lab') } };
  return {
    ...{ apiVersion: 'v1', kind: secretKind.kind },
    metadata: { name: 'push', namespace: NAMESPACE },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': btoa(JSON.stringify({ auths })) },
  };
}

function aMachineOSConfig(lab: Lab): MachineOSConfig {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineOSConfig',
    metadata: { name: POOL },
    spec: {
      machineConfigPool: { name: POOL },
      imageBuilder: { imageBuilderType: 'Job' },
      renderedImagePushSecret: { name: 'push' },
      renderedImagePushSpec: `${repositoryOf(lab)}:latest`,
      containerFile: [{ containerfileArch: 'NoArch', content: CONTENT }],
    },
  };
}

type Boots = { readonly events: number; readonly boots: number; readonly id: string };

async function bootsOf(machine: Machine): Promise<Boots> {
  const id = await output(machine, 'cat', '/proc/sys/kernel/random/boot_id');
  return { events: machine.history.length, boots: machine.boots, id };
}

/** One after the other. */
async function expectOneBootEach({ machines }: Lab, before: readonly Boots[]): Promise<void> {
  const since = before.map(({ events }) => events);
  expect(mostDown(machines, since)).toBe(1);
  for (const [index, machine] of machines.entries()) {
    const now = await bootsOf(machine);
    expect(now.boots).toBe((before[index]?.boots ?? 0) + 1);
    expect(now.id).not.toBe(before[index]?.id);
  }
}

/** What the registry answers for an image by digest. */
async function statusOf(image: string): Promise<number> {
  const url = `http://${image.replace('/', '/v2/').replace('@', '/manifests/')}`;
  const headers = { accept: 'application/vnd.oci.image.manifest.v1+json' };
  return (await fetch(url, { method: 'HEAD', headers })).status;
}

/** The pool is updated before the first node gets another target: so nodes are asked. */
async function everyNodeHas(lab: Lab, wanted: string): Promise<void> {
  await eventually(lab, `all nodes have the image "${wanted}"`, async () => {
    const images = await Promise.all(NAMES.map((name) => nodeAnnotation(lab, name, 'currentImage')));
    return images.every((one) => one === wanted);
  });
}

/** By the output of `rpm-ostree status` after the boot, before the daemon started. */
async function bootedImages(machine: Machine): Promise<readonly string[]> {
  const status = (await machine.readVar(BOOT_LOG)).split('State: idle').at(-1) ?? '';
  const rows = status.split('\n').filter((row) => row.includes('ostree-unverified-registry:'));
  return rows.map((row) => row.replace('ostree-unverified-registry:', ''));
}

/** What the config of the pool has, whatever the OS. */
async function expectStory(machine: Machine): Promise<void> {
  expect(await output(machine, 'cat', '/etc/story')).toBe('once upon a time');
  expect(await output(machine, 'stat', '-c', '%a', '/etc/story')).toBe('644');
  expect(await output(machine, 'systemctl', 'is-active', 'story.service')).toBe('active');
  expect(await output(machine, 'cat', '/run/story')).toBe('applied');
}

async function expectInService(lab: Lab, { name }: Machine): Promise<void> {
  const node = await lab.controlPlane.kube.get(nodeKind, { name });
  expect(node?.spec.unschedulable ?? false).toBe(false);
  expect(await nodeAnnotation(lab, name, 'state')).toBe('Done');
  expect(await nodeAnnotation(lab, name, 'currentConfig')).toBe(await target(lab));
  const isUpdated = async () => (await nodeCondition(lab, name, 'Updated')).startsWith('True');
  await eventually(lab, `the MachineConfigNode of ${name} is Updated`, isUpdated);
  expect(await nodeCondition(lab, name, 'NodeDegraded')).toMatch(/^False/);
}
