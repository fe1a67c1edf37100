/** What pools say of themselves, as values of metrics. */
import type { MachineConfigPool } from '../../api/index.ts';
import { objectsAt, stringAt } from '../../base/json-fields.ts';
import { parseTimestamp } from '../../base/text/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';

type PoolCondition = {
  readonly type: string;
  readonly isTrue: boolean;
  readonly reason: string;
  /** Seconds since 1970; undefined where it is malformed. */
  readonly changedAt: number | undefined;
};

/** The first of each type. */
export function poolConditionsOf({ status }: MachineConfigPool): readonly PoolCondition[] {
  const found = new Map<string, PoolCondition>();
  for (const condition of objectsAt(status, 'conditions')) {
    const type = stringAt(condition, 'type');
    if (found.has(type)) continue;
    const changedMs = parseTimestamp(condition.lastTransitionTime);
    found.set(type, {
      type,
      isTrue: condition.status === 'True',
      reason: stringAt(condition, 'reason'),
      changedAt: changedMs === undefined ? undefined : changedMs / 1_000,
    });
  }
  return [...found.values()];
}

/** The condition that became true last. */
export function newestCondition(pool: MachineConfigPool): PoolCondition | undefined {
  return poolConditionsOf(pool)
    .filter(({ isTrue }) => isTrue)
    .toSorted((a, b) => (b.changedAt ?? 0) - (a.changedAt ?? 0))[0];
}

/**
 * Since when the pool, being paused, has held back changes: since the changes came, or since it was paused on the way. A pool that is
 * paused stops updating, which has a time of its own, so it needs no memory of ours.
 */
export function heldSince(pool: MachineConfigPool): number | undefined {
  if (pool.spec?.paused !== true) return undefined;
  const conditions = new Map(poolConditionsOf(pool).map((one) => [one.type, one]));
  const [updated, updating] = [conditions.get('Updated'), conditions.get('Updating')];
  if (updated === undefined || updated.isTrue || updating?.isTrue === true) return undefined;
  const times = [updated, updating].flatMap((one) => one?.changedAt ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Of each pool, by a function of it; those without a value are left out. */
export function eachPool(
  pools: Iterable<MachineConfigPool>,
  valueIn: (pool: MachineConfigPool) => number | undefined,
) {
  return [...pools].flatMap((pool) => {
    const value = valueIn(pool);
    return value === undefined ? [] : [{ labels: { pool: nameOf(pool) }, value }];
  });
}
