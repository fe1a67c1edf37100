/**
 * An update that cannot begin: nothing is drained, and the MachineConfigNode says why in its first phase, UpdatePrepared.
 */
import { describe, expect, it } from 'vitest';
import { aUnit, type ConfigParts } from './a-config.ts';
import type { JoinedNode } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { condition, join, pass, untilDegraded } = stories;

const wasDrained = ({ node }: JoinedNode) =>
  node.lines.some((line) => line.includes('requesting cordon and drain'));

async function desiredVersion({ node }: JoinedNode): Promise<string | undefined> {
  return (await stories.cluster().machineConfigNode(node.name)).status?.configVersion?.desired;
}

/** What the MachineConfigNode says, without times and without its generation, which moves with every target. */
async function reported({ node }: JoinedNode): Promise<unknown> {
  const { status } = await stories.cluster().machineConfigNode(node.name);
  const conditions = status?.conditions?.map(({ lastTransitionTime: _, ...rest }) => rest);
  return { ...status, conditions, observedGeneration: 0 };
}

describe('an update that cannot begin, and is no longer desired', () => {
  const unwritable = { files: { '/usr/bin/tool': 'x' } };
  it.each([
    ['has just joined', undefined],
    ['was updated with a reboot', { files: { '/etc/a': 'two' } }],
    ['was updated without a drain', { files: { '/etc/a': 'one' }, sshKeys: ['ssh-rsa K'] }],
  ])('leaves no trace on a node that %s', async (_, last) => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { name } = joined.node;
    const config = last === undefined ? joined.first : await joined.sendTo('between', last);
    await stories.cluster().untilDone(name, config);
    await pass(60_000);
    const before = await reported(joined);
    const annotationsBefore = (await stories.cluster().node(name)).metadata.annotations;
    await joined.sendTo('next', unwritable);
    await untilDegraded(joined, /^open/);
    expect(await condition(joined, 'UpdatePrepared')).toMatch(/^Unknown /);
    expect(await reported(joined)).not.toEqual(before);
    await stories.cluster().send(name, config);
    await stories.cluster().untilDone(name, config);
    await pass(60_000);
    expect(await reported(joined)).toEqual(before);
    expect((await stories.cluster().node(name)).metadata.annotations).toEqual(annotationsBefore);
  });

  it('leaves no trace where the daemon was restarted meanwhile', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { name } = joined.node;
    const before = await reported(joined);
    await joined.sendTo('next', unwritable);
    await untilDegraded(joined, /^open/);
    joined.node.stopDaemon();
    await stories.cluster().send(name, joined.first);
    joined.node.startDaemon();
    await stories.cluster().untilDone(name, joined.first);
    await pass(60_000);
    expect(await reported(joined)).toEqual(before);
  });
});

