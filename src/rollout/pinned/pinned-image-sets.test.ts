import { describe, expect, it } from 'vitest';
import type { MachineConfigNode, MachineConfigPool, PinnedImageSet } from '../../api/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { hasAllSets, pinnedSetsOfNode, pinnedSetsOfPool, requiredSets } from './pinned-image-sets.ts';

const ROLE = 'machineconfiguration.openshift.io/role';
const aSet = (name: string, role?: string, metadata: object = {}): PinnedImageSet => ({
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'PinnedImageSet',
  metadata: { name, ...(role === undefined ? {} : { labels: { [ROLE]: role } }), ...metadata },
  spec: { pinnedImages: [{ name: 'r.example.com/a@sha256:0' }] },
});
const aPool = (name: string, roles: readonly string[]): MachineConfigPool => ({
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineConfigPool',
  metadata: { name },
  spec: {
    machineConfigSelector: { matchExpressions: [{ key: ROLE, operator: 'In', values: [...roles] }] },
    nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
  },
});
const aNode = (...roles: readonly string[]): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'n',
    labels: Object.fromEntries(roles.map((role) => [`node-role.kubernetes.io/${role}`, ''])),
  },
  spec: {},
});
const WORKER = aPool('worker', ['worker']);
const MASTER = aPool('master', ['master']);

