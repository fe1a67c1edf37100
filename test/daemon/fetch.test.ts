/**
 * OS images are downloaded before nodes are drained, and ahead of updates: what a reboot, a change of the target, the death of a
 * daemon and a missing image leave of that.
 */
import { describe, expect, it } from 'vitest';
import { annotations } from '../../src/api/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { FETCHED_IMAGE } from '../../src/node/daemon/state-paths.ts';
import { desiredAnnotations } from '../../src/rollout/index.ts';
import { anImage } from '../host/an-image.ts';
import { aConfig } from './a-config.ts';
import { GONE_OS, NEW_OS, OLD_OS } from './daemon-node.ts';
import { type JoinedNode, lingeringPod } from './joined-node.ts';
import { imageLeftovers } from './power-cuts.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, untilDegraded, condition, pass } = stories;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** The durations of a download in these tests. */
const PULL_MS = 5 * MINUTE;
const SLOW = { durations: { pullMs: PULL_MS } };
const OTHER_OS = `registry.example/os@sha256:${'e'.repeat(64)}`;

const images = async ({ node }: JoinedNode) =>
  (await node.machine.host.os.deployments()).map(
    ({ image, isBooted, isStaged }) => `${image}${isBooted ? ' booted' : ''}${isStaged ? ' staged' : ''}`,
  );
const booted = async (joined: JoinedNode) =>
  (await images(joined)).find((one) => one.endsWith(' booted'))?.replace(' booted', '');
const isCordoned = async ({ node }: JoinedNode) =>
  (await stories.cluster().node(node.name)).spec.unschedulable === true;
const untilFetching = (joined: JoinedNode) =>
  stories
    .cluster()
    .until('it fetches', async () =>
      (await condition(joined, 'AppliedFilesAndOS')).includes(': Fetching OS image'),
    );
const annotationOf = async ({ node }: JoinedNode, key: string) =>
  (await stories.cluster().node(node.name)).metadata.annotations?.[key];
const patchNode = async ({ node }: JoinedNode, changes: { readonly [key: string]: string | null }) => {
  const body = { metadata: { annotations: changes } };
  await stories.cluster().kube.patch(nodeKind, { name: node.name }, { type: 'merge', body });
};
const ask = (joined: JoinedNode, image: string | null) =>
  patchNode(joined, { [annotations.fetchImage]: image });
const untilAnswered = (joined: JoinedNode, image: string | undefined) =>
  stories
    .cluster()
    .until(
      `the answer is ${image}`,
      async () => (await annotationOf(joined, annotations.fetchedImage)) === image,
    );
const leftovers = async (joined: JoinedNode) => [
  ...(await imageLeftovers(joined.node)),
  ...((await joined.node.text(FETCHED_IMAGE)) === undefined ? [] : ['the note']),
];

/** Every moment at which a node was cordoned from now on. */
function cordonsOf(nodes: readonly JoinedNode[]): readonly string[] {
  const seen: string[] = [];
  const names = new Set(nodes.map(({ node }) => node.name));
  stories.cluster().nodes.onChange(({ after }) => {
    if (after?.spec.unschedulable === true && names.has(after.metadata.name)) seen.push(after.metadata.name);
  });
  return seen;
}

describe('a reboot by hand in the middle of a fetch', () => {
  // From its first moment to after its end, while the node is being drained.
  const moments = [0, 1, 20, 60, 120, 180, 240, 299, 300, 310].map((seconds, index) => ({
    seconds,
    how: index % 2 === 0 ? ('reboot' as const) : ('power cut' as const),
  }));

  it.each(moments)('boots the old OS ($how after $seconds s)', async ({ seconds, how }) => {
    const joined = await join({ files: { '/etc/a': 'one' } }, SLOW);
    const { node } = joined;
    const release = await lingeringPod(stories.cluster(), node.name);
    const next = await joined.sendTo('next', { files: { '/etc/a': 'two' }, osImage: NEW_OS });
    await untilFetching(joined);
    await pass(seconds * SECOND);
    const before = await node.machine.host.bootId();
    if (how === 'reboot') await node.machine.host.reboot('by hand');
    else {
      node.machine.cutPower();
      await node.machine.boot();
    }
    await stories
      .cluster()
      .until('it is up', async () => node.machine.isUp && (await node.machine.host.bootId()) !== before);
    expect(await images(joined)).toEqual([`${OLD_OS} booted`]);
    expect(await node.text('/etc/a')).toBe('one');
    await release();
    await stories.cluster().untilDone(node.name, next, 30 * MINUTE);
    expect(await booted(joined)).toBe(NEW_OS);
    expect(await leftovers(joined)).toEqual([]);
  });
});