describe('an update that cannot begin', () => {
  it.each([
    ['of the OS', '/usr/bin/tool', 'open /usr/bin/tool: read-only file system'],
    ['in a new folder of the OS', '/usr/new/tool', 'open /usr/new/tool: read-only file system'],
  ])('has its error in UpdatePrepared: a file %s', async (_, path, error) => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    const between = await joined.sendTo('between', { files: { '/etc/a': 'two' } });
    await stories.cluster().untilDone(node.name, between);
    const next = await joined.sendTo('next', { files: { '/etc/a': 'two', [path]: 'x' } });
    expect(await untilDegraded(joined, /^open/)).toBe(error);
    await pass(5 * 60_000);
    expect(await condition(joined, 'UpdatePrepared')).toBe(
      `Unknown UpdatePrepared: Update Failed compatibility validation. MachineConfigs ${between} and ${next} are not compatible. Err: ${error}`,
    );
    expect(await condition(joined, 'NodeDegraded')).toBe(
      `True NodeDegraded: Node ${node.name} upgrade failure. ${error}`,
    );
    expect(await condition(joined, 'UpdateExecuted')).toMatch(/^False /);
    expect(await desiredVersion(joined)).toBe(between);
    await stories.cluster().send(node.name, first);
    await stories.cluster().untilDone(node.name, first);
    expect(await condition(joined, 'UpdatePrepared')).toMatch(/^False .*Update Compatible\./);
  });

  it('has its error in UpdatePrepared: a unit on a read-only file system', async () => {
    const other = aUnit('b.service', 'b');
    const joined = await join({ units: [other] });
    const mend = joined.node.disk.addFault({ path: '/rootfs/etc/systemd', code: 'EROFS' });
    const next = await joined.sendTo('next', { units: [other, aUnit('a.service', 'a')] });
    const error = 'open /etc/systemd/system/a.service: read-only file system';
    expect(await untilDegraded(joined, /^open/)).toBe(error);
    expect(await condition(joined, 'UpdateExecuted')).toMatch(/^False /);
    mend();
    await stories.cluster().untilDone(joined.node.name, next);
  });

  it('has its error in UpdatePrepared: a file of an unknown user', async () => {
    const joined = await join();
    const user = { name: 'nobody-knows' };
    const file = { path: '/usr/bin/tool', mode: 420, user, contents: { source: 'data:,x' } };
    const config = { ignition: { version: '3.5.0' }, storage: { files: [file] } };
    const next = await joined.sendTo('next', { extra: { config } });
    const error = await untilDegraded(joined, /failed to retrieve UserID/);
    expect(await condition(joined, 'UpdatePrepared')).toBe(
      `Unknown UpdatePrepared: Update Failed compatibility validation. MachineConfigs ${joined.first} and ${next} are not available for update. Error: ${error}`,
    );
    expect(await desiredVersion(joined)).toBe(joined.first);
  });

  it('is refused before the drain: a file of a user or a group that the machine does not have', async () => {
    const joined = await join();
    const file = { path: '/etc/a', mode: 420, contents: { source: 'data:,x' } };
    await joined.sendTo('user', { extraFiles: [{ ...file, user: { name: 'nobody-knows' } }] });
    expect(await untilDegraded(joined, /UserID/)).toBe(
      'failed to retrieve file ownership for file "/etc/a": failed to retrieve UserID for username: nobody-knows',
    );
    await joined.sendTo('group', { extraFiles: [{ ...file, group: { name: 'nobodys' } }] });
    await untilDegraded(joined, /failed to retrieve GroupID for group: nobodys$/);
    expect(wasDrained(joined)).toBe(false);
    const next = await joined.sendTo('next', { extraFiles: [{ ...file, user: { name: 'core' } }] });
    await stories.cluster().untilDone(joined.node.name, next);
  });

  it('has its error in UpdatePrepared: a config that does not exist', async () => {
    const joined = await join();
    await stories.cluster().send(joined.node.name, 'rendered-missing');
    const error = await untilDegraded(joined, /not found$/);
    expect(await condition(joined, 'UpdatePrepared')).toBe(
      `Unknown UpdatePrepared: Update Failed compatibility validation. MachineConfigs ${joined.first} and rendered-missing are not available for update. Error: ${error}`,
    );
  });

  it('has its error in UpdatePrepared: a manual change that blocks it, until that is repaired', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    await node.write('/etc/a', 'by hand');
    await untilDegraded(joined, /content mismatch/);
    // The node is to stay as it is: there is no update to prepare.
    await pass(5 * 60_000);
    expect(await condition(joined, 'UpdatePrepared')).toMatch(/^False /);
    const next = await joined.sendTo('next', { files: { '/etc/a': 'two' } });
    await pass(5 * 60_000);
    const error = await stories.cluster().annotation(node.name, 'reason');
    expect(error).toBe(
      `unexpected on-disk state validating against ${first}: content mismatch for file "/etc/a"`,
    );
    expect(await condition(joined, 'UpdatePrepared')).toBe(
      `Unknown UpdatePrepared: Update Failed compatibility validation. MachineConfigs ${first} and ${next} are not available for update. Error: ${error}`,
    );
    await node.write('/etc/a', 'one');
    await stories.cluster().untilDone(node.name, next);
  });
});

