/** Images that nodes pull in advance and keep: CRI-O really pulls, pins and releases them, and a kubelet that needs space spares them. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { machineConfigNode as machineConfigNodeKind } from '../../src/api/index.ts';
import { watchDrains } from './audit.ts';
import type { Cluster, NodeName } from './cluster.ts';
import { stateOfImage } from './cri-images.ts';
import { pushBusybox } from './images.ts';
import { eventually, installMillwright, poolOf, untilUpdated } from './millwright.ts';
import { findPrograms } from './needs.ts';
import { KUBELET_DROPINS } from './node-files.ts';
import type { ClusterRegistry } from './registries.ts';
import { story } from './story.ts';

const programs = await findPrograms();
const LIMIT_MS = 180_000;
const CRIO = ['ostree-0', 'ostree-1'] as const;
const CONTAINERD = 'debian-0';
const SET = 'story';
const DROP_IN = '/etc/crio/crio.conf.d/50-pinned-images';

const COMPLETE = [
  'PinnedImageSetsProgressing False AsExpected: All pinned image sets complete',
  'PinnedImageSetsDegraded False AsExpected: All is good',
];
const failed = (node: string) => [
  `PinnedImageSetsProgressing True ImagePrefetch: node is prefetching images: ${node}`,
  'PinnedImageSetsDegraded True PrefetchFailed: One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details',
];

describe.skipIf('unavailable' in programs)('a PinnedImageSet', () => {
  let cluster: Cluster;
  let drains = async (): Promise<readonly string[]> => [];
  let bootIds: readonly string[] = [];
  /** By digest: in the registry, not in it yet, and one that no set names. */
  let image = '';
  let lateImage = '';
  let spareImage = '';
  let pushLate = async (_: ClusterRegistry): Promise<string> => '';
  story.beforeAll(async ({ cluster: shared }) => {
    cluster = shared;
    await installMillwright(cluster);
    await untilUpdated(cluster);
    drains = await watchDrains(cluster);
    bootIds = await bootIdsOf(cluster);
    const own = cluster.registry('registry.millwright.dev');
    const pushed = async (name: string, registry = own) => {
      const folder = join(cluster.folder, `${name}-image`);
      const digest = await pushBusybox(registry, { folder, name: `lab/${name}:1`, entrypoint: `/${name}` });
      return `registry.millwright.dev/lab/${name}@${digest}`;
    };
    image = await pushed('pinned');
    spareImage = await pushed('spare');
    // Its digest is known from a registry that nodes do not ask for it.
    lateImage = await pushed('late', cluster.registry('mirror.cluster.test'));
    pushLate = (registry) => registry.push(`dir:${join(cluster.folder, 'late-image/image')}`, 'lab/late:1');
  });

  /** Both conditions of a node, and what it reports of the set. */
  const reportOf = async (name: NodeName) => {
    const { status } = (await cluster.kube.get(machineConfigNodeKind, { name })) ?? {};
    const conditions = (status?.conditions ?? [])
      .filter(({ type }) => type.startsWith('PinnedImageSets'))
      .map(({ type, status: value, reason, message }) => `${type} ${value} ${reason}: ${message}`);
    return { conditions: conditions.toSorted().toReversed(), sets: status?.pinnedImageSets ?? [] };
  };
  type Report = Awaited<ReturnType<typeof reportOf>>;
  const untilReported = (name: NodeName, what: string, holds: (report: Report) => boolean) =>
    eventually(cluster, `${name} reports ${what}`, LIMIT_MS, async () => holds(await reportOf(name)));
  const untilComplete = (name: NodeName, generation: number) =>
    untilReported(name, `generation ${generation} as complete`, ({ conditions, sets }) => {
      return sets[0]?.currentGeneration === generation && conditions[0] === COMPLETE[0];
    });
  const dropIn = (name: NodeName) =>
    cluster.machine(name).output('sh', '-c', `[ ! -e ${DROP_IN} ] || cat ${DROP_IN}`);
  const stateOn = (name: NodeName, one: string) => stateOfImage(cluster.machine(name), one);
  /** CRI-O reads its configuration after the signal that asks for it, not before it returns. */
  const untilState = (name: NodeName, one: string, state: string) =>
    eventually(cluster, `CRI-O of ${name} has the image as ${state}`, LIMIT_MS, async () => {
      return (await stateOn(name, one)) === state;
    });
  const countsOfPool = async () => {
    const [counts] = (await poolOf(cluster))?.status?.poolSynchronizersStatus ?? [];
    return [counts?.poolSynchronizerType, counts?.machineCount, counts?.updatedMachineCount];
  };
  const declare = (...images: readonly string[]) =>
    cluster.kubectl(['apply', '-f', '-'], JSON.stringify(pinnedImageSet(images)));

  it('is pulled and pinned by CRI-O before anything needs its images', async () => {
    for (const name of CRIO) expect([name, await stateOn(name, image)]).toEqual([name, 'absent']);
    await declare(image);
    for (const name of CRIO) {
      await untilComplete(name, 1);
      expect(await reportOf(name)).toEqual({
        conditions: COMPLETE,
        sets: [{ name: SET, desiredGeneration: 1, currentGeneration: 1 }],
      });
      await untilState(name, image, 'pinned');
      expect(await dropIn(name)).toBe(`[crio]\n  [crio.image]\n    pinned_images = ["${image}"]`);
    }
    const digest = image.replace(/^.*@/, '');
    const { requests } = cluster.registry('registry.millwright.dev');
    expect(requests).toContain(`GET /v2/lab/pinned/manifests/${digest}`);
  });

  it('fails on a node of containerd, which the pool does not count', async () => {
    const error = 'pinning images needs CRI-O, and the container runtime of this node is containerd';
    await untilReported(CONTAINERD, 'a failure', ({ sets }) => sets[0]?.lastFailedGeneration === 1);
    expect(await reportOf(CONTAINERD)).toEqual({
      conditions: failed(CONTAINERD),
      sets: [{ name: SET, desiredGeneration: 1, lastFailedGeneration: 1, lastFailedGenerationError: error }],
    });
    await eventually(cluster, 'the pool counts two of three nodes', LIMIT_MS, async () => {
      return String(await countsOfPool()) === 'PinnedImageSets,3,2';
    });
    await untilUpdated(cluster);
  });

  it('is spared by a kubelet that removes unused images for lack of space', async () => {
    const { output } = cluster.machine('ostree-1');
    await runOnce(cluster, 'spare', spareImage);
    expect(await stateOn('ostree-1', spareImage)).toBe('present');
    await output('sh', '-ec', FEEL_PRESSURE, 'pressure', PRESSURE);
    await eventually(cluster, 'the image that no set names is gone', LIMIT_MS, async () => {
      return (await stateOn('ostree-1', spareImage)) === 'absent';
    });
    expect(await stateOn('ostree-1', image)).toBe('pinned');
    await output('sh', '-ec', FEEL_NO_PRESSURE);
    await eventually(cluster, 'the node has space again', LIMIT_MS, async () => {
      const conditions = '{range .status.conditions[*]}{.type}={.status} {end}';
      const text = await cluster.kubectl(['get', 'node', 'ostree-1', '-o', `jsonpath=${conditions}`]);
      return text.includes('DiskPressure=False') && text.includes('Ready=True');
    });
  });

  it('fails with the answer of the registry while that lacks an image, and is complete once it has it', async () => {
    await declare(image, lateImage);
    for (const name of CRIO) {
      await untilReported(name, 'a failure', ({ sets }) => sets[0]?.lastFailedGeneration === 2);
      const { conditions, sets } = await reportOf(name);
      expect(conditions).toEqual(failed(name));
      expect(sets).toEqual([
        {
          ...{ name: SET, desiredGeneration: 2, currentGeneration: 1, lastFailedGeneration: 2 },
          lastFailedGenerationError: expect.stringContaining(
            `failed to pull image "${lateImage}" (4 tries): timed out waiting for the condition: `,
          ),
        },
      ]);
      expect(sets[0]?.lastFailedGenerationError).toMatch(/manifest unknown/);
      await eventually(cluster, `the Node ${name} has an event`, LIMIT_MS, async () => {
        return /Warning +PrefetchFailed .*PinnedImageSet story: .*manifest unknown/.test(
          await cluster.kubectl(['describe', 'node', name]),
        );
      });
      // What is there stays pinned.
      expect([name, await stateOn(name, image)]).toEqual([name, 'pinned']);
    }
    await pushLate(cluster.registry('registry.millwright.dev'));
    for (const name of CRIO) {
      await untilComplete(name, 2);
      expect((await reportOf(name)).conditions).toEqual(COMPLETE);
      await untilState(name, lateImage, 'pinned');
    }
  });

  it('is released when it is deleted', async () => {
    await cluster.kubectl(['delete', 'pinnedimageset', SET]);
    for (const name of [...CRIO, CONTAINERD] as const) {
      await untilReported(name, 'no set', ({ sets }) => sets.length === 0);
      expect((await reportOf(name)).conditions).toEqual(COMPLETE);
    }
    for (const name of CRIO) {
      expect([name, await dropIn(name)]).toEqual([name, '']);
      for (const one of [image, lateImage]) await untilState(name, one, 'present');
    }
    await eventually(cluster, 'the pool counts all nodes', LIMIT_MS, async () => {
      return String(await countsOfPool()) === 'PinnedImageSets,3,3';
    });
  });

  it('has cordoned, drained and rebooted no node in all of this', async () => {
    expect(await drains()).toEqual([]);
    expect(await bootIdsOf(cluster)).toEqual(bootIds);
  });
});

