/**
 * OS images that nodes may and may not be given, and machines whose OS cannot be changed.
 */
import { describe, expect, it } from 'vitest';
import { JOURNAL } from '../../src/node/daemon/index.ts';
import { anImage } from '../host/an-image.ts';
import { NEW_OS, OLD_OS, osImages } from './daemon-node.ts';
import type { JoinedNode } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, untilDegraded, condition, pass } = stories;
const MINUTE = 60_000;

const IOT_OS = `registry.example/iot@sha256:${'d'.repeat(64)}`;
const iot = anImage({
  digest: 'd',
  version: '42',
  files: {
    '/usr/lib/os-release': '-> ./os.release.d/os-release-iot',
    '/usr/lib/os.release.d/os-release-iot': 'ID=fedora\nVARIANT_ID=iot\nVERSION_ID=42\n',
  },
});
const images = () => ({ ...osImages(), [IOT_OS]: iot });

const bootedImage = async ({ node }: JoinedNode) =>
  (await node.machine.host.os.deployments()).find(({ isBooted }) => isBooted)?.image;
const deployments = async ({ node }: JoinedNode) =>
  (await node.machine.host.os.deployments()).map(({ image }) => image);

describe('an OS image that is not CoreOS', () => {
  it('is refused with its reason, and nothing stays staged', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } }, { images: images() });
    const bootId = await joined.node.machine.host.bootId();
    await joined.sendTo('next', { files: { '/etc/a': 'two' }, osImage: IOT_OS });
    const reason = await untilDegraded(joined, /refusing OS image/);
    expect(reason).toBe(
      `refusing OS image ${IOT_OS}: its os-release has ID="fedora" and VARIANT_ID="iot", and a node that runs CoreOS is only updated to CoreOS (VARIANT_ID="coreos")`,
    );
    await pass(10 * MINUTE);
    // Between two attempts.
    await stories
      .cluster()
      .until('it is rolled back', async () => (await joined.node.text(JOURNAL)) === undefined);
    expect(await deployments(joined)).toEqual([OLD_OS]);
    expect(await joined.node.text('/etc/a')).toBe('one');
    expect(await joined.node.machine.host.bootId()).toBe(bootId);
    expect(await condition(joined, 'Updated')).toMatch(/^False/);
    await stories.cluster().send(joined.node.name, joined.first);
    await stories.cluster().untilDone(joined.node.name, joined.first);
    expect(await joined.node.machine.host.bootId()).toBe(bootId);
  });

  it('does not hold a node that runs it: the next config boots its own image', async () => {
    const joined = await join({ osImage: IOT_OS }, { images: images(), image: IOT_OS });
    expect(await bootedImage(joined)).toBe(IOT_OS);
    const next = await joined.sendTo('next', { osImage: NEW_OS });
    await stories.cluster().untilDone(joined.node.name, next);
    expect(await bootedImage(joined)).toBe(NEW_OS);
  });
});
