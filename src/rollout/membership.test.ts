import { describe, expect, it } from 'vitest';
import { aPool } from '../../test/support/build.ts';
import { annotations, type MachineConfigPool, nodeRoleLabel } from '../api/index.ts';
import type { LabelSelector } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { isSelectingAll, membershipOf, nodeSelectorProblem } from './membership.ts';

function aNode(name: string, roles: readonly string[], more: { readonly [key: string]: string } = {}): Node {
  const labels = { ...Object.fromEntries(roles.map((role) => [nodeRoleLabel(role), ''])), ...more };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: {} };
}

/** The name, and a selector that is not the one of the role. */
function selecting(name: string, nodeSelector: LabelSelector): MachineConfigPool {
  return aPool(name, { nodeSelector });
}

/** All pools of the node, the primary one first. */
function poolsOf(node: Node, among: readonly MachineConfigPool[]): readonly MachineConfigPool[] {
  const membership = membershipOf(node, among);
  return membership.kind === 'member' ? [membership.primary, ...membership.also] : [];
}

/** The nodes whose primary pool this is. */
function membersOf(
  pool: MachineConfigPool,
  among: readonly MachineConfigPool[],
  nodes: readonly Node[],
): readonly Node[] {
  return nodes.filter((node) => poolsOf(node, among)[0]?.metadata.name === pool.metadata.name);
}

const builtIn = [aPool('master'), aPool('worker')];
const pools = [...builtIn, aPool('arbiter'), aPool('infra'), aPool('gpu')];

describe('a node that two custom pools select', () => {
  const node = aNode('n', ['worker', 'infra', 'gpu']);

  it('is in none, and the message names the pools and the solution', () => {
    expect(membershipOf(node, pools)).toMatchObject({
      kind: 'conflict',
      message:
        'node n belongs to 2 custom roles, cannot proceed with this Node: it matches the pools gpu and infra; ' +
        'a node can be in one custom pool only, so remove the labels of all but one',
    });
    expect(poolsOf(node, pools)).toEqual([]);
    expect(pools.flatMap((pool) => membersOf(pool, pools, [node]))).toEqual([]);
  });

  it('is in none even if it belongs to the control plane', () => {
    expect(membershipOf(aNode('n', ['master', 'infra', 'gpu']), pools).kind).toBe('conflict');
  });
});

describe('an invalid selector', () => {
  const broken = selecting('broken', { matchExpressions: [{ key: 'a', operator: 'Like', values: ['b'] }] });

  it('is a problem of its own pool', () => {
    expect(nodeSelectorProblem(broken)).toEqual({
      path: 'spec.nodeSelector',
      message:
        'invalid label selector: matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
    });
    expect(membersOf(broken, [...pools, broken], [aNode('n', ['worker'], { a: 'b' })])).toEqual([]);
  });

  it('does not affect the nodes of other pools', () => {
    expect(
      poolsOf(aNode('n', ['worker'], { a: 'b' }), [broken, ...pools]).map(({ metadata }) => metadata.name),
    ).toEqual(['worker']);
  });
});

describe('an empty selector', () => {
  it.each<[string, LabelSelector, boolean]>([
    ['an empty one', {}, true],
    ['one with empty parts', { matchLabels: {}, matchExpressions: [] }, true],
    ['one with a label', { matchLabels: { a: 'b' } }, false],
  ])('selects no node: %s', (_, selector, isAll) => {
    const pool = selecting('all', selector);
    expect(isSelectingAll(pool)).toBe(isAll);
    expect(membershipOf(aNode('n', []), [pool])).toEqual({ kind: 'none' });
    expect(nodeSelectorProblem(pool)).toBeUndefined();
  });

  it('differs from an absent selector', () => {
    const { nodeSelector: _, ...spec } = aPool('none').spec;
    const pool = { ...aPool('none'), spec };
    expect([isSelectingAll(pool), membershipOf(aNode('n', []), [pool]).kind]).toEqual([false, 'none']);
  });
});

