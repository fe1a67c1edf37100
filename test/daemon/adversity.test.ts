/**
 * Disturbances during an update: unreachable API servers, manual reboots, failed shutdowns.
 */
import { describe, expect, it } from 'vitest';
import { machineConfigNode as machineConfigNodeKind } from '../../src/api/index.ts';
import { Failure } from '../../src/base/errors.ts';
import { event as eventKind } from '../../src/kubernetes/types/index.ts';
import { JOURNAL } from '../../src/node/daemon/index.ts';
import { NEW_OS, OLD_OS } from './daemon-node.ts';
import { type JoinedNode, joinedNode, lingeringPod } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, untilDegraded, pass } = stories;
const MINUTE = 60_000;

/** A node whose connection to the API server can be cut. */
async function joinCuttable() {
  const line: { isCut: boolean } = { isCut: false };
  const { handle } = stories.cluster();
  const joined = await joinedNode(
    stories.cluster(),
    { files: { '/etc/a': 'one' } },
    {
      handle: (request) =>
        line.isCut ? Promise.reject(new Failure('transient', 'Gone', 'no route')) : handle(request),
    },
  );
  return { joined, line };
}

describe('a pause of hours in the middle of a drain', () => {
  it.each<[string, (ms: number) => unknown]>([
    ['of a stopped process', (ms) => stories.cluster().env.clock.stall(ms)],
    ['of a sleeping machine', (ms) => stories.cluster().env.clock.jump(ms)],
  ])('%s does not make the node degraded', async (_, pause) => {
    const { node, sendTo } = await join({ files: { '/etc/a': 'one' } });
    const cluster = stories.cluster();
    const release = await lingeringPod(cluster, node.name);
    const next = await sendTo('next', { files: { '/etc/a': 'two' } });
    const isAsked = async () => (await cluster.annotation(node.name, 'desiredDrain')) === `drain-${next}`;
    await cluster.until('the drain is requested', isAsked);
    await pass(MINUTE);
    await pause(8 * 60 * MINUTE);
    await pass(5 * MINUTE);
    expect(await cluster.annotation(node.name, 'state')).toBe('Working');
    await release();
    await cluster.untilDone(node.name, next);
    expect(node.lines.some((one) => one.includes('Marking Degraded'))).toBe(false);
    node.stopDaemon();
  });
});

describe('an unreachable API server', () => {
  it('does not stop an update of a drained node, which is reported later', async () => {
    const { joined, line } = await joinCuttable();
    const { node, sendTo } = joined;
    const next = await sendTo('next', { files: { '/etc/a': 'two' }, osImage: NEW_OS });
    await stories
      .cluster()
      .until('it is drained', async () => node.lines.some((one) => one.includes('drain complete')));
    line.isCut = true;
    const before = await node.machine.host.bootId();
    await pass(3 * MINUTE);
    expect(node.machine.isUp).toBe(true);
    expect(await node.machine.host.bootId()).not.toBe(before);
    expect(await node.text('/etc/a')).toBe('two');
    expect(await stories.cluster().annotation(node.name, 'state')).toBe('Working');
    line.isCut = false;
    await stories.cluster().untilDone(node.name, next);
    expect(node.lines.some((one) => one.includes('Marking Degraded'))).toBe(false);
    node.stopDaemon();
  });

  it('does not leave a machine half-updated: an interrupted update is completed', async () => {
    const { joined, line } = await joinCuttable();
    const { node, sendTo } = joined;
    const next = await sendTo('next', { files: { '/etc/a': 'two', '/etc/b': 'x', '/etc/c': 'x' } });
    await stories.cluster().until('it writes', async () => node.lines.includes('I Updating files'));
    line.isCut = true;
    node.machine.cutPower();
    const journal = async () => JSON.parse((await node.text(JOURNAL)) ?? '{}').phase;
    await node.machine.boot();
    await pass(3 * MINUTE);
    expect(await journal()).toBe('completing');
    expect(await node.text('/etc/c')).toBe('x');
    line.isCut = false;
    await stories.cluster().untilDone(node.name, next);
    node.stopDaemon();
  });

  it('does not degrade the node', async () => {
    const { joined, line } = await joinCuttable();
    const { node, sendTo } = joined;
    line.isCut = true;
    const next = await sendTo('next', { files: { '/etc/a': 'two' } });
    await pass(5 * MINUTE);
    line.isCut = false;
    await stories.cluster().untilDone(node.name, next);
    expect(node.lines.some((one) => one.includes('Marking Degraded'))).toBe(false);
    node.stopDaemon();
  });
});

