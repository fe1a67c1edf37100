/**
 * Updates as shown by `kubectl get machineconfignode -o wide -w`, recorded from the server's own tables.
 *
 * Our daemon writes once per step, so some rows of the documented timelines are one row here:
 * - `Updated` becomes False in the same write in which the update is prepared: rows 2 and 3 of each, as in the examples of the
 *   kind.
 * - without a drain, that is reported together with the change of the disk: rows 4 and 5 of (b).
 * - the second text of `Resumed` and the end of an update are one write: rows 13 and 14 of (a).
 *
 * An OS image is fetched before the drain, unlike upstream: (a) has two rows more, and (d) neither cordon nor drain.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GONE_OS, NEW_OS } from './daemon-node.ts';
import { type JoinedNode, joinedNode, lingeringPod } from './joined-node.ts';
import { conditionOf, type SmallCluster, startSmallCluster } from './small-cluster.ts';
import { watchColumns } from './watch-columns.ts';

let cluster: SmallCluster;
const nodes: JoinedNode[] = [];
beforeAll(async () => {
  cluster = await startSmallCluster();
});
afterAll(async () => {
  for (const { node } of nodes) node.stopDaemon();
  await cluster.stop();
});

const join = async (
  ...given: Parameters<typeof joinedNode> extends [unknown, ...infer Rest] ? Rest : never
) => {
  const joined = await joinedNode(cluster, ...given);
  nodes.push(joined);
  return joined;
};

const condition = async (name: string, type: string) => {
  const found = conditionOf(await cluster.machineConfigNode(name), type);
  return `${found?.status} ${found?.reason}: ${found?.message}`;
};

const BEFORE = 'True False False False False False False False False False False';
const PREPARED = [BEFORE, 'False True False False False False False False False False False'];
const FETCHING = 'False True Unknown False False False Unknown False False False False';
const FETCHED = 'False True Unknown False False False False False False False False';
const DRAINED = [
  'False True Unknown False False False False True Unknown False False',
  'False True Unknown False False False False True True False False',
  'False True Unknown False False False Unknown True True False False',
];
/** The common beginning of updates with a drain, up to the changed disk. */
const BEGINNING = [...PREPARED, ...DRAINED];

async function drainedSlowly(name: string): Promise<void> {
  const isDraining = async () => (await condition(name, 'Drained')).startsWith('Unknown');
  await cluster.until('the drain is in progress', isDraining);
}

