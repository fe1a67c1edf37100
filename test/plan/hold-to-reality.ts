/**
 * Makes a plan for a change, carries the change out, and compares: what the plan says on one side, what then happened on the other.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { kinds } from '../../src/api/index.ts';
import { ClusterSession } from '../../src/cli/objects/cluster-session.ts';
import { readConfigs } from '../../src/cli/plan/plan-sources.ts';
import { readTemplates } from '../../src/cli/render/read-templates.ts';
import {
  type FleetPlan,
  fleetPlan,
  planJson,
  type SnapshotChange,
  type SnapshotObject,
} from '../../src/insight/index.ts';
import {
  type AnyObject,
  createInProcessTransport,
  type ResourceOf,
  type Transport,
} from '../../src/kubernetes/client/index.ts';
import { configMap, node } from '../../src/kubernetes/types/index.ts';
import { isPoolUpdated } from '../rollout/build-world.ts';
import { root } from '../rollout/control.ts';
import { condition, target } from '../rollout/story-steps.ts';
import { schemaProblems } from '../support/json-schema.ts';
import { type Happened, MINUTE, type PlannedCluster } from './planned-cluster.ts';
import { type Deeds, type Order, orderByPool, predictedDeeds, predictedOrder } from './prediction.ts';

const schema = JSON.parse(readFileSync(join(root, 'docs/schemas/plan.schema.json'), 'utf8'));

export type Reality = {
  readonly hold: (
    applied: readonly SnapshotObject[],
    deleted?: readonly SnapshotObject[],
  ) => Promise<HeldPlan>;
  readonly plan: (change: SnapshotChange) => Promise<FleetPlan>;
  /** How many plans were compared. */
  readonly compared: () => number;
  /** Requests of plans that were more than reads. */
  readonly writes: readonly string[];
};

export type HeldPlan = { readonly plan: FleetPlan; readonly happened: Happened };

export async function createReality(cluster: PlannedCluster): Promise<Reality> {
  const templates = await readTemplates(root);
  const { world } = cluster;
  const writes: string[] = [];
  let compared = 0;

  /** By the same requests as the command sends. */
  const plan = async (change: SnapshotChange): Promise<FleetPlan> => {
    const { env, server } = world;
    const direct = createInProcessTransport({
      handle: server.handle,
      user: { name: 'admin', groups: ['system:masters'] },
    });
    const recorded: Transport = {
      send(request) {
        if (request.method !== 'GET') writes.push(`${request.method} ${request.path}`);
        return direct.send(request);
      },
    };
    const session = new ClusterSession({
      ...{ transport: recorded, clock: env.clock, namespace: 'default', warn: () => undefined },
    });
    const { reader, namespace } = await readConfigs(session);
    return fleetPlan(reader.snapshot(), change, { namespace, templates, version: 'test' });
  };

  const targets = async () =>
    new Map((await world.pools()).map(({ metadata, spec }) => [metadata.name, spec.configuration?.name]));

  /** Neither degraded nor on its way; a paused pool stays where it is. */
  const isSettled = async (name: string): Promise<boolean> => {
    const pool = await world.pool(name);
    const [isDegraded] = await condition(world, name, 'NodeDegraded');
    return pool.spec.paused === true || isPoolUpdated(pool) || isDegraded === 'True';
  };

  /** Waits for what the plan says, and, where it says that configs stay, long enough for the opposite. */
  const settle = async (before: ReadonlyMap<string, string | undefined>, { pools }: FleetPlan) => {
    const moved = pools.filter(({ name, to }) => to !== undefined && to !== before.get(name));
    const hasMoved = async ({ name, to }: FleetPlan['pools'][number]) => (await target(world, name)) === to;
    for (const pool of moved) {
      await world.until(`${pool.name} has the target ${pool.to}`, () => hasMoved(pool), 5 * MINUTE);
    }
    if (moved.length === 0 || pools.some(({ build }) => build !== undefined)) {
      await world.env.clock.advance(MINUTE);
    }
    for (const { metadata } of await world.pools()) {
      const { name } = metadata;
      await world.until(`${name} is updated or degraded`, () => isSettled(name), 30 * MINUTE);
    }
  };

  return {
    plan,
    writes,
    compared: () => compared,
    async hold(applied, deleted = []) {
      const made = await plan({
        applied,
        deleted: deleted.map(({ apiVersion, kind, metadata }) => ({
          ...{ group: apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '', kind },
          name: metadata.name,
          ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
        })),
      });
      expect(made.problems).toEqual([]);
      expect(schemaProblems(schema, JSON.parse(JSON.stringify(planJson(made))))).toEqual([]);
      await cluster.happened();
      const before = await targets();
      await carryOut(cluster, applied, deleted);
      await settle(before, made);
      for (const { metadata } of await world.pools()) {
        const [isDegraded, message] = await condition(world, metadata.name, 'NodeDegraded');
        expect(isDegraded, `${metadata.name}: ${message}`).toBe('False');
      }
      const happened = await cluster.happened();
      expect(seen(happened, made)).toEqual(predicted(made));
      compared++;
      return { plan: made, happened };
    },
  };
}

type Compared = {
  readonly order: Order;
  readonly nodes: { readonly [name: string]: Deeds };
  readonly jobs: readonly string[];
  readonly targetedDuringJobs: readonly string[];
};

function seen({ targeted, nodes, jobs, targetedDuringJobs }: Happened, plan: FleetPlan): Compared {
  return { order: orderByPool(targeted, plan), nodes, jobs, targetedDuringJobs };
}

function predicted(plan: FleetPlan): Compared {
  return {
    order: predictedOrder(plan),
    nodes: predictedDeeds(plan),
    jobs: plan.pools.flatMap(({ build }) => (build?.kind === 'new' ? [`build-${build.build}`] : [])),
    targetedDuringJobs: [],
  };
}

async function carryOut(
  { world: { kube } }: PlannedCluster,
  applied: readonly SnapshotObject[],
  deleted: readonly SnapshotObject[],
): Promise<void> {
  for (const object of applied) await kube.apply(resourceOf(object.kind), object);
  for (const { kind, metadata } of deleted) await kube.delete(resourceOf(kind), metadata);
}

function resourceOf(kind: string): ResourceOf<AnyObject> {
  const found = [...kinds, node, configMap].find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`no kind ${kind}`);
  return found as unknown as ResourceOf<AnyObject>;
}
