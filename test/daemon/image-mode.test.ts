/**
 * A node on its way into image mode, between images and back: which OS it boots, and that files of its config survive the
 * merge of /etc, by which OSTree takes back what belongs to an image.
 */
import { describe, expect, it } from 'vitest';
import { CURRENT_CONFIG, CURRENT_IMAGE } from '../../src/node/daemon/state-paths.ts';
import { anImage } from '../host/an-image.ts';
import { aConfig, aUnit, type ConfigParts } from './a-config.ts';
import { OLD_OS, osImages } from './daemon-node.ts';
import type { JoinedNode } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, annotate, untilDegraded, pass } = stories;
const MINUTE = 60_000;

const BUILT = `registry.example/built@sha256:${'1'.repeat(64)}`;
const REBUILT = `registry.example/built@sha256:${'2'.repeat(64)}`;
const UNIT = aUnit('app.service', 'app');
const UNIT_TEXT =
  '[Unit]\nDescription=app\n[Service]\nExecStart=/usr/bin/true\n[Install]\nWantedBy=multi-user.target\n';

/** With the files and units that it was built with, as the defaults of its own /etc. */
const images = () => ({
  ...osImages(),
  [BUILT]: anImage({
    digest: '1',
    files: {
      '/etc/a': 'one',
      '/etc/chrony.conf': 'pool ours\n',
      '/etc/systemd/system/app.service': UNIT_TEXT,
      '/etc/systemd/system/chronyd.service': '-> /dev/null',
      '/etc/of-image': 'x',
      '/usr/bin/yq': 'yq',
    },
  }),
  [REBUILT]: anImage({ digest: '2', files: { '/etc/chrony.conf': 'pool other\n', '/usr/bin/jq': 'jq' } }),
});

const CONFIG: ConfigParts = {
  files: { '/etc/a': 'one', '/etc/chrony.conf': 'pool ours\n' },
  units: [UNIT, { name: 'chronyd.service', mask: true, contents: 'x' }],
};

const joinBuilt = () => join(CONFIG, { images: images() });

const bootedImage = async ({ node }: JoinedNode) =>
  (await node.machine.host.os.deployments()).find(({ isBooted }) => isBooted)?.image;

/** Sends the node to an image, or out of image mode; its config stays. */
async function sendToImage(joined: JoinedNode, image: string | null): Promise<void> {
  const { node } = joined;
  await annotate(joined, { desiredImage: image });
  await stories.cluster().until(`${node.name} has ${image}`, async () => {
    const [config, desired, current] = await Promise.all(
      (['currentConfig', 'desiredConfig', 'currentImage'] as const).map((key) =>
        stories.cluster().annotation(node.name, key),
      ),
    );
    const state = await stories.cluster().annotation(node.name, 'state');
    return config === desired && current === (image ?? '') && state === 'Done';
  });
}

async function filesOf({ node }: JoinedNode) {
  const { files } = node.machine.host;
  const modeOf = async (path: string) => (await files.stat(path))?.mode.toString(8);
  return {
    a: [await node.text('/etc/a'), await modeOf('/etc/a')],
    chrony: [await node.text('/etc/chrony.conf'), await modeOf('/etc/chrony.conf')],
    unit: [
      await node.text('/etc/systemd/system/app.service'),
      await modeOf('/etc/systemd/system/app.service'),
    ],
    mask: (await files.stat('/etc/systemd/system/chronyd.service'))?.target,
    ofImage: await node.text('/etc/of-image'),
  };
}

const OF_CONFIG = {
  a: ['one', '644'],
  chrony: ['pool ours\n', '644'],
  unit: [UNIT_TEXT, '644'],
  mask: '/dev/null',
};