describe('the PinnedImageSets of a pool', () => {
  it('are those whose labels its machineConfigSelector matches, sorted', () => {
    const sets = [aSet('z', 'worker'), aSet('m', 'master'), aSet('a', 'worker'), aSet('none')];
    expect(pinnedSetsOfPool(WORKER, sets)).toEqual({ names: ['a', 'z'] });
  });

  it('are none of those that are being deleted', () => {
    const set = aSet('a', 'worker', { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(pinnedSetsOfPool(WORKER, [set])).toEqual({ names: [] });
  });

  it.each([
    ['no selector', undefined],
    ['an empty selector', {}],
    ['an invalid selector', { matchExpressions: [{ key: ROLE, operator: 'Some', values: [] }] }],
  ])('are none of a pool with %s', (_, machineConfigSelector) => {
    const { machineConfigSelector: _old, ...spec } = WORKER.spec;
    const pool = { ...WORKER, spec: { ...spec, ...(machineConfigSelector && { machineConfigSelector }) } };
    expect(pinnedSetsOfPool(pool, [aSet('a', 'worker')])).toEqual({ names: [] });
  });

  it('are at most 100, and the pool says that there are more', () => {
    const sets = Array.from({ length: 102 }, (_, index) => aSet(`set-${1000 + index}`, 'worker'));
    const { names, problem } = pinnedSetsOfPool(WORKER, sets.toReversed());
    expect([names.length, names[0], names.at(-1)]).toEqual([100, 'set-1000', 'set-1099']);
    expect(problem).toBe(
      'Failed to populate pinned image sets for pool worker: it selects 102 PinnedImageSets, and a pool can have 100: the last 2 by name are not used',
    );
  });
});

describe('the PinnedImageSets of a node', () => {
  const sets = [aSet('w', 'worker'), aSet('i', 'infra'), aSet('m', 'master')];

  it.each([
    ['a worker', ['worker'], ['w']],
    ['a control plane node', ['master'], ['m']],
    ['a node of a custom pool, whose own come first', ['worker', 'infra'], ['i', 'w']],
    ['a control plane node that also works', ['master', 'worker'], ['m']],
    ['a node of no pool', ['other'], []],
  ])('are those of its pools: %s', (_, roles, names) => {
    const pools = [WORKER, MASTER, aPool('infra', ['infra'])];
    expect(pinnedSetsOfNode(aNode(...roles), pools, sets)).toEqual(names);
  });

  it('are each named once where both of its pools select them', () => {
    const pools = [WORKER, aPool('infra', ['infra', 'worker'])];
    expect(pinnedSetsOfNode(aNode('worker', 'infra'), pools, sets)).toEqual(['i', 'w']);
  });

  it('are none where two custom pools claim it', () => {
    const pools = [WORKER, aPool('infra', ['infra']), aPool('edge', ['infra'])];
    expect(pinnedSetsOfNode(aNode('infra', 'edge'), pools, sets)).toEqual([]);
  });
});

describe('a node counts as having all PinnedImageSets of its pool', () => {
  const CREATED = '2026-01-01T12:00:00Z';
  const present = (name: string, role: string, generation = 1) =>
    aSet(name, role, { generation, creationTimestamp: CREATED });
  const aRecord = (entries?: { readonly [name: string]: number }): MachineConfigNode => ({
    ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfigNode' },
    metadata: { name: 'n' },
    spec: { node: { name: 'n' }, pool: { name: 'worker' }, configVersion: { desired: 'x' } },
    ...(entries && {
      status: {
        pinnedImageSets: Object.entries(entries).map(([name, generation]) => ({
          ...{ name, desiredGeneration: generation, currentGeneration: generation },
        })),
      },
    }),
  });
  const assigned = (node: Node, sets: string): Node => ({
    ...node,
    metadata: { ...node.metadata, annotations: { 'millwright.dev/pinned-image-sets': sets } },
  });
  const ready = (status: string, lastTransitionTime: string): Partial<Node> => ({
    status: { conditions: [{ type: 'Ready', status, lastTransitionTime }] },
  });
  const counts = (node: Node, record: MachineConfigNode | undefined, sets: readonly PinnedImageSet[]) =>
    hasAllSets(node, record, requiredSets(WORKER, sets));
  const sets = [present('a', 'worker')];

  it('when it reports the present generation of each', () => {
    expect(counts(aNode('worker'), aRecord({ a: 1 }), sets)).toBe(true);
    expect(counts(aNode('worker'), aRecord({ a: 1 }), [present('a', 'worker', 2)])).toBe(false);
  });

  it('not where its daemon has never reported', () => {
    expect(counts(aNode('worker'), undefined, sets)).toBe(false);
    expect(counts(aNode('worker'), aRecord(), sets)).toBe(false);
    // Not even the MachineConfigNode is there.
    expect(counts(aNode('worker'), undefined, [])).toBe(false);
  });

  it('not where the pool has not listed a new set yet', () => {
    expect(counts(aNode('worker'), aRecord({ a: 1 }), [...sets, present('b', 'worker')])).toBe(false);
  });

  it('without those that were deleted, also while it pulls them', () => {
    expect(counts(assigned(aNode('worker'), 'a,gone'), aRecord({ a: 1 }), sets)).toBe(true);
    expect(counts(assigned(aNode('worker'), 'gone'), aRecord(), [])).toBe(true);
  });

  it('not from another pool, whose sets it may still report and have to pull', () => {
    const moved = assigned(aNode('worker'), 'i');
    const all = [...sets, present('i', 'infra')];
    expect(counts(moved, aRecord({ i: 1 }), all)).toBe(false);
    expect(counts(moved, aRecord({ a: 1 }), all)).toBe(false);
    expect(counts(assigned(moved, 'a'), aRecord({ i: 1 }), all)).toBe(false);
    expect(counts(assigned(moved, 'a'), aRecord({ a: 1 }), all)).toBe(true);
  });

  it('not where it has been down since before the set was created: it reports another one of that name', () => {
    const down = (status: string, since: string) => ({ ...aNode('worker'), ...ready(status, since) });
    expect(counts(down('Unknown', '2026-01-01T11:00:00Z'), aRecord({ a: 1 }), sets)).toBe(false);
    expect(counts(down('False', '2026-01-01T13:00:00Z'), aRecord({ a: 1 }), sets)).toBe(true);
    expect(counts(down('True', '2026-01-01T11:00:00Z'), aRecord({ a: 1 }), sets)).toBe(true);
  });
});
