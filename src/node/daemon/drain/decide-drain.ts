/**
 * What an update does about the drain of its node: when it is requested and waited for, and when it has to be done again.
 *
 *     request-drain ─> wait ─> complete-drain ─> (steps) ─────────────────────────────> (reboot)
 *          ^                                        └─ uncordoned by somebody ─┐
 *          └──────────────── wait <─ withdraw-drain <──────────────────────────┘
 */
import { type DrainHandshake, drainProgress } from '../../../rollout/index.ts';
import type { ConfigName } from '../../plan/index.ts';
import type { Journal } from '../journal.ts';
import type { DaemonSettings } from '../settings.ts';

/** What is read of the Node. */
type DrainedNode = {
  readonly desired: ConfigName;
  readonly state: string;
  readonly drain: DrainHandshake;
  readonly isSchedulable?: boolean;
};

type DrainSnapshot = {
  readonly nowMs: number;
  readonly missedMs?: number;
  readonly process: { readonly isRebootRequested: boolean };
  readonly settings: Pick<DaemonSettings, 'drainLimitMs' | 'uncordonLimitMs'>;
};

export type DrainDecision =
  /** For this config. */
  | { readonly kind: 'request-drain'; readonly config: string }
  /** The node was drained, and takes pods again: the same request would count as answered. */
  | { readonly kind: 'withdraw-drain'; readonly config: string }
  | { readonly kind: 'complete-drain'; readonly index: number };

export type DrainWait =
  | { readonly kind: 'wait'; readonly for: 'drain' | 'uncordon'; readonly delayMs?: number }
  /** The time limit has passed. It is reported, and waiting continues. */
  | { readonly kind: 'report-timeout'; readonly of: 'drain' | 'uncordon' };

/** The step of the drain. */
export function draining(
  snapshot: DrainSnapshot,
  node: DrainedNode,
  { journal, index }: { readonly journal: Journal; readonly index: number },
): DrainDecision | DrainWait {
  const { config } = journal.to;
  const progress = drainProgress(node.drain, { verb: 'drain', config });
  if (progress === 'applied') return { kind: 'complete-drain', index };
  if (progress === 'not-requested') return { kind: 'request-drain', config };
  return waitingForDrain(snapshot, node, journal);
}

function waitingForDrain(snapshot: DrainSnapshot, node: DrainedNode, journal: Journal): DrainWait {
  const limitMs = snapshot.settings.drainLimitMs;
  return waiting(snapshot, node, { for: 'drain', journal, limitMs });
}

/**
 * What is to be done where the node was drained and takes pods again: somebody has uncordoned it, or Millwright was uninstalled in the middle
 * of the update, and is back. Undefined where it is still drained.
 *
 * An update that cannot be stopped any more asks for the config that is desired now: drains for another one do not begin.
 */
export function drainingAgain(
  snapshot: DrainSnapshot,
  node: DrainedNode,
  journal: Journal,
): DrainDecision | DrainWait | undefined {
  const { desired, drain, isSchedulable = false } = node;
  // As in `isDesired`: annotations that are not known yet, or lost, change nothing. Nor can a reboot be stopped.
  if (desired.config === '' || snapshot.process.isRebootRequested) return undefined;
  const config = isDesired(node, journal) ? journal.to.config : desired.config;
  const isDrained = [journal.to.config, config].some(
    (name) => drainProgress(drain, { verb: 'drain', config: name }) === 'applied',
  );
  if (isDrained) {
    const isReleased = isSchedulable && drain.record?.isSkipped !== true;
    return isReleased ? { kind: 'withdraw-drain', config } : undefined;
  }
  if (drainProgress(drain, { verb: 'uncordon', config }) === 'pending') {
    const limitMs = snapshot.settings.uncordonLimitMs;
    return waiting(snapshot, node, { for: 'uncordon', journal, limitMs });
  }
  if (drainProgress(drain, { verb: 'drain', config }) === 'not-requested')
    return { kind: 'request-drain', config };
  return waitingForDrain(snapshot, node, journal);
}

type Waiting = {
  readonly for: 'drain' | 'uncordon';
  readonly journal: Journal;
  readonly limitMs: number;
};

/** A machine that sleeps does not wait: its cluster may have slept as well. */
export function waiting(
  { nowMs, missedMs = 0 }: DrainSnapshot,
  { state }: DrainedNode,
  waited: Waiting,
): DrainWait {
  const leftMs = (waited.journal.askedMs ?? nowMs) + missedMs + waited.limitMs - nowMs;
  if (['Degraded', 'Unreconcilable'].includes(state)) return { kind: 'wait', for: waited.for };
  if (leftMs <= 0) return { kind: 'report-timeout', of: waited.for };
  // A time that another clock wrote may be in the future; then the limit counts from now.
  return { kind: 'wait', for: waited.for, delayMs: Math.min(leftMs, waited.limitMs) };
}

/** A Node without a desired config does not redirect an update. */
export function isDesired({ desired }: DrainedNode, { to }: Journal): boolean {
  return desired.config === '' || isSame(desired, to);
}

export function isSame(a: ConfigName, b: ConfigName): boolean {
  return a.config === b.config && a.image === b.image;
}
