/**
 * Rollbacks of a config whose OS was booted: they end with the previous OS, after as many boots as needed, and without
 * endless reboots.
 */
import { describe, expect, it } from 'vitest';
import { annotations, FORCE_FILE } from '../../src/api/index.ts';
import { INITIAL_ANNOTATIONS, JOURNAL } from '../../src/node/daemon/index.ts';
import { aConfig, type ConfigParts } from './a-config.ts';
import { createDaemonNode, NEW_OS, OLD_OS, osImages, provision } from './daemon-node.ts';
import type { JoinedNode } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, untilDegraded, pass } = stories;
const MINUTE = 60_000;

const bootedImage = async ({ node }: JoinedNode) =>
  (await node.machine.host.os.deployments()).find(({ isBooted }) => isBooted)?.image;
const kernelArguments = ({ node }: JoinedNode) => node.machine.host.os.kernelArguments();
const annotation = (
  { node }: JoinedNode,
  key: Parameters<ReturnType<typeof stories.cluster>['annotation']>[1],
) => stories.cluster().annotation(node.name, key);

/** Counts the boots of the machine from now on. */
function boots({ node }: JoinedNode): () => number {
  let count = 0;
  node.machine.onPower(({ kind }) => {
    if (kind === 'up') count += 1;
  });
  return () => count;
}

/** A node that has booted its next config, one file of which has been changed on the machine. */
async function bootedWrong(first: ConfigParts, next: ConfigParts): Promise<JoinedNode> {
  const joined = await join({ ...first, files: { '/etc/a': 'one' } });
  const { node } = joined;
  let isChanged = false;
  node.machine.onPower(({ kind }) => {
    if (kind !== 'up' || isChanged) return;
    isChanged = true;
    node.write('/etc/b', 'changed at boot').catch(() => undefined);
  });
  await joined.sendTo('next', { ...next, files: { '/etc/a': 'two', '/etc/b': 'x' } });
  await untilDegraded(joined, /content mismatch/);
  return joined;
}

async function sendBack({ node, first }: JoinedNode): Promise<void> {
  await stories.cluster().send(node.name, first);
}

async function untilRebootBack({ node, first }: JoinedNode): Promise<void> {
  const line = `initiating reboot: Node will reboot into config ${first}`;
  await stories.cluster().until('it boots back', async () => node.lines.some((one) => one.includes(line)));
}

async function untilBack({ node, first }: JoinedNode): Promise<void> {
  await stories.cluster().untilDone(node.name, first);
  expect(await node.text('/etc/a')).toBe('one');
  expect(await node.text(JOURNAL)).toBe(undefined);
}

describe('the previous OS that is staged by a rollback', () => {
  it('is staged again after a power cut', async () => {
    const joined = await bootedWrong({}, { osImage: NEW_OS });
    expect(await bootedImage(joined)).toBe(NEW_OS);
    await sendBack(joined);
    await untilRebootBack(joined);
    joined.node.machine.cutPower();
    const count = boots(joined);
    await joined.node.machine.boot();
    await untilBack(joined);
    await pass(30 * MINUTE);
    expect(count()).toBe(2);
    expect(await bootedImage(joined)).toBe(OLD_OS);
  });

  it('is staged again where it was dropped', async () => {
    const joined = await bootedWrong({}, { osImage: NEW_OS });
    const { node } = joined;
    const { os } = node.machine.host;
    node.machine.faults.isRebootRefused = true;
    await sendBack(joined);
    await untilDegraded(joined, /^reboot command failed/);
    await os.dropPending();
    node.machine.faults.isRebootRefused = false;
    const count = boots(joined);
    await untilBack(joined);
    expect(count()).toBe(1);
    expect(await bootedImage(joined)).toBe(OLD_OS);
  });

  it('fails with its cause when shutdowns cannot finalize it, without endless reboots', async () => {
    const joined = await bootedWrong({}, { osImage: NEW_OS });
    const { node, first } = joined;
    const problem = 'error: Installing kernel: No space left on device';
    const boot: { isFull: boolean } = { isFull: true };
    const fill = () => {
      if (boot.isFull) node.machine.faults.finalizeProblem = problem;
    };
    fill();
    node.machine.onPower(({ kind }) => kind === 'up' && fill());
    const count = boots(joined);
    await sendBack(joined);
    expect(await untilDegraded(joined, /^error rolling back/)).toBe(
      `error rolling back changes to OS: [the machine booted 3 times without the staged OS of ${first}; possible root cause: ${problem}, another config is desired]`,
    );
    await pass(60 * MINUTE);
    expect(count()).toBe(3);
    expect(await annotation(joined, 'state')).toBe('Degraded');
    // Freeing space and rebooting repairs it.
    boot.isFull = false;
    node.machine.faults.finalizeProblem = undefined;
    await node.machine.shutDown();
    await node.machine.boot();
    await untilBack(joined);
    expect(await bootedImage(joined)).toBe(OLD_OS);
  });
});

describe('a power cut during a rollback', () => {
  // The rollback makes about 300 calls of the disk; these are some of them.
  it.each([1, 40, 80, 120, 160, 200, 240, 280])(
    'at call %i does not prevent its completion',
    async (call) => {
      const joined = await bootedWrong(
        { kernelArguments: ['old=1'] },
        { osImage: NEW_OS, kernelArguments: ['new=1'] },
      );
      const { node } = joined;
      node.disk.planCut({ call, when: 'within', remains: 'nothing' });
      await sendBack(joined);
      const isBack = async () => !node.disk.isOn || (await annotation(joined, 'state')) === 'Done';
      await stories.cluster().until('it is back, or without power', isBack);
      if (!node.disk.isOn) {
        node.machine.cutPower();
        await node.machine.boot();
      }
      node.disk.planCut(undefined);
      await untilBack(joined);
      expect(await bootedImage(joined)).toBe(OLD_OS);
      expect(await kernelArguments(joined)).toEqual(['rw', 'old=1']);
    },
  );
});

