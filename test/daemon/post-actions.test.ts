/**
 * What a MachineConfigNode reports about the actions of node disruption policies: after the disk has changed comes either
 * UpdatePostActionComplete or RebootedNode.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { FORCE_FILE, machineConfiguration as machineConfigurationKind } from '../../src/api/index.ts';
import { setUpStories } from './story-cluster.ts';
import { type ColumnWatch, watchColumns } from './watch-columns.ts';

const stories = setUpStories();
const { condition, join, pass, untilDegraded } = stories;
const MINUTE = 60_000;

const restart = { type: 'Restart', restart: { serviceName: 'chronyd.service' } };
const reload = { type: 'Reload', reload: { serviceName: 'crio.service' } };
const POLICIES = {
  '/etc/restart': [restart],
  '/etc/drain-restart': [{ type: 'Drain' }, restart],
  '/etc/drain': [{ type: 'Drain' }],
  '/etc/reload': [reload],
  '/etc/two': [{ type: 'DaemonReload' }, reload],
};

beforeAll(async () => {
  const files = Object.entries(POLICIES).map(([path, actions]) => ({ path, actions }));
  const object = {
    apiVersion: 'operator.openshift.io/v1',
    kind: 'MachineConfiguration',
    metadata: { name: 'cluster' },
    spec: { nodeDisruptionPolicy: { files } },
  };
  await stories.cluster().kube.apply(machineConfigurationKind, object);
  await stories.pass(1_000);
});

/** The different values of one column, in order. */
function valuesOf({ rows }: ColumnWatch, column: 'executed' | 'post-action' | 'applied'): readonly string[] {
  const index = { executed: 2, 'post-action': 3, applied: 6 }[column];
  const values = rows.map((row) => row.split(' ')[index] ?? '');
  return values.filter((value, at) => value !== values[at - 1]);
}

describe('a post-config action that succeeds', () => {
  it.each<[string, keyof typeof POLICIES, string]>([
    [
      'a restart',
      '/etc/restart',
      'False UpdatePostActionComplete: Action during update to NEXT: Node has restarted service chronyd.service',
    ],
    [
      'a drain and a restart',
      '/etc/drain-restart',
      'False UpdatePostActionComplete: Action during update to NEXT: Node has restarted service chronyd.service',
    ],
    [
      'a drain alone',
      '/etc/drain',
      'False None: Action during update to NEXT: Changes do not require a reboot',
    ],
  ])('completes the phase UpdatePostActionComplete: %s', async (_, path, expected) => {
    const joined = await join();
    const { name } = joined.node;
    const watch = watchColumns(stories.cluster().handle, name);
    const next = await joined.sendTo('next', { files: { [path]: 'x' } });
    await stories.cluster().untilDone(name, next);
    watch.stop();
    expect(valuesOf(watch, 'post-action')).toEqual(['False', 'True', 'False']);
    expect(await condition(joined, 'UpdatePostActionComplete')).toBe(expected.replace('NEXT', next));
    expect(await condition(joined, 'RebootedNode')).toMatch(/^False NotYetOccurred/);
  });
});

describe('a post-config action that fails', () => {
  it.each<[string, keyof typeof POLICIES]>([
    ['the only one', '/etc/reload'],
    ['the second one', '/etc/two'],
    ['a restart', '/etc/restart'],
  ])('has its error in its own phase, which no retry changes until it succeeds: %s', async (_, path) => {
    const joined = await join();
    const { name, machine } = joined.node;
    for (const unit of ['crio.service', 'chronyd.service']) machine.faults.failingUnits.add(unit);
    const watch = watchColumns(stories.cluster().handle, name);
    const next = await joined.sendTo('next', { files: { [path]: 'x' } });
    const reason = await untilDegraded(joined, /^could not apply update/);
    await pass(10 * MINUTE);
    expect(await condition(joined, 'UpdatePostActionComplete')).toBe(
      `Unknown UpdatePostActionComplete: ${reason}`,
    );
    // The rollback has undone what was applied.
    expect(await condition(joined, 'AppliedFilesAndOS')).toBe(
      'Unknown UpdateExecutedAppliedFilesAndOS: Applying files and new OS config to node. OS will not need an update. SSH Keys will not need an update',
    );
    expect(await joined.node.text(path)).toBeUndefined();
    machine.faults.failingUnits.clear();
    await stories.cluster().untilDone(name, next);
    watch.stop();
    const once = ['False', 'Unknown', 'True', 'Unknown', 'True', 'False'];
    expect(valuesOf(watch, 'applied')).toEqual(once);
    expect(valuesOf(watch, 'executed')).toEqual(once);
    expect(valuesOf(watch, 'post-action')).toEqual(['False', 'Unknown', 'True', 'False']);
  });

  it('is no longer reported as such where the retry reboots instead', async () => {
    const joined = await join();
    const { name, machine } = joined.node;
    machine.faults.failingUnits.add('crio.service');
    const next = await joined.sendTo('next', { files: { '/etc/reload': 'x' } });
    await untilDegraded(joined, /^could not apply update/);
    const watch = watchColumns(stories.cluster().handle, name);
    await joined.node.write(FORCE_FILE, '');
    await stories.cluster().untilDone(name, next);
    watch.stop();
    expect(valuesOf(watch, 'post-action')).toEqual(['Unknown', 'False']);
    const rebooting = watch.rows.filter((row) => row.split(' ')[9] === 'Unknown');
    expect(rebooting).toEqual(['False True True False False False True True True Unknown False']);
  });
});

describe('a reboot that the machine refuses', () => {
  it('has its error in its own phase, and what was applied counts as undone', async () => {
    const joined = await join();
    const { machine } = joined.node;
    machine.faults.isRebootRefused = true;
    await joined.sendTo('next', { files: { '/etc/other': 'x' } });
    const reason = await untilDegraded(joined, /^reboot command failed/);
    expect(await condition(joined, 'RebootedNode')).toBe(`Unknown RebootedNode: ${reason}`);
    expect(await condition(joined, 'AppliedFilesAndOS')).toMatch(/^Unknown /);
    expect(await condition(joined, 'UpdateExecuted')).toMatch(/^Unknown /);
  });
});