describe('a report that its daemon has given up', () => {
  it('does not overwrite later ones when it arrives after all', async () => {
    const { handle } = stories.cluster();
    const line: { isHeld: boolean } = { isHeld: false };
    let deliver: (() => ReturnType<typeof handle>) | undefined;
    const { node, sendTo } = await joinedNode(
      stories.cluster(),
      { files: { '/etc/a': 'one' } },
      {
        handle: (request) => {
          const isStatus = request.method === 'PATCH' && /machineconfignodes\/.*\/status$/.test(request.path);
          if (!line.isHeld || !isStatus) return handle(request);
          line.isHeld = false;
          deliver = () => handle(request);
          return Promise.reject(new Failure('transient', 'Gone', 'no answer'));
        },
      },
    );
    line.isHeld = true;
    const next = await sendTo('next', { files: { '/etc/a': 'two' }, osImage: NEW_OS });
    await stories.cluster().untilDone(node.name, next);
    await pass(MINUTE);
    const { status } = await stories.cluster().machineConfigNode(node.name);
    expect((await deliver?.())?.status).toBe(409);
    expect((await stories.cluster().machineConfigNode(node.name)).status).toEqual(status);
    expect(status?.configVersion?.current).toBe(next);
    node.stopDaemon();
  });
});

describe('a deleted MachineConfigNode', () => {
  it('gets the status of the node once it is recreated', async () => {
    const { node, first } = await join();
    const { kube } = stories.cluster();
    const { metadata, spec } = await stories.cluster().machineConfigNode(node.name);
    await kube.delete(machineConfigNodeKind, { name: node.name });
    await pass(MINUTE);
    const { ownerReferences = [] } = metadata;
    await kube.create(machineConfigNodeKind, {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfigNode',
      metadata: { name: node.name, ownerReferences },
      spec: { ...spec, configVersion: { desired: first } },
    });
    await stories.cluster().untilDone(node.name, first);
    expect((await stories.cluster().machineConfigNode(node.name)).status?.configVersion?.current).toBe(first);
  });
});

const imageOf = async ({ node }: JoinedNode) =>
  (await node.machine.host.os.deployments()).find(({ isBooted }) => isBooted)?.image;

describe('a machine that is rebooted by hand', () => {
  it('during a rollback ends with the old OS, and then continues', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } }, { durations: { shutDownMs: 60 * MINUTE } });
    const { node } = joined;
    const next = await joined.sendTo('next', { files: { '/etc/a': 'two' }, osImage: NEW_OS });
    await stories
      .cluster()
      .until('the reboot is queued', async () => node.lines.includes('I "reboot successful"'));
    node.stopDaemon();
    const journal = JSON.parse((await node.text(JOURNAL)) ?? '');
    const failure = { error: 'something went wrong' };
    await node.write(JOURNAL, JSON.stringify({ ...journal, phase: 'undoing', failure }), 0o600);
    await node.machine.shutDown();
    await node.machine.boot();
    expect(await imageOf(joined)).toBe(NEW_OS);
    node.startDaemon();
    await stories
      .cluster()
      .until('the reboot is queued again', async () =>
        node.lines.some((line) =>
          line.includes(`initiating reboot: Node will reboot into config ${joined.first}`),
        ),
      );
    await node.machine.shutDown();
    await node.machine.boot();
    expect(await imageOf(joined)).toBe(OLD_OS);
    await untilDegraded(joined, /^something went wrong$/);
    expect(await node.text('/etc/a')).toBe('one');
    await stories
      .cluster()
      .until('it tries again', async () =>
        node.lines.some((line) => line.includes(`initiating reboot: Node will reboot into config ${next}`)),
      );
    await stories
      .cluster()
      .until('the reboot is queued', async () => node.lines.at(-1) === 'I "reboot successful"');
    await node.machine.shutDown();
    await node.machine.boot();
    await stories.cluster().untilDone(node.name, next);
    expect(await imageOf(joined)).toBe(NEW_OS);
  });

  it('before its config is stored continues, and repeats nothing', async () => {
    const joined = await join(
      { kernelArguments: ['a=1'] },
      { durations: { stageMs: 10 * MINUTE, pullMs: 0 } },
    );
    const { node } = joined;
    const next = await joined.sendTo('next', { kernelArguments: ['a=2', 'nosmt'], files: { '/etc/a': 'x' } });
    await stories
      .cluster()
      .until('it stages', async () => node.lines.some((line) => line.includes('Running rpm-ostree')));
    await pass(9 * MINUTE);
    node.machine.cutPower();
    await node.machine.boot();
    await stories.cluster().untilDone(node.name, next, 60 * MINUTE);
    expect(await node.machine.host.os.kernelArguments()).toEqual(['rw', 'a=2', 'nosmt']);
  });
});