describe('a node in image mode', () => {
  it('boots the image, and goes back to the base image with all files of its config and none of the image', async () => {
    const joined = await joinBuilt();
    const { node } = joined;
    await sendToImage(joined, BUILT);
    expect(await bootedImage(joined)).toBe(BUILT);
    expect(await node.text('/usr/bin/yq')).toBe('yq');
    expect(await node.text(CURRENT_IMAGE)).toBe(BUILT);
    expect(await filesOf(joined)).toEqual({ ...OF_CONFIG, ofImage: 'x' });

    await sendToImage(joined, null);
    expect(await bootedImage(joined)).toBe(OLD_OS);
    expect(await node.text('/usr/bin/yq')).toBeUndefined();
    expect(await node.text(CURRENT_IMAGE)).toBeUndefined();
    expect(await filesOf(joined)).toEqual({ ...OF_CONFIG, ofImage: undefined });
    expect((await stories.cluster().node(node.name)).metadata.annotations).not.toHaveProperty([
      'machineconfiguration.openshift.io/currentImage',
    ]);
    // Nothing that it finds later is drift.
    node.restartDaemon();
    await pass(5 * MINUTE);
    expect(await stories.cluster().annotation(node.name, 'state')).toBe('Done');
  });

  it('keeps the files of its config with an image that has others at their paths', async () => {
    const joined = await joinBuilt();
    await sendToImage(joined, BUILT);
    await sendToImage(joined, REBUILT);
    expect(await bootedImage(joined)).toBe(REBUILT);
    expect(await filesOf(joined)).toEqual({ ...OF_CONFIG, ofImage: undefined });
  });

  it('keeps its stored config although its image was built with the same', async () => {
    const all: ReturnType<typeof osImages> = images();
    const joined = await join(CONFIG, { images: all });
    await sendToImage(joined, BUILT);
    const stored = (await joined.node.text(CURRENT_CONFIG)) ?? '';
    all[REBUILT] = anImage({ digest: '2', files: { [CURRENT_CONFIG]: stored } });
    await sendToImage(joined, REBUILT);
    await sendToImage(joined, null);
    expect(await joined.node.text(CURRENT_CONFIG)).toBe(stored);
  });

  it('is rolled back with all files of its config from an image that it booted and that does not fit', async () => {
    const joined = await joinBuilt();
    const { node, first } = joined;
    const next = `rendered-${node.name}-next`;
    await stories
      .cluster()
      .addConfig(aConfig(next, { ...CONFIG, files: { ...CONFIG.files, '/etc/b': 'b' } }));
    await annotate(joined, { desiredConfig: next, desiredImage: BUILT });
    const isRebooting = async () => node.lines.some((line) => line.includes('reboot successful'));
    await stories.cluster().until('it reboots', isRebooting);
    node.stopDaemon();
    await pass(2 * MINUTE);
    expect(await bootedImage(joined)).toBe(BUILT);
    await node.write('/etc/a', 'by hand');
    node.startDaemon();
    await untilDegraded(joined, /content mismatch for file "\/etc\/a"/);
    await annotate(joined, { desiredConfig: first, desiredImage: null });
    await sendToImage(joined, null);
    expect(await bootedImage(joined)).toBe(OLD_OS);
    expect(await filesOf(joined)).toEqual({ ...OF_CONFIG, ofImage: undefined });
    expect(await node.text('/etc/b')).toBeUndefined();
  });

  it('gets files without another OS while its image stays the same', async () => {
    const joined = await joinBuilt();
    await sendToImage(joined, BUILT);
    const from = joined.node.lines.length;
    const next = await joined.sendTo('next', { ...CONFIG, files: { ...CONFIG.files, '/etc/a': 'two' } });
    await stories.cluster().untilDone(joined.node.name, next);
    expect(await joined.node.text('/etc/a')).toBe('two');
    expect(await bootedImage(joined)).toBe(BUILT);
    const lines = joined.node.lines.slice(from).join('\n');
    expect(lines).not.toContain('Executing rebase');
    expect(lines).toContain(`In desired state MachineConfig: ${next} / Image: ${BUILT}`);
  });

  it('keeps the files of its config when it goes back although the power is cut on the way', async () => {
    const joined = await joinBuilt();
    const { node } = joined;
    await sendToImage(joined, BUILT);
    await annotate(joined, { desiredImage: null });
    const from = node.lines.length;
    const isStaged = async () =>
      node.lines.slice(from).some((line) => line.includes('Staging deployment')) ||
      (await node.machine.host.os.deployments()).some((one) => one.isStaged);
    await stories.cluster().until('it is staged', isStaged);
    node.machine.cutPower();
    await pass(MINUTE);
    await node.machine.boot();
    await sendToImage(joined, null);
    expect(await bootedImage(joined)).toBe(OLD_OS);
    expect(await filesOf(joined)).toEqual({ ...OF_CONFIG, ofImage: undefined });
  });

  it('keeps its image, and the modes of its files, where the base image cannot be pulled', async () => {
    const all: ReturnType<typeof osImages> = images();
    const joined = await join(CONFIG, { images: all });
    await sendToImage(joined, BUILT);
    delete all[OLD_OS];
    await annotate(joined, { desiredImage: null });
    const reason = await untilDegraded(joined, /Failed to update OS/, 30 * MINUTE);
    expect(reason).toContain(
      `Failed to update OS to ${OLD_OS} after retries: timed out waiting for the condition`,
    );
    await pass(10 * MINUTE);
    expect(await bootedImage(joined)).toBe(BUILT);
    expect(await filesOf(joined)).toEqual({ ...OF_CONFIG, ofImage: 'x' });
    await sendToImage(joined, BUILT);
  });
});
