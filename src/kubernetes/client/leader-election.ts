/**
 * Leader election by a Lease.
 *
 *     candidate ──free, of a predecessor, or unchanged for its whole duration──> leader ──cannot renew──> candidate
 *                                                                                  └──stopped──> releases, with retries
 *
 * Clocks of different processes are never compared. A candidate counts from when it saw the Lease change; a leader from
 * before it sent the renewal. So a leader that cannot renew ends its term while the Lease still excludes all others, and has
 * the rest of the duration (30 s by default) to end its work. Its requests in flight are aborted with the term, see
 * `guardedTransport`.
 */
import type { Env } from '../../base/env.ts';
import { assert, Bug, errorText, Failure } from '../../base/errors.ts';
import { onAbort, sleep, withinLimit } from '../../base/waiting.ts';
import type { Kube, ObjectKey } from './kube.ts';
import { LeaseHolder } from './lease-holder.ts';
import { DEFAULT_LEASE_SETTINGS, type LeaseSettings } from './lease-settings.ts';

type LeaderElectionOptions = {
  /** Its own client: the rate limit of the work must not delay a renewal. */
  readonly kube: Kube;
  readonly env: Env;
  readonly lease: Required<ObjectKey>;
  /** Unique per process, also after a restart in the same pod. */
  readonly identity: string;
  /**
   * How the identities of earlier processes begin that have certainly ended, with their connections: those of the same pod.
   * Their Lease is not waited for. Should one be alive all the same, its next renewal finds another identity and ends its term.
   */
  readonly predecessors?: string;
  readonly settings?: Partial<LeaseSettings>;
};

/** A term of leadership. */
export type Term = {
  /** Its signal is aborted as soon as the term ends. */
  readonly env: Env;
  /** Whether no other process can lead yet. Checked before each write, see `guardedTransport`. */
  isHeld(): boolean;
  /**
   * Aborted when no request may be in flight any more: when the lease is lost, or before it is released. A stopping process
   * may complete its requests until then.
   */
  readonly over: AbortSignal;
};

/**
 * Candidates look more often than leaders renew, so that a Lease that was released is taken within seconds. Reading it is all that this
 * needs; a watch would need more permissions.
 */
const LOOK_MS = 5_000;
/** Spreads the checks of candidates. */
const LOOK_SPREAD = 0.2;

/**
 * For how long a process that is stopped tries to release its Lease while the server does not answer: a pod may be evicted while etcd
 * or the machine of the server is away. Its work may take 25 s to end before, and its pod has two minutes
 * (`terminationGracePeriodSeconds` in manifests/workloads.yaml).
 */
const RELEASE_MS = 90_000;
/** A connection to a machine that has lost its power does not answer; the next attempt opens another one. */
const RELEASE_ATTEMPT_MS = 5_000;
const RELEASE_RETRY_MS = 2_000;

/**
 * Leads whenever it can, possibly several times. Resolves once the env's signal is aborted and the work has ended, or the
 * work has ended by itself. Rejects as the work does, and where the work does not end before another process may lead: then
 * only the end of this process prevents two leaders.
 */
export async function runAsLeader(
  options: LeaderElectionOptions,
  lead: (term: Term) => Promise<void>,
): Promise<void> {
  const settings = { ...DEFAULT_LEASE_SETTINGS, ...options.settings };
  const { durationMs, renewMs, retryMs } = settings;
  assert(retryMs < renewMs && renewMs < durationMs, 'a lease is renewed well before it ends');
  const holder = new LeaseHolder({ ...options, settings });
  const election = new Election(options, settings, holder);
  while (await election.win()) {
    if ((await election.serve(lead)) === 'over') return;
  }
}

class Election {
  readonly #env: Env;
  readonly #settings: LeaseSettings;
  readonly #holder: LeaseHolder;
  readonly #fields: { readonly lease: string; readonly identity: string };

  constructor({ env, lease, identity }: LeaderElectionOptions, settings: LeaseSettings, holder: LeaseHolder) {
    this.#env = env;
    this.#settings = settings;
    this.#holder = holder;
    this.#fields = { lease: `${lease.namespace}/${lease.name}`, identity };
  }

