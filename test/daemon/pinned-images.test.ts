/**
 * PinnedImageSets on a node: what is pulled, pinned and reported, and what is left by a full disk, a registry that goes down, a
 * change of the set, a reboot and a killed daemon.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { annotations, pinnedImageSet as pinnedImageSetKind } from '../../src/api/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { PINNED_IMAGES } from '../../src/node/daemon/state-paths.ts';
import { DROP_IN_PATH } from '../../src/node/pinned/index.ts';
import { aMissingImage, ContainerRegistry } from './container-registry.ts';
import { NO_TIME } from './daemon-node.ts';
import type { JoinedNode } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { pass } = stories;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const GI = 1024 ** 3;
const NO_SPACE = 'no space left on device';

let registry: ContainerRegistry;
let count = 0;

beforeAll(() => {
  registry = new ContainerRegistry(stories.cluster().env);
});

const join = () =>
  stories.join({}, { containersFor: (host) => registry.images.containersFor(host), durations: NO_TIME });

/** A set of its own for each test. */
async function aSet(...images: readonly string[]): Promise<string> {
  const name = `set-${count++}`;
  await stories.cluster().kube.create(pinnedImageSetKind, {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'PinnedImageSet',
    metadata: { name },
    spec: { pinnedImages: images.map((image) => ({ name: image })) },
  });
  return name;
}

async function change(name: string, ...images: readonly string[]): Promise<void> {
  const body = { spec: { pinnedImages: images.map((image) => ({ name: image })) } };
  await stories.cluster().kube.patch(pinnedImageSetKind, { name }, { type: 'merge', body });
}

/** As the controller does. */
async function assign({ node }: JoinedNode, ...sets: readonly string[]): Promise<void> {
  const value = sets.length === 0 ? null : sets.join(',');
  const body = { metadata: { annotations: { [annotations.pinnedImageSets]: value } } };
  await stories.cluster().kube.patch(nodeKind, { name: node.name }, { type: 'merge', body });
}

const entries = async ({ node }: JoinedNode) =>
  (await stories.cluster().machineConfigNode(node.name)).status?.pinnedImageSets;
const conditions = async (joined: JoinedNode) =>
  await Promise.all(
    ['PinnedImageSetsProgressing', 'PinnedImageSetsDegraded'].map((type) => stories.condition(joined, type)),
  );
const dropIn = ({ node }: JoinedNode) => node.text(DROP_IN_PATH);
const pinning = (...images: readonly string[]) =>
  `[crio]\n  [crio.image]\n    pinned_images = [${[...images]
    .sort()
    .map((image) => `"${image}"`)
    .join(', ')}]\n`;
const isPresent = ({ node }: JoinedNode, image: string) =>
  node.machine.host.images.isPresent(image, new AbortController().signal);
const reloads = async ({ node }: JoinedNode) =>
  (await node.machine.services()).find(({ name }) => name === 'crio.service')?.reloads;

const COMPLETE = [
  'False AsExpected: All pinned image sets complete',
  'False AsExpected: All is good',
] as const;
const failing = ({ node }: JoinedNode) => [
  `True ImagePrefetch: node is prefetching images: ${node.name}`,
  'True PrefetchFailed: One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details',
];

const until = (what: string, holds: () => Promise<boolean>) =>
  stories.cluster().until(what, holds, 30 * MINUTE);
const untilComplete = (joined: JoinedNode, name: string, generation: number) =>
  until(`${name} is complete in generation ${generation}`, async () =>
    ((await entries(joined)) ?? []).some(
      (entry) => entry.name === name && entry.currentGeneration === generation,
    ),
  );
const untilFailed = async (joined: JoinedNode, name: string, error: string) => {
  const found = async () => ((await entries(joined)) ?? []).find((entry) => entry.name === name);
  await until(`${name} fails: ${error}`, async () =>
    ((await found())?.lastFailedGenerationError ?? '').includes(error),
  );
  return await found();
};

describe('a node without PinnedImageSets', () => {
  it('says that all are complete, and touches no file of others', async () => {
    const joined = await join();
    await until('it reports', async () => (await conditions(joined))[1] === COMPLETE[1]);
    expect(await conditions(joined)).toEqual(COMPLETE);
    await joined.node.write(DROP_IN_PATH, 'by hand');
    joined.node.restartDaemon();
    await pass(MINUTE);
    expect(await dropIn(joined)).toBe('by hand');
    expect(await entries(joined)).toBeUndefined();
  });
});

