/**
 * Random clusters: a rendered config is deleted if and only if no text of any object mentions it, and the rules about age and number
 * allow it. What refers to a config is found by searching the objects as text, not by knowing their fields.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aPool } from '../../../test/support/build.ts';
import { annotations, type MachineConfigNode, type MachineOSBuild } from '../../api/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { decidePruning, type PruneInput } from './decide-pruning.ts';
import { formatDiskConfigs } from './disk-configs.ts';

const HOUR_MS = 60 * 60_000;
const NOW_MS = Date.parse('2026-03-01T00:00:00Z');
const POOLS = ['worker', 'infra'] as const;
/** Few, so that several objects refer to the same one. None is part of another. */
const NAMES = POOLS.flatMap((pool) => [...'abcdefgh'].map((letter) => `rendered-${pool}-${letter}`));
const name = fc.constantFrom(...NAMES);
const maybeName = fc.oneof({ weight: 3, arbitrary: fc.constant('') }, name);

const pools = fc.tuple(
  ...POOLS.map((pool) => fc.record({ pool: fc.constant(pool), target: maybeName, status: maybeName })),
);
const nodes = fc.array(
  fc.record({
    role: fc.constantFrom(...POOLS),
    current: maybeName,
    desired: maybeName,
    drain: maybeName,
    disk: fc.array(name, { maxLength: 2 }),
    isReported: fc.constantFrom(true, true, true, true, false),
    bootId: fc.constantFrom('1', '1', '1', '1', '2'),
  }),
  { maxLength: 4 },
);
const cluster = fc.record({
  pools,
  nodes,
  records: fc.array(fc.record({ desired: maybeName, current: maybeName }), { maxLength: 2 }),
  builds: fc.array(maybeName, { maxLength: 2 }),
  ages: fc.array(fc.integer({ min: 0, max: 72 }), { minLength: NAMES.length, maxLength: NAMES.length }),
  keep: fc.integer({ min: 0, max: 3 }),
  minAgeHours: fc.constantFrom(0, 24),
});
type Cluster = typeof cluster extends fc.Arbitrary<infer T> ? T : never;

function aNode(one: Cluster['nodes'][number], index: number): Node {
  const texts = {
    [annotations.currentConfig]: one.current,
    [annotations.desiredConfig]: one.desired,
    [annotations.desiredDrain]: one.drain === '' ? '' : `drain-${one.drain}`,
  };
  const metadata = {
    name: `node-${index}`,
    labels: { 'node-role.kubernetes.io/worker': '', [`node-role.kubernetes.io/${one.role}`]: '' },
    annotations: Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')),
  };
  // Nothing else of a node matters here.
  const status = { nodeInfo: { bootID: '1' } } as unknown as NonNullable<Node['status']>;
  const node: Node = { apiVersion: 'v1', kind: 'Node', metadata, spec: {}, status };
  if (!one.isReported) return node;
  const report = formatDiskConfigs(node, { bootId: one.bootId, configs: one.disk });
  return {
    ...node,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [annotations.diskConfigs]: report } },
  };
}

function inputOf(given: Cluster): PruneInput {
  const named = (one: string) => (one === '' ? {} : { configuration: { name: one } });
  return {
    configs: NAMES.map((config, index) => {
      const owner = POOLS.find((pool) => config.startsWith(`rendered-${pool}-`)) ?? '';
      const creationTimestamp = new Date(NOW_MS - (given.ages[index] ?? 0) * HOUR_MS).toISOString();
      const reference = { apiVersion: 'x', kind: 'MachineConfigPool', name: owner, uid: `uid-${owner}` };
      return { metadata: { name: config, creationTimestamp, ownerReferences: [reference] } };
    }),
    pools: given.pools.map(({ pool, target, status }) => ({
      ...aPool(pool, named(target), { uid: `uid-${pool}` }),
      // Only the field that matters.
      status: named(status) as never,
    })),
    nodes: given.nodes.map(aNode),
    machineConfigNodes: given.records.map(
      ({ desired, current }, index) =>
        ({
          metadata: { name: `node-${index}` },
          spec: { configVersion: { desired } },
          status: { configVersion: { desired, current } },
        }) as unknown as MachineConfigNode,
    ),
    builds: given.builds.map(
      (config, index) =>
        ({
          metadata: { name: `build-${index}` },
          spec: { machineConfig: { name: config } },
        }) as unknown as MachineOSBuild,
    ),
    keep: () => given.keep,
    minAgeMs: given.minAgeHours * HOUR_MS,
    nowMs: NOW_MS,
  };
}

/** Pools of which a node may have any config on its disk. */
function unknownPools(given: Cluster): ReadonlySet<string> {
  const unreported = given.nodes.filter(({ isReported, bootId }) => !isReported || bootId !== '1');
  const poolOf = (config: string) => POOLS.find((pool) => config.startsWith(`rendered-${pool}-`)) ?? '';
  // A node of a custom pool is a worker as well.
  return new Set(unreported.flatMap((one) => ['worker', one.role, poolOf(one.current), poolOf(one.desired)]));
}

it('Pruning deletes exactly the rendered configs that no object of a random cluster mentions and that are old enough.', () => {
  let deletions = 0;
  fc.assert(
    fc.property(cluster, (given) => {
      const input = inputOf(given);
      const { pools, nodes, machineConfigNodes, builds } = input;
      const everything = JSON.stringify({ pools, nodes, machineConfigNodes, builds });
      const unknown = unknownPools(given);
      for (const { config, pool, reasons } of decidePruning(input)) {
        const { name: deleted } = config.metadata;
        const age = given.ages[NAMES.indexOf(deleted)] ?? 0;
        const newer = NAMES.filter((other, index) => {
          const otherAge = given.ages[index] ?? 0;
          const isBefore = otherAge < age || (otherAge === age && other < deleted);
          return other.startsWith(`rendered-${pool}-`) && isBefore;
        });
        const isFree =
          !everything.includes(deleted) &&
          !unknown.has(pool) &&
          newer.length >= given.keep &&
          age >= given.minAgeHours;
        expect([deleted, reasons.length === 0]).toEqual([deleted, isFree]);
        if (isFree) deletions += 1;
      }
    }),
    { numRuns: 1_000 },
  );
  expect(deletions).toBeGreaterThan(500);
});
