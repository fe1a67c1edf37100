/**
 * An administrator asks a node to try again (`millwright.dev/retry`): the daemon does so at once, and once.
 */
import { describe, expect, it } from 'vitest';
import { annotations, FORCE_FILE } from '../../src/api/index.ts';
import { event as eventKind, node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { CURRENT_CONFIG } from '../../src/node/daemon/index.ts';
import { RETRIED } from '../../src/node/daemon/state-paths.ts';
import { GONE_OS, NEW_OS, osImages } from './daemon-node.ts';
import type { JoinedNode } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const { cluster, join, untilDegraded, pass } = setUpStories();
const MINUTE = 60_000;

async function annotate(
  { node }: JoinedNode,
  changes: { readonly [key: string]: string | null },
): Promise<void> {
  await cluster().kube.patch(
    nodeKind,
    { name: node.name },
    { type: 'merge', body: { metadata: { annotations: changes } } },
  );
}

const ask = (joined: JoinedNode, value: string) => annotate(joined, { [annotations.retry]: value });
const answer = ({ node }: JoinedNode) => cluster().annotation(node.name, 'retried');
const untilAnswered = (joined: JoinedNode, value: string) =>
  cluster().until('the request is answered', async () => (await answer(joined)) === value, 2 * MINUTE);
const count = ({ node }: JoinedNode, text: string) => node.lines.filter((line) => line.includes(text)).length;
const bootId = ({ node }: JoinedNode) => node.machine.host.bootId();

/** Fails to write `/etc/blocked`; nothing that the daemon watches changes when that is mended. */
async function failing() {
  const joined = await join({ files: { '/etc/a': 'one' } });
  const mend = joined.node.disk.addFault({ path: '/rootfs/etc/blocked', code: 'EEXIST', calls: ['rename'] });
  const next = await joined.sendTo('next', { files: { '/etc/a': 'two', '/etc/blocked': 'x' } });
  await untilDegraded(joined, /file exists/);
  return { joined, mend, next };
}

describe('a node that fails', () => {
  it('tries again at once when it is asked to, and answers', async () => {
    const { joined, mend, next } = await failing();
    const { node } = joined;
    // By now it waits for a minute between two attempts; the next one is most of it away.
    await pass(10 * MINUTE);
    const attempts = () => count(joined, 'Starting update from');
    const before = attempts();
    while (attempts() === before) await pass(500);
    mend();
    await ask(joined, 'now');
    await pass(2_000);
    expect([attempts() - before, await answer(joined)]).toEqual([2, 'now']);
    await cluster().untilDone(node.name, next);
    expect(count(joined, 'An administrator asks this node to try again at once (now)')).toBe(1);
  });

  it('fails again where nothing is mended, with short waits first, and follows the request once', async () => {
    const { joined } = await failing();
    await pass(10 * MINUTE);
    const attempts = () => count(joined, 'Starting update from');
    const before = attempts();
    await ask(joined, 'again');
    await untilAnswered(joined, 'again');
    // Attempts after 0, 1, 3, 7 and 15 s, as after a first failure.
    await pass(16_000);
    expect(attempts() - before).toBeGreaterThanOrEqual(4);
    joined.node.restartDaemon();
    await pass(MINUTE);
    expect(count(joined, 'An administrator asks')).toBe(1);
  });

  it('pulls an OS image again at once', async () => {
    const joined = await join();
    const next = await joined.sendTo('next', { osImage: GONE_OS });
    await untilDegraded(joined, /^Failed to update OS/);
    await pass(10 * MINUTE);
    joined.images[GONE_OS] = osImages()[NEW_OS] ?? joined.images[NEW_OS] ?? expect.fail('no image');
    const lines = joined.node.lines.length;
    await ask(joined, 'pull');
    await untilAnswered(joined, 'pull');
    await cluster().untilDone(joined.node.name, next, 3 * MINUTE);
    // Not after the waits of earlier failures.
    expect(joined.node.lines.slice(lines).filter((line) => line.includes('will retry'))).toEqual([]);
  });

  it('ignores what is no request', async () => {
    const { joined, mend } = await failing();
    await pass(5 * MINUTE);
    for (const text of ['x'.repeat(129), 'two words', '']) {
      await ask(joined, text);
      await pass(MINUTE);
    }
    expect([await answer(joined), count(joined, 'An administrator asks')]).toEqual(['', 0]);
    mend();
  });
});

describe('a node that has its config', () => {
  it('only validates it once more when it is asked to try again', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const before = await bootId(joined);
    const validations = count(joined, 'Validated on-disk state');
    await ask(joined, 'idle');
    await untilAnswered(joined, 'idle');
    await pass(MINUTE);
    expect(count(joined, 'Validated on-disk state')).toBe(validations + 1);
    expect([await bootId(joined), count(joined, 'Starting update from')]).toEqual([before, 0]);
  });

  it('applies all of it again and reboots once when it is asked to by force', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    await node.write('/etc/a', 'by hand');
    await untilDegraded(joined, /content mismatch/);
    const before = await bootId(joined);
    await ask(joined, 'force-1');
    await untilAnswered(joined, 'force-1');
    await cluster().untilDone(node.name, first);
    const after = await bootId(joined);
    expect(after).not.toBe(before);
    expect(await node.text('/etc/a')).toBe('one');
    expect(await node.text(RETRIED)).toBe('force-1\n');
    expect(await node.text(FORCE_FILE)).toBeUndefined();
    expect(node.lines).toContainEqual(
      expect.stringContaining(
        'Skipping preflight config drift check; an administrator asks for the whole config',
      ),
    );
    // Neither another process nor a lost answer makes it reboot once more.
    node.restartDaemon();
    await pass(MINUTE);
    await annotate(joined, { [annotations.retried]: null });
    node.restartDaemon();
    await untilAnswered(joined, 'force-1');
    await pass(10 * MINUTE);
    expect(await bootId(joined)).toBe(after);
    expect(count(joined, 'Starting update from')).toBe(1);
  });

  it('follows the next request, and none that is taken back before it is seen', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    node.stopDaemon();
    await ask(joined, 'force-2');
    await annotate(joined, { [annotations.retry]: null });
    node.startDaemon();
    await pass(5 * MINUTE);
    expect(count(joined, 'Starting update from')).toBe(0);
    for (const value of ['force-3', 'force-4']) {
      const before = await bootId(joined);
      await ask(joined, value);
      await untilAnswered(joined, value);
      await cluster().untilDone(node.name, first);
      expect(await bootId(joined)).not.toBe(before);
    }
    expect(count(joined, 'Starting update from')).toBe(2);
  });
});

