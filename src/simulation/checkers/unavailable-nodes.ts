/**
 * Never more nodes of a pool out of service because of us than it allows, and the control plane keeps its quorum. A paused pool does not move.
 *
 * Checked where a node is sent to another config: what the pool allowed at any time within the lag counts, since the decision may be that old.
 */
import { allowedNodes } from './allowed-nodes.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { LAG_MS } from './checker.ts';
import {
  annotation,
  at,
  EMPTY,
  isCordonedByUs,
  isJson,
  type Json,
  nameOf,
  PREFIX,
  type StoredChange,
  target,
} from './observed-state.ts';

export class UnavailableNodes implements Checker {
  readonly name = 'too many nodes';
  readonly #context: CheckerContext;
  /** By pool: what it allowed, and until when; the newest last. */
  readonly #allowed = new Map<string, { readonly count: number; untilMs: number }[]>();
  /** By node: when it came into its pool. */
  readonly #joinedMs = new Map<string, { readonly pool: string; readonly sinceMs: number }>();
  readonly #pausedMs = new Map<string, number>();

  constructor(context: CheckerContext) {
    this.#context = context;
  }

  onStored(change: StoredChange): void {
    if (change.key.startsWith(PREFIX.pool)) this.#onPool(change);
    if (change.key.startsWith(PREFIX.node)) this.#onNode(change);
  }

  onReboot(node: string): void {
    const { state, cluster, violate } = this.#context;
    const object = state.nodes.get(node);
    if (object === undefined || state.poolOf(object) !== 'master') return;
    const masters = state.members('master');
    const down = masters.filter(
      ([name, other]) => name !== node && isCordonedByUs(other) && !cluster.kubelets.isUp(name),
    );
    const most = Math.max(1, Math.floor((masters.length - 1) / 2));
    if (down.length + 1 > most)
      violate(`${node} reboots while ${down.map(([name]) => name).join(', ')} of the control plane are down`);
  }

  #onPool({ key, after }: StoredChange): void {
    const name = nameOf(key);
    const isPaused = at(after, 'spec', 'paused') === true;
    if (!isPaused) this.#pausedMs.delete(name);
    else if (!this.#pausedMs.has(name)) this.#pausedMs.set(name, this.#nowMs());
    if (after !== undefined) this.#note(name, after);
  }

  #onNode({ key, before, after }: StoredChange): void {
    const { state, violate } = this.#context;
    const name = nameOf(key);
    if (after === undefined) {
      this.#joinedMs.delete(name);
      return;
    }
    const pool = state.poolOf(after);
    if (this.#joinedMs.get(name)?.pool !== pool) this.#joinedMs.set(name, { pool, sinceMs: this.#nowMs() });
    const [was, is] = [target(before, 'desired'), target(after, 'desired')];
    // A node without a config is one that joins.
    if (before === undefined || was === '' || is === '' || was === is || this.#isAdopted(after)) return;
    const pausedMs = this.#pausedMs.get(pool);
    if (pausedMs !== undefined && this.#nowMs() - pausedMs > LAG_MS && this.#hasSettled(name))
      violate(`${name} is sent to ${is} although its pool ${pool} is paused`);
    // Its former pool, which may be deleted, had a place for it.
    if (!this.#hasSettled(name) && !annotation(after, 'desiredConfig').startsWith(`rendered-${pool}-`))
      return;
    // One that is on its way already keeps its place when it is sent elsewhere.
    if (isTaken(before)) return;
    const taken = state.members(pool).filter(([other, node]) => {
      return other === name || (this.#hasSettled(other) && isTaken(node) && !this.#isAdopted(node));
    });
    const allowed = this.#mostAllowed(pool);
    if (taken.length > allowed)
      violate(
        `${name} of ${pool} is sent to ${is}: ${taken.length} nodes of at most ${allowed}: ${taken.map(([one]) => one).join(', ')}`,
      );
  }

  /** It never had a config and gets one that has nothing in it: neither takes anything out of service. */
  #isAdopted(node: Json): boolean {
    const config = this.#context.state.configs.get(annotation(node, 'desiredConfig'));
    return annotation(node, 'currentConfig') === EMPTY && config !== undefined && hasNothing(config);
  }

  /** A node that was moved in the middle of an update counts once its pool can know of it. */
  #hasSettled(node: string): boolean {
    const joined = this.#joinedMs.get(node);
    return joined !== undefined && this.#nowMs() - joined.sinceMs > LAG_MS;
  }

  #note(pool: string, object: Json): void {
    const count = this.#allowedNow(pool, object);
    const notes = this.#allowed.get(pool) ?? [];
    const last = notes.at(-1);
    if (last !== undefined) last.untilMs = this.#nowMs();
    notes.push({ count, untilMs: Number.POSITIVE_INFINITY });
    this.#allowed.set(
      pool,
      notes.filter(({ untilMs }) => this.#nowMs() - untilMs <= LAG_MS),
    );
  }

  #mostAllowed(pool: string): number {
    const object = this.#context.state.pools.get(pool);
    if (object !== undefined) this.#note(pool, object);
    return Math.max(1, ...(this.#allowed.get(pool) ?? []).map(({ count }) => count));
  }

  #allowedNow(pool: string, object: Json): number {
    return allowedNodes(pool, object, this.#context.state.members(pool).length);
  }

  #nowMs(): number {
    return this.#context.cluster.clock.monotonic();
  }
}

/** A rendered config without anything for a machine. */
function hasNothing(config: Json): boolean {
  const { config: ignition, ...rest } = isJson(config.spec) ? config.spec : {};
  const parts = isJson(ignition) ? Object.entries(ignition).filter(([name]) => name !== 'ignition') : [];
  return [...parts.map(([, part]) => part), ...Object.values(rest)].every(isNothing);
}

function isNothing(value: unknown): boolean {
  if (isJson(value)) return Object.values(value).every(isNothing);
  return Array.isArray(value)
    ? value.length === 0
    : value === undefined || value === null || value === '' || value === false || value === 'default';
}

/** On its way to another config because of us, or not back in service yet. */
function isTaken(node: Json): boolean {
  const [current, desired] = [annotation(node, 'currentConfig'), annotation(node, 'desiredConfig')];
  if (current === '' || desired === '') return false;
  return target(node, 'current') !== target(node, 'desired') || isCordonedByUs(node);
}
