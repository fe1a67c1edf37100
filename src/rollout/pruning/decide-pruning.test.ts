import { describe, expect, it } from 'vitest';
import { aPool } from '../../../test/support/build.ts';
import { annotations, type MachineConfigNode, type MachineOSBuild } from '../../api/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { decidePruning, type PruneInput } from './decide-pruning.ts';

const DAY_MS = 24 * 60 * 60_000;
const NOW_MS = Date.parse('2026-03-01T00:00:00Z');
const daysAgo = (days: number) => new Date(NOW_MS - days * DAY_MS).toISOString();

const OF_WORKER = { apiVersion: 'x', kind: 'MachineConfigPool', name: 'worker', uid: 'uid-worker' };

function config(name: string, days: number, metadata: object = {}) {
  return { metadata: { name, creationTimestamp: daysAgo(days), ownerReferences: [OF_WORKER], ...metadata } };
}

function node(name: string, given: { readonly [key: string]: string } = {}, bootID = 'boot-1'): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    spec: {},
    metadata: {
      name,
      labels: { 'node-role.kubernetes.io/worker': '' },
      annotations: { [annotations.diskConfigs]: '{"bootID":"boot-1","configs":[]}', ...given },
    },
    // Nothing else of a node matters here.
    status: { nodeInfo: { bootID } } as unknown as NonNullable<Node['status']>,
  };
}

const worker = aPool('worker', { configuration: { name: 'new' } }, { uid: 'uid-worker' });

function reasons(input: Partial<PruneInput>): { readonly [name: string]: readonly string[] } {
  const decisions = decidePruning({
    ...{ configs: [], pools: [worker], builds: [], machineConfigNodes: [], nodes: [] },
    ...{ keep: () => 0, minAgeMs: DAY_MS, nowMs: NOW_MS },
    ...input,
  });
  return Object.fromEntries(decisions.map(({ config: { metadata }, reasons: why }) => [metadata.name, why]));
}

const only = (input: Partial<PruneInput>) => reasons({ configs: [config('old', 9)], ...input }).old;

describe('a rendered config is kept', () => {
  it('because a pool targets it, and deleted where none does', () => {
    expect(reasons({ configs: [config('new', 5), config('old', 9)] })).toEqual({
      new: ["pool worker's target"],
      old: [],
    });
  });

  it('because the status of a pool has it', () => {
    // Only the fields that matter.
    const status = { configuration: { name: 'old' } } as unknown as NonNullable<typeof worker.status>;
    expect(only({ pools: [{ ...worker, status }] })).toEqual(['the status of pool worker refers to it']);
  });

  it.each([
    [{ [annotations.currentConfig]: 'old' }, 'worker-0 runs it'],
    [{ [annotations.desiredConfig]: 'old' }, 'worker-0 is to be updated to it'],
    [{ [annotations.desiredDrain]: 'uncordon-old' }, 'the drain of worker-0 refers to it'],
    [
      { [annotations.diskConfigs]: '{"bootID":"boot-1","configs":["old"]}' },
      'the disk of worker-0 refers to it',
    ],
  ])('because of the annotation %j of a node', (given, reason) => {
    expect(only({ nodes: [node('worker-0', given)] })).toEqual([reason]);
  });

  it('because of many nodes, of which one is named', () => {
    const given = { [annotations.currentConfig]: 'old' };
    const nodes = ['worker-2', 'worker-0', 'worker-1'].map((name) => node(name, given));
    expect(only({ nodes })).toEqual(['worker-0 and 2 more run it']);
  });

  it('because a MachineConfigNode or a MachineOSBuild refers to it', () => {
    const record = {
      metadata: { name: 'worker-0' },
      spec: { configVersion: { desired: 'x' } },
      status: { configVersion: { desired: 'x', current: 'old' } },
    } as unknown as MachineConfigNode;
    const build = {
      metadata: { name: 'b-1' },
      spec: { machineConfig: { name: 'old' } },
    } as unknown as MachineOSBuild;
    expect(only({ machineConfigNodes: [record], builds: [build] })).toEqual([
      'MachineConfigNode worker-0 refers to it',
      'MachineOSBuild b-1',
    ]);
  });

  it('while a node of its pool has not reported what its disk refers to', () => {
    const without = { ...node('worker-0'), metadata: { ...node('worker-0').metadata, annotations: {} } };
    const reason = 'worker-0 has not reported what its disk refers to';
    expect(only({ nodes: [without] })).toEqual([reason]);
    expect(only({ nodes: [node('worker-0', { [annotations.diskConfigs]: 'garbage' })] })).toEqual([reason]);
    expect(only({ nodes: [node('worker-0', {}, 'boot-2')] })).toEqual([reason]);
    const elsewhere = { ...without.metadata, labels: { 'node-role.kubernetes.io/master': '' } };
    expect(only({ nodes: [{ ...without, metadata: elsewhere }] })).toEqual([]);
  });

  it('because a node that joins may have got it, for a day after it was a target', () => {
    const configs = (targeted: number) => [
      config('old', 9, { annotations: { [annotations.lastTargeted]: daysAgo(targeted) } }),
    ];
    expect(reasons({ configs: configs(0.9) }).old).toEqual(['a target less than 24h ago']);
    expect(reasons({ configs: configs(-1) }).old).toEqual(['a target less than 24h ago']);
    expect(reasons({ configs: configs(1.1) }).old).toEqual([]);
    expect(reasons({ configs: [config('old', 0.5)] }).old).toEqual(['a target less than 24h ago']);
    expect(reasons({ configs: configs(-1), minAgeMs: 0 }).old).toEqual([]);
  });

  it('because it is among the newest of its pool', () => {
    const configs = [config('a', 9), config('b', 8), config('c', 3), config('d', 4)];
    expect(reasons({ configs, keep: () => 2 })).toEqual({ c: ['newest 2'], d: ['newest 2'], b: [], a: [] });
  });

  it('because nothing of its pool is to be pruned', () => {
    expect(only({ keep: () => undefined })).toEqual(['nothing of its pool is pruned']);
  });

  it('because it is not of a pool that exists', () => {
    expect(only({ configs: [config('old', 9, { ownerReferences: [] })] })).toEqual(['no pool owns it']);
    const gone = 'pool worker is gone, and the garbage collector deletes it';
    expect(only({ pools: [] })).toEqual([gone]);
    expect(only({ pools: [aPool('worker', {}, { uid: 'another' })] })).toEqual([gone]);
  });

  it('while a node that was installed with it waits for the labels of its custom pool', () => {
    const infra = aPool('infra', {}, { uid: 'uid-infra' });
    const owner = { ...OF_WORKER, name: 'infra', uid: 'uid-infra' };
    const configs = [config('old', 9, { ownerReferences: [owner] })];
    const given = { [annotations.firstPivotConfig]: 'old' };
    const pools = [worker, infra];
    expect(only({ configs, pools, nodes: [node('worker-0', given)] })).toEqual([
      "its pool's labels are still to be given to worker-0, installed with it",
    ]);
    const labelled = { ...given, [annotations.customPoolLabelsApplied]: '' };
    expect(only({ configs, pools, nodes: [node('worker-0', labelled)] })).toEqual([]);
    expect(only({ nodes: [node('worker-0', given)] })).toEqual([]);
  });
});
