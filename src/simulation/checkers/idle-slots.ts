/**
 * Once faults have ended, a pool that sends nodes leaves no place empty while others wait for it: neither a node that is blocked nor one that is gone
 * holds them up.
 */
import { stringAt } from '../../base/json-fields.ts';
import { allowedNodes } from './allowed-nodes.ts';
import { type Checker, type CheckerContext, LAG_MS } from './checker.ts';
import {
  annotation,
  at,
  condition,
  isCordoned,
  type Json,
  nameOf,
  type ObservedState,
  PREFIX,
  type StoredChange,
  target,
} from './observed-state.ts';

export class IdleSlots implements Checker {
  readonly name = 'idle slots';
  readonly #context: CheckerContext;
  #isPeace: boolean = false;
  /** By pool that has sent a node since then: since when there was a place and a node for it. */
  readonly #sinceMs = new Map<string, number>();

  constructor(context: CheckerContext) {
    this.#context = context;
  }

  onPeace(): void {
    this.#isPeace = true;
  }

  onStored({ key, before, after }: StoredChange): void {
    const isNode = key.startsWith(PREFIX.node);
    if (this.#isPeace) this.#onBuild(key, after ?? before);
    if (!this.#isPeace || !(isNode || key.startsWith(PREFIX.pool))) return;
    const { state, cluster, violate } = this.#context;
    const nowMs = cluster.clock.monotonic();
    for (const [pool, sinceMs] of this.#sinceMs) {
      const object = state.pools.get(pool);
      const waiting = object === undefined ? [] : this.#waiting(pool, object);
      if (waiting.length === 0) this.#sinceMs.set(pool, nowMs);
      else if (nowMs - sinceMs > LAG_MS) {
        violate(`pool ${pool} has a place, and ${waiting.join(', ')} wait for it`);
        this.#isPeace = false;
      }
    }
    const isSent =
      isNode &&
      before !== undefined &&
      after !== undefined &&
      target(before, 'desired') !== target(after, 'desired');
    if (isSent && !this.#sinceMs.has(state.poolOf(after))) this.#sinceMs.set(state.poolOf(after), nowMs);
  }

  /** Until now nodes may have waited for their image. */
  #onBuild(key: string, object: Json | undefined): void {
    const pools = [
      ...(key.startsWith(PREFIX.osConfig) ? [nameOf(key)] : []),
      ...(key.startsWith(PREFIX.osBuild) ? [stringAt(object, 'spec', 'machineOSConfig', 'name')] : []),
    ];
    for (const pool of pools)
      if (this.#sinceMs.has(pool)) this.#sinceMs.set(pool, this.#context.cluster.clock.monotonic());
  }

  /** The nodes that wait, where there is a place for one. */
  #waiting(name: string, pool: Json): readonly string[] {
    const config = stringAt(pool, 'spec', 'configuration', 'name');
    const isSeen = at(pool, 'status', 'observedGeneration') === at(pool, 'metadata', 'generation');
    if (at(pool, 'spec', 'paused') === true || !isSeen || config === '') return [];
    const { state } = this.#context;
    if (state.osConfigs.has(name) && !isImageReady(state, name, config)) return [];
    const members = state.members(name);
    const wanted = [config, state.builtImage(name)].join(' ').trim();
    const inService = members.filter(([, node]) => isInService(node));
    const free = allowedNodes(name, pool, members.length) - (members.length - inService.length);
    const waiting = inService.filter(([, node]) => target(node, 'desired') !== wanted);
    return free > 0 ? waiting.map(([one]) => one) : [];
  }
}

/** A successful build of this config has the image that the MachineOSConfig names: nodes are sent no sooner. */
function isImageReady(state: ObservedState, pool: string, config: string): boolean {
  return [...state.osBuilds.values()].some(
    (build) =>
      stringAt(build, 'spec', 'machineOSConfig', 'name') === pool &&
      stringAt(build, 'spec', 'machineConfig', 'name') === config &&
      condition(build, 'Succeeded')?.status === 'True' &&
      stringAt(build, 'status', 'digestedImagePushSpec') === state.builtImage(pool),
  );
}

/** It serves pods, and nothing is done to it. */
function isInService(node: Json): boolean {
  const isDone = target(node, 'current') === target(node, 'desired') && annotation(node, 'state') === 'Done';
  return isDone && !isCordoned(node) && condition(node, 'Ready')?.status === 'True';
}