describe('the columns of a MachineConfigNode', () => {
  it('(a) show an update with a reboot', async () => {
    const { node, first, sendTo } = await join({ files: { '/etc/a': 'one' } });
    const { name } = node;
    const remove = await lingeringPod(cluster, name);
    const watch = watchColumns(cluster.handle, name);
    const next = await sendTo('next', { files: { '/etc/a': 'two' }, osImage: NEW_OS });
    await drainedSlowly(name);
    expect(watch.configs()).toEqual([next, first]);
    expect(await condition(name, 'UpdatePrepared')).toBe(
      'True UpdatePrepared: Update Compatible. Post Cfg Actions: [] Drain Required: true',
    );
    expect(await condition(name, 'Cordoned')).toBe(
      'True UpdateExecutedCordoned: Cordoned node. The node is reporting Unschedulable = true',
    );
    await remove();
    await cluster.untilDone(name, next);
    watch.stop();
    expect(watch.rows).toEqual([
      ...PREPARED,
      FETCHING,
      FETCHED,
      ...DRAINED,
      'False True True False False False True True True False False',
      'False True True False False False True True True Unknown False',
      'False True True False False False True True True True False',
      'False True True False False True True True True True False',
      'False True True False True True True True True True True',
      BEFORE,
    ]);
    expect(watch.configs()).toEqual([next, next]);
    expect(await condition(name, 'UpdateExecuted')).toBe(
      `False AppliedFilesAndOS: Action during update to ${next}: Updated the Files and OS on disk as a part of the in progress phase`,
    );
    expect(await condition(name, 'AppliedFilesAndOS')).toBe(
      `False UpdateExecutedAppliedFilesAndOS: Action during update to ${next}: Applied files and new OS config to node. OS did need an update. SSH Keys did not need an update`,
    );
    expect(await condition(name, 'RebootedNode')).toBe(
      `False RebootedNode: Action during update to ${next}: Node has rebooted`,
    );
    expect(await condition(name, 'NodeDegraded')).toBe(`False NodeDegraded: Node ${name} upgrade succeeded`);
    expect((await cluster.node(name)).spec.unschedulable ?? false).toBe(false);
  });

  it('(b) show an update without a drain and a reboot', async () => {
    const { node, sendTo } = await join({ sshKeys: ['ssh-ed25519 AAAA one'] });
    const { name } = node;
    const watch = watchColumns(cluster.handle, name);
    const next = await sendTo('next', { sshKeys: ['ssh-ed25519 AAAA one', 'ssh-ed25519 AAAA two'] });
    await cluster.untilDone(name, next);
    watch.stop();
    expect(watch.rows).toEqual([
      BEFORE,
      'False True False False False False False False False False False',
      'False True Unknown False False False Unknown False False False False',
      'False True True False False False True False False False False',
      'False True True True False False True False False False False',
      'False True True True False True True False False False False',
      'False True True True True True True False False False True',
      BEFORE,
    ]);
    expect(await condition(name, 'Drained')).toBe(
      `False UpdateExecutedDrained: Action during update to ${next}: Node Drain Not required for this update.`,
    );
    expect(await condition(name, 'UpdatePostActionComplete')).toBe(
      `False None: Action during update to ${next}: Changes do not require a reboot`,
    );
    expect(await condition(name, 'Cordoned')).toMatch(/^False NotYetOccurred/);
  });

  it('(c) show a file that cannot be written, and the rollback', async () => {
    const { node, first, sendTo } = await join({ files: { '/etc/a': 'one' } });
    const { name } = node;
    node.disk.addFault({ path: '/rootfs/etc/blocked', code: 'EEXIST', calls: ['rename'] });
    const remove = await lingeringPod(cluster, name);
    const watch = watchColumns(cluster.handle, name);
    await sendTo('next', { files: { '/etc/a': 'two', '/etc/blocked': 'no' } });
    await drainedSlowly(name);
    await remove();
    const isDegraded = async () => (await cluster.annotation(name, 'state')) === 'Degraded';
    await cluster.until('degraded', isDegraded);
    await cluster.env.clock.advance(5 * 60_000);
    expect(watch.rows).toEqual(BEGINNING);
    const reason = await cluster.annotation(name, 'reason');
    expect(reason).toMatch(/^rename \/etc\/\.blocked\d+ \/etc\/blocked: file exists$/);
    expect(await condition(name, 'NodeDegraded')).toBe(
      `True NodeDegraded: Node ${name} upgrade failure. ${reason}`,
    );
    expect(await node.text('/etc/a')).toBe('one');
    expect((await cluster.node(name)).spec.unschedulable).toBe(true);
    await cluster.send(name, first);
    await cluster.untilDone(name, first);
    watch.stop();
    expect(watch.rows.slice(BEGINNING.length)).toEqual([
      'False True False False False False False False False False False',
      'False True Unknown False False False Unknown False False False False',
      'False True True False False False True False False False False',
      'False True True True False False True False False False False',
      'False True True True False True True False False False False',
      'False True True True True True True False False False True',
      BEFORE,
    ]);
    expect((await cluster.node(name)).spec.unschedulable ?? false).toBe(false);
  });

  it('(d) show an OS image that cannot be pulled', async () => {
    const { node, sendTo } = await join({ files: { '/etc/a': 'one' } });
    const { name } = node;
    const watch = watchColumns(cluster.handle, name);
    await sendTo('next', { files: { '/etc/a': 'two' }, osImage: GONE_OS });
    const isDegraded = async () => (await cluster.annotation(name, 'state')) === 'Degraded';
    const beganMs = cluster.env.clock.now();
    await cluster.until('degraded', isDegraded);
    expect(cluster.env.clock.now() - beganMs).toBeGreaterThanOrEqual(70_000);
    const reason = await cluster.annotation(name, 'reason');
    expect(reason).toMatch(
      new RegExp(
        `^Failed to update OS to ${GONE_OS} after retries: timed out waiting for the condition; last error: error running rpm-ostree rebase .*manifest unknown`,
      ),
    );
    expect(await node.text('/etc/a')).toBe('one');
    expect((await node.machine.host.os.deployments()).some(({ isStaged }) => isStaged)).toBe(false);
    await cluster.env.clock.advance(5 * 60_000);
    watch.stop();
    expect(watch.rows).toEqual([...PREPARED, FETCHING]);
    expect(await condition(name, 'UpdateExecuted')).toBe(
      `Unknown AppliedFilesAndOS: Fetching OS image ${GONE_OS} as a part of the in progress phase`,
    );
    expect(await condition(name, 'AppliedFilesAndOS')).toBe(
      `Unknown UpdateExecutedAppliedFilesAndOS: Fetching OS image ${GONE_OS} while the node still serves. It is drained when the image is there`,
    );
    expect((await cluster.node(name)).spec.unschedulable ?? false).toBe(false);
  });
});