describe('a shutdown that cannot finalize the staged OS', () => {
  it('is retried, and reported', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    node.machine.faults.finalizeProblem = 'error: Installing kernel: No space left on device';
    const next = await joined.sendTo('next', { files: { '/etc/a': 'two' }, osImage: NEW_OS });
    await stories
      .cluster()
      .until('it is reported', async () =>
        (await stories.cluster().annotation(node.name, 'ostreeFinalizeStagedFailure')).startsWith(
          'error: Installing kernel',
        ),
      );
    await stories.cluster().untilDone(node.name, next);
    const { items } = await stories.cluster().kube.list(eventKind, {
      fieldSelector: `involvedObject.name=${node.name},reason=FailedFinalization`,
    });
    expect(
      items.map(({ metadata, type, message }) => `${metadata.namespace} ${type} ${message}`).sort(),
    ).toEqual([
      'default Warning error: Installing kernel: No space left on device',
      'openshift-machine-config-operator Warning error: Installing kernel: No space left on device',
    ]);
    expect(await stories.cluster().annotation(node.name, 'ostreeFinalizeStagedFailure')).toBe('');
    expect(await imageOf(joined)).toBe(NEW_OS);
  });

  it('fails with its cause after too many times, and reverting the config helps', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    const problem = 'error: Installing kernel: No space left on device';
    node.machine.faults.finalizeProblem = problem;
    // Every shutdown reports it again.
    node.machine.onPower(({ kind }) => {
      if (kind === 'up') node.machine.faults.finalizeProblem = problem;
    });
    const next = await joined.sendTo('next', { files: { '/etc/a': 'two' }, osImage: NEW_OS });
    const reason = await untilDegraded(joined, /possible root cause/);
    expect(reason).toBe(
      `unexpected on-disk state validating against ${next}: expected target osImageURL "${NEW_OS}", have "${OLD_OS}"; possible root cause: ${problem}`,
    );
    await stories.cluster().send(node.name, joined.first);
    await stories.cluster().untilDone(node.name, joined.first);
    expect(await node.text('/etc/a')).toBe('one');
    expect((await stories.cluster().node(node.name)).spec.unschedulable ?? false).toBe(false);
  });
});

describe('a config that does not boot properly', () => {
  it('is rolled back with its OS when the config is reverted', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    // Something on the machine changes the file at every boot.
    node.machine.onPower(({ kind }) => {
      if (kind === 'up') node.write('/etc/b', 'changed at boot').catch(() => undefined);
    });
    const next = await joined.sendTo('next', { files: { '/etc/a': 'two', '/etc/b': 'x' }, osImage: NEW_OS });
    await untilDegraded(
      joined,
      new RegExp(`^unexpected on-disk state validating against ${next}: content mismatch`),
    );
    expect(await imageOf(joined)).toBe(NEW_OS);
    await stories.cluster().send(node.name, joined.first);
    await stories.cluster().untilDone(node.name, joined.first);
    expect(await imageOf(joined)).toBe(OLD_OS);
    expect(await node.text('/etc/a')).toBe('one');
  });
});

describe('a full disk', () => {
  it('degrades the node, and the update continues once there is space', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    const mend = node.disk.addFault({ path: '/rootfs/etc', code: 'ENOSPC', calls: ['write'] });
    const next = await joined.sendTo('next', { files: { '/etc/a': 'two' } });
    await untilDegraded(joined, /no space left on device/);
    await pass(5 * MINUTE);
    mend();
    await stories.cluster().untilDone(node.name, next, 3 * MINUTE);
    expect(await node.text('/etc/a')).toBe('two');
  });
});