describe('a PinnedImageSet', () => {
  it('is pulled, pinned and reported, and released when it is gone', async () => {
    const joined = await join();
    const [one, two] = [await registry.push('one', 'a', 'b'), await registry.push('two', 'b', 'c')];
    const before = (await reloads(joined)) ?? 0;
    const set = await aSet(two, one);
    await assign(joined, set);
    await untilComplete(joined, set, 1);
    expect(await entries(joined)).toEqual([{ name: set, desiredGeneration: 1, currentGeneration: 1 }]);
    expect(await conditions(joined)).toEqual(COMPLETE);
    expect(await dropIn(joined)).toBe(pinning(one, two));
    expect(await isPresent(joined, one)).toBe(true);
    expect(await reloads(joined)).toBe(before + 1);
    // It is no file of the config.
    await joined.node.write('/etc/touched', 'x');
    await pass(MINUTE);
    expect(await stories.cluster().annotation(joined.node.name, 'state')).toBe('Done');
    await assign(joined);
    await until('it is released', async () => (await entries(joined)) === undefined);
    expect(await dropIn(joined)).toBeUndefined();
    expect(await reloads(joined)).toBe(before + 2);
    // The images stay until the runtime needs the space.
    expect(await isPresent(joined, one)).toBe(true);
  });

  it('fails with the words of upstream where an image does not exist, and is complete once it is mended', async () => {
    const joined = await join();
    const image = await registry.push('mended', 'a');
    const set = await aSet(image);
    await change(set, aMissingImage);
    await assign(joined, set);
    const error = `failed to execute podman manifest inspect for "${aMissingImage}": exit status 125`;
    await untilFailed(joined, set, error);
    expect(await entries(joined)).toEqual([
      { name: set, desiredGeneration: 2, lastFailedGeneration: 2, lastFailedGenerationError: error },
    ]);
    expect(await conditions(joined)).toEqual(failing(joined));
    expect(await dropIn(joined)).toBeUndefined();
    expect(joined.node.lines.join('\n')).toContain('manifest unknown');
    await change(set, image);
    await untilComplete(joined, set, 3);
    expect(await entries(joined)).toEqual([{ name: set, desiredGeneration: 3, currentGeneration: 3 }]);
    expect(await conditions(joined)).toEqual(COMPLETE);
    expect(await dropIn(joined)).toBe(pinning(image));
  });

  it('does not keep another one from being complete', async () => {
    const joined = await join();
    const image = await registry.push('beside', 'a');
    const [good, bad] = [await aSet(image), await aSet(aMissingImage)];
    await assign(joined, bad, good);
    await untilFailed(joined, bad, 'exit status 125');
    await untilComplete(joined, good, 1);
    expect(await dropIn(joined)).toBe(pinning(image));
    expect(await conditions(joined)).toEqual(failing(joined));
  });

  it('gives way to a drop-in of the config', async () => {
    const joined = await stories.join(
      { files: { [DROP_IN_PATH]: 'mine' } },
      { containersFor: registry.images.containersFor, durations: NO_TIME },
    );
    const set = await aSet(await registry.push('refused', 'a'));
    await assign(joined, set);
    await untilFailed(joined, set, `${DROP_IN_PATH} is a file of the node's config`);
    expect(await dropIn(joined)).toBe('mine');
    expect(await stories.cluster().annotation(joined.node.name, 'state')).toBe('Done');
  });

  it('is looked after: an image that somebody removes is pulled again', async () => {
    const joined = await join();
    const image = await registry.push('removed', 'a');
    const set = await aSet(image);
    await assign(joined, set);
    await untilComplete(joined, set, 1);
    await joined.node.machine.host.files.removeFolder('/var/lib/containers/storage');
    await until('it is there again', () => isPresent(joined, image));
    await untilComplete(joined, set, 1);
  });

  it('that was created anew is reported from its first generation on', async () => {
    const joined = await join();
    const [first, second] = [await registry.push('first', 'a'), await registry.push('second', 'b')];
    const set = await aSet(first);
    await change(set, first, second);
    await assign(joined, set);
    await untilComplete(joined, set, 2);
    const { kube } = stories.cluster();
    await kube.delete(pinnedImageSetKind, { name: set });
    await kube.create(pinnedImageSetKind, {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'PinnedImageSet',
      metadata: { name: set },
      spec: { pinnedImages: [{ name: second }] },
    });
    await untilComplete(joined, set, 1);
    expect(await dropIn(joined)).toBe(pinning(second));
  });
});

