/**
 * An update that cannot begin: nothing is drained, and the MachineConfigNode says why in its first phase, UpdatePrepared.
 */
import { describe, expect, it } from 'vitest';
import { aUnit } from './a-config.ts';
import type { JoinedNode } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { condition, join, pass, untilDegraded } = stories;

async function desiredVersion({ node }: JoinedNode): Promise<string | undefined> {
  return (await stories.cluster().machineConfigNode(node.name)).status?.configVersion?.desired;
}

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
