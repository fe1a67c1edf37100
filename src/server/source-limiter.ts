/**
 * Limits how many requests each source may send: so many at once, then so many per second.
 */
import { parseAddress } from '../base/text/index.ts';

type Rate = { readonly burst: number; readonly perSecond: number };

/** Of so many sources that have sent something lately; more than that share the limit of the oldest. */
const MAX_SOURCES = 4_096;

export class SourceLimiter {
  readonly #rate: Rate;
  /** In the order of their last request. */
  readonly #sources = new Map<string, { readonly left: number; readonly atMs: number }>();

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  /** Counts a request; false if it is too much. `nowMs` is monotonic. */
  admit(source: string, nowMs: number): boolean {
    const key = groupOf(source);
    const { burst, perSecond } = this.#rate;
    const known = this.#sources.get(key);
    const refilled =
      known === undefined
        ? this.#firstAllowance()
        : Math.min(burst, known.left + ((nowMs - known.atMs) / 1000) * perSecond);
    const isAdmitted = refilled >= 1;
    this.#sources.delete(key);
    this.#sources.set(key, { left: isAdmitted ? refilled - 1 : refilled, atMs: nowMs });
    return isAdmitted;
  }

  /** Many new sources at once are one that pretends: it gets one request for each. */
  #firstAllowance(): number {
    if (this.#sources.size < MAX_SOURCES) return this.#rate.burst;
    const [oldest] = this.#sources.keys();
    if (oldest !== undefined) this.#sources.delete(oldest);
    return 1;
  }
}

/** A host has a whole /64 of IPv6. */
function groupOf(source: string): string {
  const address = parseAddress(source);
  return address?.family === 6 ? address.bytes.slice(0, 8).join('.') : source;
}