describe('a full disk', () => {
  const shrink = (joined: JoinedNode, bytes: number) => {
    const { disk } = joined.node;
    const path = '/machine/disk-bytes';
    return disk
      .stat(path)
      .then((stat) => (stat === undefined ? disk.create(path, 0o644) : undefined))
      .then(() => disk.write(path, new TextEncoder().encode(`${bytes}\n`)));
  };

  it('is noticed before anything is pulled, and the set is complete once there is space', async () => {
    const joined = await join();
    await shrink(joined, 10 * GI);
    const set = await aSet(await registry.push('large', 'x'.repeat(1_000)));
    const requests = registry.blobRequests;
    await assign(joined, set);
    await untilFailed(
      joined,
      set,
      'storage available is less than minimum required capacity: 10Gi, required: 16Gi',
    );
    expect(await dropIn(joined)).toBeUndefined();
    expect(registry.blobRequests).toBe(requests);
    await shrink(joined, 100 * GI);
    await untilComplete(joined, set, 1);
    expect(await conditions(joined)).toEqual(COMPLETE);
  });

  it('in the middle of a pull ends all pulls at once, and pins only what is whole', async () => {
    const joined = await join();
    const [small, large] = [
      await registry.push('a-small', 's'),
      await registry.push('b-large', 'l'.repeat(999)),
    ];
    const sets = [await aSet(small), await aSet(large)] as const;
    await assign(joined, sets[0]);
    await untilComplete(joined, sets[0], 1);
    registry.hold();
    await assign(joined, ...sets);
    await until('it pulls', async () => registry.held > 0);
    await shrink(joined, 1);
    registry.release();
    const entry = await untilFailed(joined, sets[1], NO_SPACE);
    expect(entry?.lastFailedGenerationError).toMatch(
      /^failed to pull image ".*" \(1 tries\): writing blob: /,
    );
    expect(await isPresent(joined, large)).toBe(false);
    expect(await dropIn(joined)).toBe(pinning(small));
    await shrink(joined, 100 * GI);
    await untilComplete(joined, sets[1], 1);
    expect(await dropIn(joined)).toBe(pinning(small, large));
  });
});

describe('a registry that goes down in the middle of a pull', () => {
  it('leaves nothing pinned or claimed, and the set is complete once it is back', async () => {
    const joined = await join();
    const image = await registry.push('downed', 'a', 'b');
    const set = await aSet(image);
    registry.hold();
    await assign(joined, set);
    await until('it pulls', async () => registry.held > 0);
    registry.goDown();
    await untilFailed(joined, set, '');
    await until('it fails', async () => (await conditions(joined))[1]?.startsWith('True') === true);
    expect(await isPresent(joined, image)).toBe(false);
    expect(await dropIn(joined)).toBeUndefined();
    registry.comeBack();
    await untilComplete(joined, set, 1);
    expect(await dropIn(joined)).toBe(pinning(image));
  });
});

describe('a set that changes while it is pulled', () => {
  it('is pulled as it is now, and nothing of before is pinned', async () => {
    const joined = await join();
    const [before, after] = [await registry.push('before', 'b1'), await registry.push('after', 'a1')];
    const set = await aSet(before);
    registry.hold();
    await assign(joined, set);
    await until('it pulls', async () => registry.held > 0);
    await change(set, after);
    await until('the new one is pulled', async () => registry.held > 1);
    registry.release();
    await untilComplete(joined, set, 2);
    expect(await dropIn(joined)).toBe(pinning(after));
    expect(await entries(joined)).toEqual([{ name: set, desiredGeneration: 2, currentGeneration: 2 }]);
  });

  it('is released where it is deleted meanwhile', async () => {
    const joined = await join();
    const set = await aSet(await registry.push('deleted', 'd1'));
    registry.hold();
    await assign(joined, set);
    await until('it pulls', async () => registry.held > 0);
    await stories.cluster().kube.delete(pinnedImageSetKind, { name: set });
    await until('it is released', async () => (await entries(joined)) === undefined);
    registry.release();
    await pass(MINUTE);
    expect(await dropIn(joined)).toBeUndefined();
    expect(await conditions(joined)).toEqual(COMPLETE);
  });
});

describe('a node that moves to another pool in the middle of a pull', () => {
  it('pulls the sets of its new pool at once, and claims nothing of the old one', async () => {
    const joined = await join();
    const [old, both, next] = [
      await registry.push('of-old-pool', 'o1'),
      await registry.push('of-both-pools', 's1'),
      await registry.push('of-new-pool', 'n1'),
    ];
    const sets = [await aSet(old), await aSet(both), await aSet(next)] as const;
    await assign(joined, sets[1]);
    await untilComplete(joined, sets[1], 1);
    registry.hold();
    await assign(joined, sets[0], sets[1]);
    await until('it pulls', async () => registry.held > 0);
    await assign(joined, sets[1], sets[2]);
    await until('it pulls the other one', async () => registry.held > 1);
    expect(await entries(joined)).toEqual([
      { name: sets[1], desiredGeneration: 1, currentGeneration: 1 },
      { name: sets[2], desiredGeneration: 1 },
    ]);
    registry.release();
    await untilComplete(joined, sets[2], 1);
    expect(await dropIn(joined)).toBe(pinning(both, next));
    expect(await conditions(joined)).toEqual(COMPLETE);
    expect(await isPresent(joined, old)).toBe(false);
  });
});