  /** True once this process leads, false once it is stopped. */
  async win(): Promise<boolean> {
    const { clock, log, random, signal } = this.#env;
    let logged = '';
    while (!signal.aborted) {
      const acquire = () => this.#holder.acquire();
      const isWon = await this.#attempt(acquire, { warning: 'the lease cannot be read or taken' });
      if (isWon === true) return true;
      const other = this.#holder.otherHolder();
      const { retryMs } = this.#settings;
      // A server that does not answer is not asked more often than by its leader.
      const intervalMs = isWon === undefined ? retryMs : Math.min(retryMs, LOOK_MS);
      const lookMs = Math.round(intervalMs * (1 + LOOK_SPREAD * random.next()));
      const freeMs = this.#holder.freeInMs();
      if (other !== logged) {
        const unlessRenewed = { freeInSeconds: Math.ceil(freeMs / 1000) };
        log.info('another process holds the lease', {
          ...{ ...this.#fields, leader: other, ...unlessRenewed },
        });
      }
      logged = other;
      await sleep(clock, { delayMs: freeMs > 0 ? Math.min(lookMs, freeMs) : lookMs, signal });
    }
    return false;
  }

  /** `over`: the work has ended. `lost`: another process may lead now. */
  async serve(lead: (term: Term) => Promise<void>): Promise<'over' | 'lost'> {
    const env = this.#env;
    const ending = new AbortController();
    const over = new AbortController();
    const stop = () => ending.abort();
    const forget = onAbort(env.signal, stop);
    env.log.info('became leader', this.#fields);
    const finished = new AbortController();
    const isHeld = () => this.#holder.isHeld();
    const term = { env: { ...env, signal: ending.signal }, isHeld, over: over.signal };
    const work = started(lead, term).finally(() => finished.abort());
    try {
      const first = await Promise.race([this.#renewUntil(finished.signal), work]);
      if (first === 'lost') {
        stop();
        over.abort();
        await this.#letGo(work);
        return 'lost';
      }
      await work;
      return 'over';
    } finally {
      forget();
      stop();
      over.abort();
      // Not while the work is still running.
      if (finished.signal.aborted) await this.#release();
    }
  }

  /** Renews for as long as the work runs, also while it is ending. */
  async #renewUntil(finished: AbortSignal): Promise<'lost' | 'finished'> {
    const { clock, log } = this.#env;
    const { retryMs } = this.#settings;
    for (;;) {
      const delayMs = Math.min(retryMs, this.#holder.heldForMs());
      await sleep(clock, { delayMs, signal: finished });
      if (finished.aborted) return 'finished';
      const isRenewed = this.#holder.isHeld() && (await this.#renew(finished));
      if (finished.aborted) return 'finished';
      if (isRenewed !== false && this.#holder.isHeld()) continue;
      log.warn('leadership lost', this.#fields);
      return 'lost';
    }
  }

  /** A response after the end of the term is ignored. */
  #renew(signal: AbortSignal): Promise<boolean | undefined> {
    const limitMs = Math.min(this.#settings.retryMs, this.#holder.heldForMs());
    return this.#attempt(() => this.#holder.renew(), {
      warning: 'the lease cannot be renewed',
      signal,
      limitMs,
    });
  }

  /** One attempt, no longer than until the next is due. Undefined where it failed. */
  async #attempt(act: () => Promise<boolean>, attempt: Attempt): Promise<boolean | undefined> {
    const { clock, log } = this.#env;
    const { warning, signal, limitMs = this.#settings.retryMs } = attempt;
    try {
      const outcome = await withinLimit(clock, { promise: act(), limitMs, signal });
      if (outcome.kind === 'settled') return outcome.value;
      if (outcome.kind === 'late') log.warn(warning, { ...this.#fields, error: 'no response in time' });
    } catch (error) {
      if (error instanceof Bug) throw error;
      log.warn(warning, { ...this.#fields, error: errorText(error) });
    }
    return undefined;
  }

  async #letGo(work: Promise<void>): Promise<void> {
    const { durationMs, renewMs } = this.#settings;
    const limitMs = this.#holder.safeForMs() || durationMs - renewMs;
    const outcome = await withinLimit(this.#env.clock, { promise: work, limitMs });
    if (outcome.kind === 'settled') return;
    const message = 'the work of a leader did not end while its lease kept others away';
    throw new Failure('stalled', 'LeadershipLost', message);
  }

  /**
   * Lets the next leader start at once. A failure only delays it, so only a process that was stopped tries again: one that goes on, or
   * crashes, takes the Lease back by itself. Once the Lease has run out there is nothing to release.
   */
  async #release(): Promise<void> {
    const { clock, signal } = this.#env;
    const endsAt = clock.monotonic() + Math.min(RELEASE_MS, this.#holder.safeForMs());
    const attempt = { warning: 'the lease cannot be released', limitMs: RELEASE_ATTEMPT_MS };
    for (;;) {
      const isDone = (await this.#attempt(() => this.#holder.release(), attempt)) !== undefined;
      if (isDone || !signal.aborted || clock.monotonic() + RELEASE_RETRY_MS >= endsAt) return;
      await sleep(clock, { delayMs: RELEASE_RETRY_MS, signal: NEVER });
    }
  }
}

/** It is stopped already: nothing interrupts the wait. */
const NEVER = new AbortController().signal;

type Attempt = { readonly warning: string; readonly signal?: AbortSignal; readonly limitMs?: number };

/** Also rejects where the function throws synchronously. */
async function started(lead: (term: Term) => Promise<void>, term: Term): Promise<void> {
  await lead(term);
}