describe('an OS image that is missing', () => {
  it('leaves every node schedulable, and is used by all of them once it is there', async () => {
    const nodes = await Promise.all([1, 2, 3, 4].map(() => join({ files: { '/etc/a': 'one' } })));
    const cordons = cordonsOf(nodes);
    const next = await Promise.all(
      nodes.map((one) => one.sendTo('next', { files: { '/etc/a': 'two' }, osImage: GONE_OS })),
    );
    for (const joined of nodes) {
      expect(await untilDegraded(joined, /./)).toMatch(
        /^Failed to update OS to \S+ after retries: timed out waiting for the condition; last error: error running rpm-ostree rebase --experimental ostree-unverified-registry:\S+ --download-only: error: Creating importer: .* manifest unknown: exit status 1$/,
      );
      expect(await joined.node.text('/etc/a')).toBe('one');
    }
    await pass(20 * MINUTE);
    expect(cordons).toEqual([]);
    const columns = await Promise.all(
      ['UpdatePrepared', 'UpdateExecuted', 'AppliedFilesAndOS', 'Cordoned', 'Drained', 'NodeDegraded'].map(
        async (type) => `${type} ${(await condition(nodes[0] ?? fail(), type)).split(' ')[0]}`,
      ),
    );
    expect(columns).toEqual([
      'UpdatePrepared True',
      'UpdateExecuted Unknown',
      'AppliedFilesAndOS Unknown',
      'Cordoned False',
      'Drained False',
      'NodeDegraded True',
    ]);
    for (const joined of nodes) joined.images[GONE_OS] = anImage({ digest: 'c', version: '9.6.3' });
    for (const [index, joined] of nodes.entries()) {
      await stories.cluster().untilDone(joined.node.name, next[index] ?? '');
      expect(await booted(joined)).toBe(GONE_OS);
      expect(await condition(joined, 'NodeDegraded')).toMatch(/^False/);
    }
    expect(cordons.length).toBeGreaterThan(0);
  });

  it('is logged with the lines of the article on image mode, in their order', async () => {
    const joined = await join({}, { logsCommands: true });
    await joined.sendTo('next', { osImage: GONE_OS });
    await untilDegraded(joined, /^Failed to update OS/);
    const reference = `ostree-unverified-registry:${GONE_OS}`;
    const from = joined.node.lines.findIndex((line) => line.includes('Updating OS to layered image'));
    expect(joined.node.lines.slice(from, from + 7)).toEqual([
      `I Updating OS to layered image "${GONE_OS}"`,
      '- Running captured: rpm-ostree --version',
      '- Linking rpm-ostree authfile to /var/lib/kubelet/config.json',
      `- Executing rebase to ${GONE_OS}: download only, while the node still serves`,
      `- Running: rpm-ostree rebase --experimental ${reference} --download-only`,
      `- Pulling manifest: ${reference}`,
      expect.stringMatching(
        new RegExp(
          `^W Failed to update OS to ${GONE_OS} \\(will retry\\): error running rpm-ostree rebase --experimental ${reference}.*: error: Creating importer: .* manifest unknown`,
        ),
      ),
    ]);
  });
});