describe('a forced update', () => {
  it('that fails is tried again by force, also after its request was answered', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    await node.write('/etc/a', 'by hand');
    await untilDegraded(joined, /content mismatch/);
    const mend = node.disk.addFault({ path: '/rootfs/etc/a', code: 'EEXIST', calls: ['rename'] });
    await ask(joined, 'force-5');
    await untilAnswered(joined, 'force-5');
    await untilDegraded(joined, /file exists/);
    await pass(3 * MINUTE);
    mend();
    await cluster().untilDone(node.name, first);
    expect(await node.text('/etc/a')).toBe('one');
    expect(count(joined, 'An administrator asks')).toBe(1);
  });

  it('mends state of the daemon that cannot be read', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    node.stopDaemon();
    await node.write(CURRENT_CONFIG, '{');
    await node.write('/etc/a', 'by hand');
    node.startDaemon();
    await untilDegraded(
      joined,
      /to apply the desired config in full, .*: millwright retry --force, or touch/,
    );
    await ask(joined, 'force-8');
    await untilAnswered(joined, 'force-8');
    await cluster().untilDone(node.name, first);
    expect(await node.text('/etc/a')).toBe('one');
  });

  it('begins after an update that is in progress', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    const next = await joined.sendTo('next', { files: { '/etc/a': 'two' } });
    await cluster().until('the update has begun', async () => count(joined, 'Starting update from') > 0);
    await ask(joined, 'force-6');
    await untilAnswered(joined, 'force-6');
    await cluster().untilDone(node.name, next);
    expect(count(joined, 'Starting update from')).toBe(2);
    expect(await node.text('/etc/a')).toBe('two');
  });

  it('is an event on the Node', async () => {
    const joined = await join();
    await ask(joined, 'force-7');
    await untilAnswered(joined, 'force-7');
    await pass(MINUTE);
    const fieldSelector = `involvedObject.name=${joined.node.name}`;
    const events = (await cluster().kube.list(eventKind, { namespace: 'default', fieldSelector })).items;
    expect(events).toContainEqual(
      expect.objectContaining({
        reason: 'RetryRequested',
        message: 'An administrator asks this node to apply its whole config again and reboot',
      }),
    );
  });
});
