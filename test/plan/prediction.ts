/** What a plan says, in the words in which observers of a cluster say what has happened. */
import type { FleetPlan } from '../../src/insight/index.ts';

type PoolPlan = FleetPlan['pools'][number];

/** What a node has done. */
export type Deeds = {
  readonly isDrained: boolean;
  readonly isRebooted: boolean;
  /** `reload crio.service`, sorted; empty where it rebooted. */
  readonly services: readonly string[];
};

/** By pool: the nodes in the order in which they get another target. */
export type Order = { readonly [pool: string]: readonly string[] };

export function predictedOrder(plan: FleetPlan): Order {
  return Object.fromEntries(moving(plan).map(({ name, nodes }) => [name, nodes.map((one) => one.name)]));
}

/** Pools are independent of each other: only the order within each is compared. */
export function orderByPool(targeted: readonly string[], { pools }: FleetPlan): Order {
  const planned = new Map(pools.flatMap(({ name, nodes }) => nodes.map((one) => [one.name, name])));
  const byPool: { [pool: string]: string[] } = {};
  for (const name of targeted) {
    const pool = planned.get(name) ?? 'unplanned';
    byPool[pool] = [...(byPool[pool] ?? []), name];
  }
  return byPool;
}

export function predictedDeeds(plan: FleetPlan): { readonly [node: string]: Deeds } {
  const all = moving(plan).flatMap(({ nodes, updates }) =>
    updates.flatMap((update) => {
      const { outcome } = update;
      if (outcome.kind !== 'update') throw new Error(outcome.message);
      const services = outcome.actions.flatMap((action) => {
        if (action.type === 'Special') return ['reload crio.service'];
        if (action.type === 'DaemonReload') return ['reload systemd'];
        return 'service' in action ? [`${action.type.toLowerCase()} ${action.service}`] : [];
      });
      const deeds: Deeds = {
        isDrained: outcome.needsDrain,
        isRebooted: outcome.needsReboot,
        services: outcome.needsReboot ? [] : [...new Set(services)].sort(),
      };
      const sent = update.nodes.filter((name) => nodes.some((node) => node.name === name));
      return sent.map((name) => [name, deeds] as const);
    }),
  );
  return Object.fromEntries(all);
}

function moving({ pools }: FleetPlan): readonly PoolPlan[] {
  return pools.filter(({ isPaused, nodes }) => !isPaused && nodes.length > 0);
}