describe('the pool of a node', () => {
  // Roles, the pools of the node with the primary one first, and the custom pool that is ignored.
  it.each<[readonly string[], readonly string[], string | undefined]>([
    [[], ['worker'], undefined],
    [['control-plane'], ['master'], undefined],
    [['control-plane', 'worker'], ['master'], undefined],
    [['control-plane', 'master', 'etcd'], ['master'], undefined],
    [['control-plane', 'infra'], ['master'], 'infra'],
    [['worker'], ['worker'], undefined],
    [['master'], ['master'], undefined],
    [['master', 'worker'], ['master'], undefined],
    [['infra'], ['infra'], undefined],
    [['worker', 'infra'], ['infra', 'worker'], undefined],
    [['worker', 'arbiter'], ['arbiter', 'worker'], undefined],
    [['master', 'infra'], ['master'], 'infra'],
    [['master', 'worker', 'infra'], ['master', 'worker'], 'infra'],
    [['unheard-of'], [], undefined],
  ])('follows from its roles: %j', (roles, expected, ignored) => {
    const node = aNode('n', roles);
    expect(poolsOf(node, pools).map(({ metadata }) => metadata.name)).toEqual(expected);
    // The order in which pools are listed decides nothing.
    expect(poolsOf(node, pools.toReversed()).map(({ metadata }) => metadata.name)).toEqual(expected);
    const membership = membershipOf(node, pools);
    expect(membership.primary?.metadata.name).toBe(expected[0]);
    expect(membership.kind === 'member' ? membership.ignored?.metadata.name : undefined).toBe(ignored);
  });

  it.each<[string, LabelSelector, readonly { readonly [key: string]: string }[]]>([
    [
      'In',
      { matchExpressions: [{ key: 'a', operator: 'In', values: ['1', '2'] }] },
      [{ a: '1' }, { a: '2' }],
    ],
    ['NotIn', { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['1'] }] }, [{ a: '2' }, {}]],
    ['Exists', { matchExpressions: [{ key: 'a', operator: 'Exists' }] }, [{ a: '1' }, { a: '2' }]],
    ['DoesNotExist', { matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] }, [{}]],
    [
      'labels and demands',
      { matchLabels: { a: '1' }, matchExpressions: [{ key: 'b', operator: 'Exists' }] },
      [],
    ],
  ])('is found with every operator: %s', (_, selector, expected) => {
    const pool = selecting('custom', selector);
    const candidates = [{ a: '1' }, { a: '2' }, {}];
    expect(candidates.filter((labels) => poolsOf(aNode('n', [], labels), [pool]).length > 0)).toEqual(
      expected,
    );
  });

  it('is none for a Windows node, without a message', () => {
    const node = aNode('n', ['worker'], { 'kubernetes.io/os': 'windows' });
    expect(membershipOf(node, pools)).toEqual({ kind: 'windows' });
  });

  it('is worker, beside a custom one that selects another label, for a node without any role', () => {
    const custom = selecting('custom', { matchLabels: { tier: 'front' } });
    const node = aNode('n', [], { tier: 'front' });
    expect(poolsOf(node, [...pools, custom]).map(({ metadata }) => metadata.name)).toEqual([
      'custom',
      'worker',
    ]);
  });

  it('is none for a node without any role if the worker pool selects other nodes', () => {
    const narrow = selecting('worker', { matchLabels: { [nodeRoleLabel('worker')]: '', managed: 'yes' } });
    expect(membershipOf(aNode('n', []), [aPool('master'), narrow]).kind).toBe('none');
    expect(poolsOf(aNode('n', [], { managed: 'yes' }), [narrow])).toEqual([narrow]);
  });

  it.each([
    [
      'k3s',
      { 'node-role.kubernetes.io/control-plane': 'true', 'node-role.kubernetes.io/etcd': 'true' },
      'master',
    ],
    ['older k3s', { 'node-role.kubernetes.io/master': 'true' }, 'master'],
    ['RKE2', { 'node-role.kubernetes.io/worker': 'true' }, 'worker'],
    ['a custom role', { 'node-role.kubernetes.io/infra': 'true' }, 'infra'],
  ])('does not depend on whether its role labels are empty or true: %s', (_, given, expected) => {
    expect(poolsOf(aNode('n', [], given), pools)[0]?.metadata.name).toBe(expected);
    const asked = selecting('infra', { matchLabels: { [nodeRoleLabel('infra')]: 'true' } });
    expect(poolsOf(aNode('n', ['infra']), [asked])).toEqual([asked]);
  });

  it('follows the role control-plane also where a selector excludes the role master', () => {
    const others = selecting('others', {
      matchExpressions: [{ key: nodeRoleLabel('master'), operator: 'DoesNotExist' }],
    });
    expect(membershipOf(aNode('n', ['control-plane']), [others]).kind).toBe('none');
  });

  it('is required for a managed node that no pool selects', () => {
    const node = aNode('n', ['unheard-of']);
    const managed = {
      ...node,
      metadata: { ...node.metadata, annotations: { [annotations.currentConfig]: 'v1' } },
    };
    expect(membershipOf(managed, pools)).toEqual({
      kind: 'none',
      message: 'all nodes must be in a pool if managed by the MCO. Node n is not in a pool',
    });
  });

  it('is determined by the present selector of the pool', () => {
    const before = selecting('custom', { matchLabels: { a: '1' } });
    const after = selecting('custom', { matchLabels: { a: '2' } });
    const node = aNode('n', [], { a: '2' });
    expect([poolsOf(node, [before]).length, poolsOf(node, [after]).length]).toEqual([0, 1]);
  });

  it('counts each node once', () => {
    const nodes = [aNode('a', ['worker']), aNode('b', ['worker', 'infra']), aNode('c', ['master', 'worker'])];
    const members = pools.flatMap((pool) =>
      membersOf(pool, pools, nodes).map(({ metadata }) => metadata.name),
    );
    expect(members.toSorted()).toEqual(['a', 'b', 'c']);
  });
});
