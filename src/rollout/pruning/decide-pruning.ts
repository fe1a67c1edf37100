/**
 * Which rendered configs may be deleted, and why each of the others is kept.
 *
 * A rendered config is deleted only if nothing refers to it, it is not among the newest of its pool, and no pool was pointed at it
 * or away from it for a day. The last is for what no object shows: a controller that has read a pool and is about to write what
 * follows, and a machine that got it as its first config and has not joined yet. That one may also get the config of a pool's status,
 * from which the pool was pointed away long ago: where it joins too late it has a copy of its own (`fetchJoiningConfig`).
 */
import { annotations } from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import { humanDuration, parseTimestamp } from '../../base/text/index.ts';
import { annotationOf, nameOf } from '../../kubernetes/meta/index.ts';
import {
  ownerName,
  References,
  type ReferringObjects,
  type RenderedConfig,
  unreportedNodes,
} from './references.ts';

/** For how long a config is kept after it was a target. */
export const DEFAULT_MIN_AGE_MS = 24 * 60 * 60_000;

export type PruneInput<T extends RenderedConfig = RenderedConfig> = ReferringObjects & {
  /** Rendered configs, in any order. */
  readonly configs: readonly T[];
  /** How many of the newest ones of a pool are kept; undefined where nothing of it is deleted. */
  readonly keep: (pool: string) => number | undefined;
  readonly minAgeMs: number;
  readonly nowMs: number;
};

export type PruneDecision<T extends RenderedConfig = RenderedConfig> = {
  readonly config: T;
  /** The pool that it was rendered for; '' where there is none. */
  readonly pool: string;
  /** Why it is kept; none where it is to be deleted. */
  readonly reasons: readonly string[];
};

/** By pool, the newest first. */
export function decidePruning<T extends RenderedConfig>(input: PruneInput<T>): readonly PruneDecision<T>[] {
  const references = new References(input.configs, input);
  const unreported = unreportedNodes(input.configs, input);
  const uids = new Map(input.pools.map((pool) => [nameOf(pool), pool.metadata.uid]));
  const ranks = new Map<string, number>();
  return input.configs.toSorted(byPoolAndAge).map((config) => {
    const pool = ownerName(config);
    const rank = ranks.get(pool) ?? 0;
    ranks.set(pool, rank + 1);
    const keep = input.keep(pool);
    const reasons = [
      ...references.reasonsFor(nameOf(config)),
      ...(unreported.get(pool) ?? [])
        .slice(0, 1)
        .map((node) => `${node} has not reported what its disk refers to`),
      ...foreign(config, pool, uids),
      ...(keep === undefined && pool !== '' ? ['nothing of its pool is pruned'] : []),
      ...(keep !== undefined && rank < keep ? [`newest ${keep}`] : []),
      ...recent(config, input),
    ];
    return { config, pool, reasons };
  });
}

/** The garbage collector deletes what belonged to a pool; what belongs to none is not ours. */
function foreign(
  { metadata }: RenderedConfig,
  pool: string,
  uids: ReadonlyMap<string, string | undefined>,
): readonly string[] {
  if (metadata.deletionTimestamp !== undefined) return ['it is being deleted already'];
  if (pool === '') return ['no pool owns it'];
  const uid = metadata.ownerReferences?.find(({ name }) => name === pool)?.uid;
  return uids.has(pool) && uids.get(pool) === uid
    ? []
    : [`pool ${pool} is gone, and the garbage collector deletes it`];
}

function recent(config: RenderedConfig, { minAgeMs, nowMs }: PruneInput): readonly string[] {
  // A time of the future, by another clock, is now.
  const ageMs = Math.max(0, nowMs - lastTargetedMs(config));
  return ageMs < minAgeMs ? [`a target less than ${humanDuration(minAgeMs)} ago`] : [];
}

/** When a pool was last pointed at it or away from it, as far as that is known. */
function lastTargetedMs(config: RenderedConfig): number {
  const targetedMs = parseTimestamp(annotationOf(config, annotations.lastTargeted) ?? '') ?? 0;
  return Math.max(createdMs(config), targetedMs);
}

function createdMs({ metadata }: RenderedConfig): number {
  return parseTimestamp(metadata.creationTimestamp ?? '') ?? 0;
}

function byPoolAndAge(a: RenderedConfig, b: RenderedConfig): number {
  return (
    compareBytes(ownerName(a), ownerName(b)) ||
    createdMs(b) - createdMs(a) ||
    compareBytes(nameOf(a), nameOf(b))
  );
}
