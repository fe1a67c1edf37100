/**
 * Prefetches and pins images beside the other work of the daemon: a pull may take long, and an update must never wait for it.
 *
 *     sets of the node ──follow──> pass ──states──> the report of the daemon, which is woken
 *                                   └──failed, or long ago──> another pass, after a while
 *
 * Everything is in memory: a daemon that starts again looks at the disk and the runtime. A pass ends as soon as a set changes, and
 * while an update changes the machine.
 */

import type { Timer } from '../../../base/env.ts';
import { errorText } from '../../../base/errors.ts';
import { delayAfter, onAbort } from '../../../base/waiting.ts';
import type { Node } from '../../../kubernetes/types/index.ts';
import { failedStates, isSameWanted, type SetState, type WantedSet } from '../../pinned/index.ts';
import { isFatal } from '../outcome.ts';
import type { PullContext } from './pull-images.ts';
import { type PassOutcome, runPass } from './run-pass.ts';

type Wanted = {
  readonly sets: readonly WantedSet[];
  readonly node: Node;
  /** The drop-in is a file of the node's config. */
  readonly isDropInTaken: boolean;
  /** An update changes the machine. */
  readonly isPaused: boolean;
};

type Running = { readonly ending: AbortController; ended: Promise<void> };

/** After a boot a kubelet needs a while: so many passes say nothing about a node that is not ready. */
const MAX_BLOCKED = 6;

export class Prefetcher {
  readonly #context: PullContext;
  readonly #wake: () => void;
  #sets: readonly WantedSet[] | undefined;
  #isDropInTaken: boolean = false;
  #states: readonly SetState[] | undefined;
  #running: Running | undefined;
  #unexpected: { readonly error: unknown } | undefined;
  /** Of the same sets, in a row. */
  #failures = 0;
  #isDue: boolean = true;
  #timer: Timer | undefined;

  constructor(context: PullContext, wake: () => void) {
    this.#context = context;
    this.#wake = wake;
    onAbort(context.env.signal, () => this.#timer?.cancel());
  }

  /** How far the sets are; undefined until that is known. */
  get states(): readonly SetState[] | undefined {
    return this.#states;
  }

  /** Called whenever anything may have changed. Throws an unexpected error of a pass, once. */
  async follow({ sets, node, isDropInTaken, isPaused }: Wanted): Promise<void> {
    const unexpected = this.#unexpected;
    this.#unexpected = undefined;
    if (unexpected !== undefined) throw unexpected.error;
    const before = this.#sets;
    if (before === undefined || !isSameWanted(before, sets) || isDropInTaken !== this.#isDropInTaken) {
      await this.#stop();
      this.#states = this.#states === undefined ? undefined : carriedOver(this.#states, before ?? [], sets);
      this.#sets = sets;
      this.#isDropInTaken = isDropInTaken;
      this.#failures = 0;
      this.#isDue = true;
    }
    if (isPaused) {
      this.#isDue ||= this.#running !== undefined;
      return await this.#stop();
    }
    if (!this.#isDue || this.#running !== undefined) return;
    const running = this.#start(sets, node);
    // It only looks for a drop-in that is not needed any more.
    if (sets.length === 0) await running.ended;
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.ending.abort();
    await running?.ended;
  }

  #start(sets: readonly WantedSet[], node: Node): Running {
    this.#isDue = false;
    this.#timer?.cancel();
    const running: Running = { ending: new AbortController(), ended: Promise.resolve() };
    this.#running = running;
    running.ended = this.#run(running, sets, node);
    return running;
  }

  async #run(running: Running, sets: readonly WantedSet[], node: Node): Promise<void> {
    const { env } = this.#context;
    const signal = AbortSignal.any([running.ending.signal, env.signal]);
    const isCurrent = () => this.#running === running && !signal.aborted;
    const publish = (states: readonly SetState[]) => {
      if (!isCurrent()) return;
      this.#states = states;
      this.#wake();
    };
    try {
      const isDropInTaken = this.#isDropInTaken;
      const outcome = await runPass(this.#context, { sets, node, isDropInTaken, signal, publish });
      if (isCurrent()) this.#end(sets, outcome);
    } catch (error) {
      if (!isCurrent()) return;
      if (isFatal(error)) this.#unexpected = { error };
      else this.#end(sets, { states: this.#afterError(sets, errorText(error)) });
    }
    this.#running = undefined;
    this.#wake();
  }

  /** What was known to be complete stays so: the runtime may be restarting. */
  #afterError(sets: readonly WantedSet[], error: string): readonly SetState[] {
    this.#context.log.warn(`Failed to pin images: ${error}`);
    const known = this.#states ?? [];
    return failedStates(sets, { error }).map(
      (failed) => known.find((one) => one.name === failed.name && one.kind === 'complete') ?? failed,
    );
  }

  #end(sets: readonly WantedSet[], { states, blocked, isLate = false }: PassOutcome): void {
    const { env, settings } = this.#context;
    const isComplete = states.every(({ kind }) => kind === 'complete');
    const delayMs = isComplete
      ? settings.prefetch.checkMs
      : delayAfter(settings.retry, this.#failures, env.random);
    this.#failures = isComplete ? 0 : this.#failures + 1;
    const isReported = blocked !== undefined && this.#failures > MAX_BLOCKED;
    this.#states = isReported ? states.map((state) => blockedState(state, blocked)) : states;
    // Nothing to check, or to try again, on a node without sets.
    if (sets.length === 0 && isComplete) return;
    this.#timer = env.clock.after(isLate ? 0 : delayMs, () => {
      this.#isDue = true;
      this.#wake();
    });
  }
}

/** A set that did not change stays what it was; of others nothing is known yet. */
function carriedOver(
  states: readonly SetState[],
  before: readonly WantedSet[],
  sets: readonly WantedSet[],
): readonly SetState[] {
  return sets.map((set) => {
    const isSame = before.some((one) => isSameWanted([one], [set]));
    const known = isSame ? states.find(({ name }) => name === set.name) : undefined;
    return known ?? { name: set.name, generation: set.generation, kind: 'pending' };
  });
}

function blockedState(state: SetState, error: string): SetState {
  const { name, generation } = state;
  return state.kind === 'complete' ? state : { name, generation, kind: 'failed', error };
}