describe('a config that needs a folder', () => {
  const REMOVE = 'remove it on the node, or change the path in the config';

  it.each<[string, ConfigParts, string]>([
    [
      'a file',
      { files: { '/etc/hosts/a/b': 'x' } },
      `mkdir /etc/hosts: not a directory (/etc/hosts/a/b needs a folder there, and /etc/hosts is none: ${REMOVE})`,
    ],
    [
      'a link to a file',
      { files: { '/etc/to-file/a': 'x' } },
      `mkdir /etc/to-file: not a directory (/etc/to-file/a needs a folder there, and /etc/to-file is none: ${REMOVE})`,
    ],
    [
      'a dangling link',
      { files: { '/etc/dangling/a': 'x' } },
      `mkdir /etc/dangling: file exists (/etc/dangling/a needs a folder there, and /etc/dangling is none: ${REMOVE})`,
    ],
    [
      'a file instead of the folder of a unit’s drop-ins',
      { units: [{ name: 'crio.service', dropins: [{ name: 'a.conf', contents: '[Service]\n' }] }] },
      `mkdir /etc/systemd/system/crio.service.d: not a directory (/etc/systemd/system/crio.service.d/a.conf needs a folder there, and /etc/systemd/system/crio.service.d is none: ${REMOVE})`,
    ],
    [
      'a file instead of the folder of SSH keys',
      { sshKeys: ['ssh-ed25519 a'] },
      `mkdir /home/core/.ssh/authorized_keys.d: not a directory (/home/core/.ssh/authorized_keys.d/ignition needs a folder there, and /home/core/.ssh/authorized_keys.d is none: ${REMOVE})`,
    ],
  ])('is refused before the drain where the machine has %s', async (_, parts, error) => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    const { files, accounts } = node.machine.host;
    await files.link('/etc/to-file', 'hosts');
    await files.link('/etc/dangling', '/nowhere');
    await node.write('/etc/hosts', 'x');
    await node.write('/etc/systemd/system/crio.service.d', 'x');
    const owner = await accounts.user('core');
    await files.makeFolder('/home/core/.ssh', { mode: 0o700, ...(owner === undefined ? {} : { owner }) });
    await node.write('/home/core/.ssh/authorized_keys.d', 'x');
    const to = { ...parts, files: { '/etc/a': 'two', ...parts.files } };
    const next = await joined.sendTo('next', to);
    expect(await untilDegraded(joined, /^mkdir/)).toBe(error);
    await pass(5 * 60_000);
    expect(wasDrained(joined)).toBe(false);
    expect(await node.text('/etc/a')).toBe('one');
    expect(await condition(joined, 'UpdatePrepared')).toBe(
      `Unknown UpdatePrepared: Update Failed compatibility validation. MachineConfigs ${first} and ${next} are not compatible. Err: ${error}`,
    );
    await files.remove(/ and (\S+) is none/.exec(error)?.[1] ?? '');
    await stories.cluster().untilDone(node.name, next);
    expect(await node.text('/etc/a')).toBe('two');
  });

  it('is refused where the config before has a file there, with the way around it', async () => {
    const joined = await join({ files: { '/etc/app': 'one' } });
    await joined.sendTo('next', { files: { '/etc/app/conf': 'x' } });
    expect(await untilDegraded(joined, /^mkdir/)).toBe(
      'mkdir /etc/app: not a directory (/etc/app/conf needs a folder there, and /etc/app is none: it is a file of the config that the node has: remove it in an update before this one)',
    );
    expect(wasDrained(joined)).toBe(false);
    const between = await joined.sendTo('between', {});
    await stories.cluster().untilDone(joined.node.name, between);
    const after = await joined.sendTo('after', { files: { '/etc/app/conf': 'x' } });
    await stories.cluster().untilDone(joined.node.name, after);
    expect(await joined.node.text('/etc/app/conf')).toBe('x');
  });

  it('is applied where a link leads to a folder, and where SSH keys replace what is no folder of theirs', async () => {
    const joined = await join();
    const { node } = joined;
    const { files } = node.machine.host;
    await files.makeFolder('/var/real', { mode: 0o755 });
    await files.link('/etc/to-folder', '../var/real');
    await files.link('/home/core/.ssh', '/nowhere');
    const next = await joined.sendTo('next', {
      files: { '/etc/to-folder/a/b': 'x' },
      sshKeys: ['ssh-ed25519 a'],
    });
    await stories.cluster().untilDone(node.name, next);
    expect(await node.text('/var/real/a/b')).toBe('x');
    expect(await node.text('/home/core/.ssh/authorized_keys.d/ignition')).toBe('ssh-ed25519 a\n');
  });
});
