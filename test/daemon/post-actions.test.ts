/**
 * What a MachineConfigNode tells about the actions of node disruption policies: after the disk has changed comes either
 * UpdatePostActionComplete or RebootedNode.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { machineConfiguration as machineConfigurationKind } from '../../src/api/index.ts';
import { setUpStories } from './story-cluster.ts';
import { type ColumnWatch, watchColumns } from './watch-columns.ts';

const stories = setUpStories();
const { condition, join } = stories;

const restart = { type: 'Restart', restart: { serviceName: 'chronyd.service' } };
const POLICIES = {
  '/etc/restart': [restart],
  '/etc/drain-restart': [{ type: 'Drain' }, restart],
  '/etc/drain': [{ type: 'Drain' }],
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