describe('another target in the middle of a fetch', () => {
  it('ends the fetch at once, without a drain for the first one', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } }, SLOW);
    const { node } = joined;
    await joined.sendTo('second', { files: { '/etc/a': 'two' }, osImage: NEW_OS });
    await untilFetching(joined);
    await pass(MINUTE);
    const beganMs = stories.cluster().env.clock.now();
    const third = await joined.sendTo('third', { files: { '/etc/a': 'three' } });
    await stories.cluster().untilDone(node.name, third);
    expect(stories.cluster().env.clock.now() - beganMs).toBeLessThan(PULL_MS - MINUTE);
    expect(await node.text('/etc/a')).toBe('three');
    expect(await booted(joined)).toBe(OLD_OS);
    await pass(PULL_MS);
    expect(await leftovers(joined)).toEqual([]);
  });

  it('fetches its own image instead', async () => {
    const joined = await join({}, SLOW);
    joined.images[OTHER_OS] = anImage({ digest: 'e', version: '9.6.5' });
    await joined.sendTo('second', { osImage: NEW_OS });
    await untilFetching(joined);
    await pass(MINUTE);
    const third = await joined.sendTo('third', { osImage: OTHER_OS });
    await stories.cluster().untilDone(joined.node.name, third, 30 * MINUTE);
    expect(await booted(joined)).toBe(OTHER_OS);
    expect(await leftovers(joined)).toEqual([]);
  });

  it('removes what was fetched and is not used', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } }, SLOW);
    const { node, first } = joined;
    const release = await lingeringPod(stories.cluster(), node.name);
    await joined.sendTo('second', { osImage: NEW_OS });
    await stories.cluster().until('it is fetched', () => isCordoned(joined));
    expect(await leftovers(joined)).not.toEqual([]);
    await stories.cluster().send(node.name, first);
    await stories.cluster().untilDone(node.name, first);
    await pass(MINUTE);
    expect(await leftovers(joined)).toEqual([]);
    await release();
  });
});

describe('a daemon that dies in the middle of a fetch', () => {
  it('is followed by one that fetches the image', async () => {
    const joined = await join({}, SLOW);
    const next = await joined.sendTo('next', { osImage: NEW_OS });
    await untilFetching(joined);
    for (const _ of [1, 2, 3]) {
      await pass(MINUTE);
      joined.node.restartDaemon();
    }
    expect(await isCordoned(joined)).toBe(false);
    await stories.cluster().untilDone(joined.node.name, next, 30 * MINUTE);
    expect(await booted(joined)).toBe(NEW_OS);
    expect(await leftovers(joined)).toEqual([]);
  });

  it('is followed by one that removes what is no longer wanted', async () => {
    const joined = await join({}, SLOW);
    const { node, first } = joined;
    await joined.sendTo('next', { osImage: NEW_OS });
    await untilFetching(joined);
    node.stopDaemon();
    await stories.cluster().send(node.name, first);
    await pass(PULL_MS);
    node.startDaemon();
    await stories.cluster().untilDone(node.name, first);
    await pass(MINUTE);
    expect(await leftovers(joined)).toEqual([]);
  });
});

describe('a fetched image', () => {
  it('survives a cleanup, and is staged without the registry', async () => {
    const joined = await join();
    const { node } = joined;
    const release = await lingeringPod(stories.cluster(), node.name);
    const next = await joined.sendTo('next', { osImage: NEW_OS });
    await stories.cluster().until('it is fetched', () => isCordoned(joined));
    await node.machine.host.os.dropPending();
    await node.machine.host.os.dropRollback();
    delete joined.images[NEW_OS];
    await release();
    await stories.cluster().untilDone(node.name, next);
    expect(await booted(joined)).toBe(NEW_OS);
  });
});