function pinnedImageSet(images: readonly string[]) {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'PinnedImageSet',
    metadata: { name: SET, labels: { 'machineconfiguration.openshift.io/role': 'worker' } },
    spec: { pinnedImages: images.map((name) => ({ name })) },
  };
}

/** A pod of the image, which is on the node afterwards, unused. */
async function runOnce(cluster: Cluster, name: string, image: string): Promise<void> {
  const spec = { nodeName: 'ostree-1', terminationGracePeriodSeconds: 1 };
  const overrides = `--overrides=${JSON.stringify({ spec })}`;
  const flags = ['--restart=Never', overrides, '--command', '--', 'true'];
  await cluster.kubectl(['run', name, `--image=${image}`, ...flags]);
  await eventually(cluster, `the pod ${name} has run`, LIMIT_MS, async () => {
    return (await cluster.kubectl(['get', 'pod', name, '-o', 'jsonpath={.status.phase}'])) === 'Succeeded';
  });
  await cluster.kubectl(['delete', 'pod', name]);
}

async function bootIdsOf({ machines }: Cluster): Promise<readonly string[]> {
  return await Promise.all(machines.map(async ({ name, bootId }) => `${name} ${await bootId()}`));
}

/** The disk of this computer never has so much space: the kubelet removes what is unused. Its critical pods stay. */
const PRESSURE = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
imageMinimumGCAge: 1ms
evictionHard: {nodefs.available: 99%, imagefs.available: 99%}
`;
const PRESSURE_FILE = `${KUBELET_DROPINS}/90-pressure.conf`;
const FEEL_PRESSURE = `printf '%s' "$1" >${PRESSURE_FILE}; systemctl restart kubelet.service`;
const FEEL_NO_PRESSURE = `rm ${PRESSURE_FILE}; systemctl restart kubelet.service`;