describe('a node that goes down in the middle of a pull', () => {
  it.each(['reboot', 'power cut', 'kill of the daemon'] as const)(
    'has nothing pinned or claimed after a %s, and completes the set',
    async (how) => {
      const joined = await join();
      const { node } = joined;
      const kept = await registry.push(`kept-${how.replaceAll(' ', '-')}`, 'k', how);
      const image = await registry.push(`cut-${how.replaceAll(' ', '-')}`, how, 'z');
      const sets = [await aSet(kept), await aSet(image)] as const;
      await assign(joined, sets[0]);
      await untilComplete(joined, sets[0], 1);
      registry.hold();
      await assign(joined, ...sets);
      await until('it pulls', async () => registry.held > 0);
      if (how === 'reboot') {
        await node.machine.host.reboot('by hand');
        await pass(SECOND);
      } else if (how === 'power cut') {
        node.machine.cutPower();
        await pass(SECOND);
        await node.machine.boot();
      } else node.restartDaemon();
      await pass(10 * SECOND);
      expect(await isPresent(joined, image)).toBe(false);
      expect(await dropIn(joined)).toBe(pinning(kept));
      expect(await entries(joined)).toEqual([
        { name: sets[0], desiredGeneration: 1, currentGeneration: 1 },
        { name: sets[1], desiredGeneration: 1 },
      ]);
      registry.release();
      await untilComplete(joined, sets[1], 1);
      expect(await dropIn(joined)).toBe(pinning(kept, image));
    },
  );

  it('reloads CRI-O once more where it was killed before that', async () => {
    const joined = await join();
    const set = await aSet(await registry.push('reloaded', 'r'));
    await assign(joined, set);
    await untilComplete(joined, set, 1);
    const before = (await reloads(joined)) ?? 0;
    await joined.node.write(PINNED_IMAGES, 'reload\n');
    joined.node.restartDaemon();
    await pass(MINUTE);
    expect(await reloads(joined)).toBe(before + 1);
    expect(await joined.node.text(PINNED_IMAGES)).toBe('');
  });
});

describe('an update of a node', () => {
  it('waits for no image, and what was pinned stays', async () => {
    const joined = await join();
    const kept = await registry.push('updated', 'u');
    const sets = [await aSet(kept), await aSet(await registry.push('slow', 's1'))] as const;
    await assign(joined, sets[0]);
    await untilComplete(joined, sets[0], 1);
    registry.hold();
    await assign(joined, ...sets);
    await until('it pulls', async () => registry.held > 0);
    const next = await joined.sendTo('next', { kernelArguments: ['quiet'] });
    await stories.cluster().untilDone(joined.node.name, next);
    expect(await dropIn(joined)).toBe(pinning(kept));
    expect((await conditions(joined))[0]).toBe(failing(joined)[0]);
    registry.release();
    await untilComplete(joined, sets[1], 1);
  });
});

describe('many images', () => {
  it.each([
    ['a worker', {}, 5],
    ['the control plane', { 'node-role.kubernetes.io/master': '' }, 1],
  ])('are pulled a few at a time by %s', async (_, labels, most) => {
    const joined = await join();
    const { kube } = stories.cluster();
    await kube.patch(nodeKind, { name: joined.node.name }, { type: 'merge', body: { metadata: { labels } } });
    const images: string[] = [];
    for (let index = 0; index < 12; index++)
      images.push(await registry.push(`many-${most}-${index}`, `${index}`));
    const set = await aSet(...images);
    registry.hold();
    await assign(joined, set);
    await until('it pulls', async () => registry.held === most);
    await pass(5 * SECOND);
    expect(registry.held).toBe(most);
    registry.release();
    await untilComplete(joined, set, 1);
  });

  it('that take longer than the limit are reported, and pulled by the next pass', async () => {
    const joined = await join();
    const images: string[] = [];
    for (let index = 0; index < 12; index++) images.push(await registry.push(`late-${index}`, `${index}`));
    const set = await aSet(...images);
    registry.hold();
    await assign(joined, set);
    await untilFailed(joined, set, 'requeue: prefetching images incomplete after timeout: 5m0s');
    registry.release();
    await untilComplete(joined, set, 1);
    expect(await conditions(joined)).toEqual(COMPLETE);
  });
});
