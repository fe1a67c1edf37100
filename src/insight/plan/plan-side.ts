/**
 * The cluster before or after a change: its pools rendered, their nodes, and where these are to go.
 */
import {
  type MachineConfig,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineOSBuild as machineOSBuildKind,
  machineOSConfig as machineOSConfigKind,
} from '../../api/index.ts';
import { type BuildForecast, buildForecast } from '../../images/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import { type Node, node as nodeKind } from '../../kubernetes/types/index.ts';
import { layeringOf, membershipOf } from '../../rollout/index.ts';
import type { ClusterSnapshot } from '../snapshot/cluster-snapshot.ts';
import type { FleetRendering, RenderedPool } from './fleet-rendering.ts';

export type Side = {
  readonly snapshot: ClusterSnapshot;
  /** By name. */
  readonly pools: ReadonlyMap<string, PoolSide>;
  /** By the name of a node: the name of its pool. */
  readonly poolOf: ReadonlyMap<string, string>;
};

export type PoolSide = RenderedPool & {
  /** By name. */
  readonly nodes: readonly Node[];
  /** Where its nodes are to go; absent where it has never been rendered. */
  readonly target?: SideTarget;
};

export type SideTarget = {
  readonly config: MachineConfig;
  /** The image of image mode, or a text that stands for one that is not built yet. */
  readonly image?: string;
  readonly build?: BuildForecast;
};

export function planSide(snapshot: ClusterSnapshot, rendering: FleetRendering): Side {
  const all = rendering.pools.map(({ pool }) => pool);
  const members = new Map<string, Node[]>(all.map((pool) => [nameOf(pool), []]));
  const poolOf = new Map<string, string>();
  for (const node of snapshot.all(nodeKind)) {
    const { primary } = membershipOf(node, all);
    if (primary === undefined) continue;
    members.get(nameOf(primary))?.push(node);
    poolOf.set(nameOf(node), nameOf(primary));
  }
  const pools = rendering.pools.map((one): readonly [string, PoolSide] => {
    const name = nameOf(one.pool);
    const nodes = members.get(name) ?? [];
    const config = targetConfig(snapshot, one);
    return [
      name,
      {
        ...{ ...one, nodes },
        ...(config === undefined ? {} : { target: targetOf(snapshot, { ...one, nodes }, config) }),
      },
    ];
  });
  return { snapshot, pools: new Map(pools), poolOf };
}

/** What it renders to; where that is refused, the last one that succeeded stays. */
function targetConfig(
  snapshot: ClusterSnapshot,
  { pool, rendering }: RenderedPool,
): MachineConfig | undefined {
  if (rendering.kind === 'rendered') return rendering.machineConfig;
  return snapshot.get(machineConfigKind, { name: pool.spec.configuration?.name ?? '' });
}

function targetOf(snapshot: ClusterSnapshot, side: PoolSide, config: MachineConfig): SideTarget {
  const pool = publishedPool(side);
  const osConfig = layeringOf(pool, snapshot.all(machineOSConfigKind), [])?.config;
  if (osConfig === undefined) return { config };
  const builds = snapshot
    .all(machineOSBuildKind)
    .filter(({ spec }) => spec.machineOSConfig.name === nameOf(osConfig));
  const build = buildForecast({ config: osConfig, builds, nodes: side.nodes }, { pool, rendered: config });
  return { config, build, image: 'image' in build ? build.image : `image of ${build.build}` };
}

/** The pool as it is once its rendering is published: the name of a build depends on the sources, too. */
export function publishedPool({ pool, rendering }: RenderedPool): MachineConfigPool {
  if (rendering.kind !== 'rendered') return pool;
  const configuration = { name: nameOf(rendering.machineConfig), source: rendering.sources };
  return { ...pool, spec: { ...pool.spec, configuration } };
}
