/**
 * A Lease as one candidate sees it.
 */

import type { Env } from '../../base/env.ts';
import { canonicalJson } from '../../base/json.ts';
import { formatMicroTimestamp } from '../../base/text/index.ts';
import { type Lease, lease } from '../types/index.ts';
import type { Kube, ObjectKey } from './kube.ts';
import { isAlreadyExists, isConflict, isNotFound } from './kube-error.ts';
import type { LeaseSettings } from './lease-settings.ts';

type LeaseHolderOptions = {
  readonly kube: Kube;
  readonly env: Pick<Env, 'clock'>;
  readonly lease: Required<ObjectKey>;
  readonly identity: string;
  readonly predecessors?: string;
  readonly settings: LeaseSettings;
};

type Spec = NonNullable<Lease['spec']>;
/** By both clocks: the wall clock may jump, the monotonic one may stop while the machine sleeps. */
type Moment = { readonly wall: number; readonly monotonic: number };

export class LeaseHolder {
  readonly #options: LeaseHolderOptions;
  /** As last written by this process. */
  #ours: Lease | undefined;
  /** The same, once it is to be released. */
  #released: Lease | undefined;
  #hasHeld = false;
  /** The time before the request was sent. */
  #renewedAt: Moment | undefined;
  /** As last written by others, and when that was seen. */
  #seen: { readonly text: string; readonly at: number; readonly spec: Spec } | undefined;

  constructor(options: LeaseHolderOptions) {
    this.#options = options;
  }

  /** Whether no other process can hold it yet. Where that is uncertain, it is not held. */
  isHeld(): boolean {
    return this.#sinceRenewalMs() < this.#options.settings.renewMs;
  }

  /** How long it is certainly held without a renewal. */
  heldForMs(): number {
    return Math.max(0, this.#options.settings.renewMs - this.#sinceRenewalMs());
  }

  /** How long no other process can acquire it. */
  safeForMs(): number {
    return Math.max(0, this.#options.settings.durationMs - this.#sinceRenewalMs());
  }

  /** The other holder, if known. */
  otherHolder(): string {
    return this.#seen?.spec.holderIdentity ?? '';
  }

  /** When to try to acquire it again. */
  freeInMs(): number {
    if (this.#seen === undefined) return 0;
    return Math.max(
      0,
      this.#seen.at + this.#patienceMs(this.#seen.spec) - this.#options.env.clock.monotonic(),
    );
  }

  /** False where another process holds it, or was faster. */
  async acquire(): Promise<boolean> {
    const { kube, lease: place } = this.#options;
    const found = await kube.get(lease, place);
    // A deleted Lease may still have been held a moment ago.
    if (found === undefined ? this.freeInMs() > 0 : !this.#isFree(found)) return false;
    const asked = this.#now();
    try {
      const ours = found === undefined ? await this.#create() : await this.#take(found);
      this.#hold(ours, asked);
      return true;
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error)) return false;
      throw error;
    }
  }

  /** False where it is lost. Rejects where that is unknown. */
  async renew(): Promise<boolean> {
    const { kube, lease: place, identity } = this.#options;
    if (this.#ours === undefined) return false;
    try {
      await this.#write(this.#ours);
      return true;
    } catch (error) {
      if (isNotFound(error, place.name)) return this.#lose();
      if (!isConflict(error)) throw error;
    }
    // It was written meanwhile: by another holder, by a user, or by our own request whose response was lost.
    const found = await kube.get(lease, place);
    if (found?.spec?.holderIdentity !== identity) return this.#lose();
    await this.#write(found);
    return true;
  }

  /** Lets others acquire it at once. False where it is not held. Rejects where that is unknown: then it can be called again. */
  async release(): Promise<boolean> {
    const { kube, lease: place, identity } = this.#options;
    this.#released ??= this.#ours;
    this.#lose();
    if (this.#released === undefined) return false;
    try {
      await this.#clear(this.#released);
    } catch (error) {
      if (!isConflict(error)) throw error;
      // A renewal, or an earlier attempt, may have been in flight when the process was stopped.
      const found = await kube.get(lease, place);
      if (found?.spec?.holderIdentity !== identity) return false;
      await this.#clear(found);
    }
    this.#released = undefined;
    return true;
  }

  async #clear(known: Lease): Promise<void> {
    const { kube, env } = this.#options;
    const { holderIdentity: _, ...spec } = known.spec ?? {};
    const renewTime = formatMicroTimestamp(env.clock.now());
    await kube.update(lease, { ...known, spec: { ...spec, renewTime, leaseDurationSeconds: 1 } });
  }

  #lose(): false {
    this.#ours = undefined;
    this.#renewedAt = undefined;
    return false;
  }

  async #write(known: Lease): Promise<void> {
    const { kube, env } = this.#options;
    const asked = this.#now();
    const spec = { ...known.spec, ...this.#terms(), renewTime: formatMicroTimestamp(env.clock.now()) };
    this.#hold(await kube.update(lease, { ...known, spec }), asked);
  }

  /** A late response may be older than what is known already. */
  #hold(ours: Lease, asked: Moment): void {
    if (this.#renewedAt !== undefined && asked.monotonic < this.#renewedAt.monotonic) return;
    this.#ours = ours;
    this.#released = undefined;
    this.#hasHeld = true;
    this.#renewedAt = asked;
    this.#seen = undefined;
  }

  #create(): Promise<Lease> {
    const { kube, lease: place } = this.#options;
    const spec = { ...this.#claim(), leaseTransitions: 0 };
    return kube.create(lease, {
      ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: place, spec },
    });
  }

  #take(found: Lease): Promise<Lease> {
    const { holderIdentity = '', leaseTransitions = 0 } = found.spec ?? {};
    const changes = holderIdentity === this.#options.identity ? 0 : 1;
    const spec = { ...found.spec, ...this.#claim(), leaseTransitions: leaseTransitions + changes };
    return this.#options.kube.update(lease, { ...found, spec });
  }

  #claim(): Spec {
    const now = formatMicroTimestamp(this.#options.env.clock.now());
    return { ...this.#terms(), acquireTime: now, renewTime: now };
  }

  #terms(): Spec {
    const { identity, settings } = this.#options;
    return { holderIdentity: identity, leaseDurationSeconds: Math.ceil(settings.durationMs / 1000) };
  }

  #isFree({ spec = {} }: Lease): boolean {
    const { identity, predecessors, env } = this.#options;
    const { holderIdentity = '' } = spec;
    if (holderIdentity === '' || holderIdentity === identity) return true;
    // Who holds it after us is no predecessor: two processes of one pod must not take it from each other in turn.
    const isFirst = predecessors !== undefined && !this.#hasHeld;
    if (isFirst && holderIdentity.startsWith(predecessors)) return true;
    const text = canonicalJson(spec);
    if (this.#seen?.text !== text) this.#seen = { text, at: env.clock.monotonic(), spec };
    return this.freeInMs() === 0;
  }

  /** The holder may use a longer duration than we do. */
  #patienceMs({ leaseDurationSeconds = 0 }: Spec): number {
    return Math.max(this.#options.settings.durationMs, leaseDurationSeconds * 1000);
  }

  #now(): Moment {
    const { clock } = this.#options.env;
    return { wall: clock.now(), monotonic: clock.monotonic() };
  }

  #sinceRenewalMs(): number {
    if (this.#renewedAt === undefined) return Number.POSITIVE_INFINITY;
    const { wall, monotonic } = this.#now();
    return Math.max(wall - this.#renewedAt.wall, monotonic - this.#renewedAt.monotonic);
  }
}