describe('an image that is fetched ahead', () => {
  it('changes nothing but the answer, and makes the update independent of the registry', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } }, SLOW);
    const { node } = joined;
    const record = async () =>
      (await stories.cluster().machineConfigNode(node.name)).metadata.resourceVersion;
    const version = await record();
    await ask(joined, NEW_OS);
    await pass(PULL_MS / 2);
    expect(await annotationOf(joined, annotations.fetchedImage)).toBe(undefined);
    await untilAnswered(joined, NEW_OS);
    expect(await record()).toBe(version);
    expect(await stories.cluster().annotation(node.name, 'state')).toBe('Done');
    expect(await images(joined)).toEqual([`${OLD_OS} booted`]);
    delete joined.images[NEW_OS];
    const beganMs = stories.cluster().env.clock.now();
    const next = `rendered-${node.name}-next`;
    await stories.cluster().addConfig(aConfig(next, { files: { '/etc/a': 'two' }, osImage: NEW_OS }));
    // As the node controller writes it.
    await patchNode(joined, desiredAnnotations({ config: next }));
    await stories.cluster().untilDone(node.name, next);
    expect(stories.cluster().env.clock.now() - beganMs).toBeLessThan(PULL_MS);
    expect(await booted(joined)).toBe(NEW_OS);
    expect(await annotationOf(joined, annotations.fetchedImage)).toBe(undefined);
    expect(await leftovers(joined)).toEqual([]);
  });

  it('goes on where the node is sent before it is there', async () => {
    const joined = await join({}, SLOW);
    await ask(joined, NEW_OS);
    await pass(PULL_MS - MINUTE);
    const beganMs = stories.cluster().env.clock.now();
    const next = await joined.sendTo('next', { osImage: NEW_OS });
    await ask(joined, null);
    await stories.cluster().until('it is cordoned', () => isCordoned(joined));
    expect(stories.cluster().env.clock.now() - beganMs).toBeLessThan(2 * MINUTE);
    await stories.cluster().untilDone(joined.node.name, next);
  });

  it('is removed where it is no longer asked for, also in the middle of the download', async () => {
    const joined = await join({}, SLOW);
    await ask(joined, NEW_OS);
    await pass(MINUTE);
    await ask(joined, null);
    await pass(2 * PULL_MS);
    expect(await leftovers(joined)).toEqual([]);
    await ask(joined, NEW_OS);
    await untilAnswered(joined, NEW_OS);
    await ask(joined, null);
    await untilAnswered(joined, undefined);
    expect(await leftovers(joined)).toEqual([]);
  });

  it('is replaced where another one is asked for', async () => {
    const joined = await join({}, SLOW);
    joined.images[OTHER_OS] = anImage({ digest: 'e', version: '9.6.5' });
    await ask(joined, NEW_OS);
    await untilAnswered(joined, NEW_OS);
    await ask(joined, OTHER_OS);
    await untilAnswered(joined, OTHER_OS);
    expect(await imageLeftovers(joined.node)).toEqual([`image sha256-${'e'.repeat(64)}`]);
  });

  it('is answered at once where the node runs it', async () => {
    const joined = await join({}, SLOW);
    await ask(joined, OLD_OS);
    await pass(SECOND);
    expect(await annotationOf(joined, annotations.fetchedImage)).toBe(OLD_OS);
  });

  it('does not degrade the node where it cannot be fetched, and is fetched once it can', async () => {
    const joined = await join();
    const { node } = joined;
    await ask(joined, GONE_OS);
    await pass(20 * MINUTE);
    expect(await stories.cluster().annotation(node.name, 'state')).toBe('Done');
    expect(await condition(joined, 'Updated')).toMatch(/^True/);
    const failures = node.lines.filter((line) => line.includes('ahead of an update (will retry)'));
    // 10, 20 and 40 seconds apart, then every minute.
    expect(failures.length).toBeGreaterThan(15);
    expect(failures.length).toBeLessThan(25);
    joined.images[GONE_OS] = anImage({ digest: 'c' });
    await untilAnswered(joined, GONE_OS);
  });

  it('does not wait for the retry of another one', async () => {
    const joined = await join();
    await ask(joined, GONE_OS);
    await pass(20 * MINUTE);
    await ask(joined, NEW_OS);
    await pass(15 * SECOND);
    expect(await annotationOf(joined, annotations.fetchedImage)).toBe(NEW_OS);
  });

  it('does not keep the daemon from its other work', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } }, SLOW);
    await ask(joined, NEW_OS);
    await pass(MINUTE);
    await joined.node.write('/etc/a', 'by hand');
    await untilDegraded(joined, /content mismatch for file "\/etc\/a"/, MINUTE);
    expect(await annotationOf(joined, annotations.fetchedImage)).toBe(undefined);
  });
});

function fail(): never {
  throw new Error('there is no such node');
}