describe('a journal of an older daemon, without the boot of the OS step', () => {
  it('is rolled back', async () => {
    const joined = await bootedWrong({}, { osImage: NEW_OS });
    const { node } = joined;
    node.stopDaemon();
    const { osBootId, ...journal } = JSON.parse((await node.text(JOURNAL)) ?? '');
    expect(osBootId).toMatch(/./);
    await node.write(JOURNAL, JSON.stringify(journal), 0o600);
    await sendBack(joined);
    node.startDaemon();
    await untilBack(joined);
    expect(await bootedImage(joined)).toBe(OLD_OS);
  });
});

describe('a machine that was rebooted manually while its OS was staged', () => {
  it('returns to its old OS when its config is reverted meanwhile', async () => {
    const joined = await join(
      { files: { '/etc/a': 'one' } },
      { durations: { stageMs: 5 * MINUTE, pullMs: 0 } },
    );
    const { node } = joined;
    const files = { '/etc/a': 'two' };
    await joined.sendTo('next', { files, osImage: NEW_OS, kernelArguments: ['a'] });
    // The image is staged by then, the kernel arguments are not.
    await stories
      .cluster()
      .until('it is staged', async () =>
        (await node.machine.host.os.deployments()).some(({ isStaged }) => isStaged),
      );
    const count = boots(joined);
    const down = node.machine.shutDown();
    await sendBack(joined);
    await pass(10 * MINUTE);
    await down;
    await node.machine.boot();
    await pass(60 * MINUTE);
    await untilBack(joined);
    expect(count()).toBe(2);
    expect(await bootedImage(joined)).toBe(OLD_OS);
    expect(await kernelArguments(joined)).toEqual(['rw']);
  });
});

describe('kernel arguments of a config that is rolled back after its boot', () => {
  it.each([
    ['are replaced by the old ones', ['old=1'], ['new=1']],
    ['go where there were none', [], ['mitigations=off']],
    ['go from between those that stay', ['a', 'b'], ['a', 'c', 'b']],
    ['give back order and doubles', ['size=1G', 'pages=2', 'size=2M', 'pages=2'], ['pages=2', 'x="a b"']],
  ])('%s', async (_, before, after) => {
    const joined = await bootedWrong({ kernelArguments: before }, { kernelArguments: after });
    expect(await kernelArguments(joined)).toEqual(['rw', ...after]);
    const count = boots(joined);
    await sendBack(joined);
    await untilBack(joined);
    expect(count()).toBe(1);
    expect(await kernelArguments(joined)).toEqual(['rw', ...before]);
  });

  it('that were not booted because of a power cut need no boot', async () => {
    const joined = await join(
      { files: { '/etc/a': 'one' }, kernelArguments: ['old=1'] },
      { durations: { stageMs: 5 * MINUTE } },
    );
    const { node } = joined;
    await joined.sendTo('next', { files: { '/etc/a': 'two' }, kernelArguments: ['new=1'] });
    await stories
      .cluster()
      .until('it stages', async () => node.lines.some((line) => line.includes('Running rpm-ostree')));
    node.machine.cutPower();
    const count = boots(joined);
    await sendBack(joined);
    await node.machine.boot();
    await pass(30 * MINUTE);
    await untilBack(joined);
    expect(count()).toBe(1);
    expect(await kernelArguments(joined)).toEqual(['rw', 'old=1']);
  });
});

describe('a force file', () => {
  it('applies to a joining node whose disk does not match', async () => {
    const [name, first] = ['joins-forced', 'rendered-joins-forced'];
    const cluster = stories.cluster();
    const config = await cluster.addConfig(aConfig(first, { files: { '/etc/a': 'one' } }));
    await cluster.addNode(name);
    const node = await createDaemonNode({ ...cluster, name, images: osImages(), image: OLD_OS });
    await provision(node, config, {
      [annotations.currentConfig]: first,
      [annotations.desiredConfig]: first,
      [annotations.state]: 'Done',
    });
    await node.write('/etc/a', 'by hand');
    node.startDaemon();
    await cluster.until(
      'it is degraded',
      async () => (await cluster.annotation(name, 'state')) === 'Degraded',
    );
    await node.write(FORCE_FILE, '');
    await cluster.untilDone(name, first);
    expect(await node.text('/etc/a')).toBe('one');
    expect(await node.text(INITIAL_ANNOTATIONS)).toBe(undefined);
    node.stopDaemon();
  });

  it('applies after a boot whose disk does not match', async () => {
    const joined = await bootedWrong({}, { kernelArguments: ['q'] });
    const { node } = joined;
    await node.write(FORCE_FILE, '');
    await pass(15 * MINUTE);
    expect(await annotation(joined, 'state')).toBe('Done');
    expect(await annotation(joined, 'currentConfig')).toMatch(/-next$/);
    expect(await node.text('/etc/b')).toBe('x');
    expect(await node.text(FORCE_FILE)).toBe(undefined);
    expect(await kernelArguments(joined)).toEqual(['rw', 'q']);
  });
});
