/**
 * What happened in a simulation, line by line: requests, writes, power, faults. The hash covers all of it, so that two runs are the same where
 * their hashes are; of the lines only the last ones are kept, unless all are wanted.
 */
const KEPT_LINES = 400;
const encoder = new TextEncoder();

type TraceOptions = {
  readonly nowMs: () => number;
  /** Every line as it comes. */
  readonly onLine?: ((line: string) => void) | undefined;
};

export class Trace {
  readonly #options: TraceOptions;
  readonly #lines: string[] = [];
  #low = 0x811c9dc5;
  #high = 0x9747b28c;
  #count = 0;

  constructor(options: TraceOptions) {
    this.#options = options;
  }

  /** `12.345 worker-0 PATCH /api/v1/nodes/worker-0 200` */
  add(text: string, content?: Uint8Array): void {
    const line = `${(this.#options.nowMs() / 1000).toFixed(3)} ${text}`;
    this.#mix(encoder.encode(line));
    if (content !== undefined) this.#mix(content);
    this.#count += 1;
    this.#lines.push(line);
    if (this.#lines.length > 2 * KEPT_LINES) this.#lines.splice(0, KEPT_LINES);
    this.#options.onLine?.(line);
  }

  get count(): number {
    return this.#count;
  }

  /** The last ones, at most a few hundred. */
  last(count: number): readonly string[] {
    return this.#lines.slice(-count);
  }

  /** 16 hexadecimal digits. */
  get hash(): string {
    return [this.#high, this.#low].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  /** Two interleaved FNV-1a: fast, and enough to tell runs apart. */
  #mix(bytes: Uint8Array): void {
    let [low, high] = [this.#low, this.#high];
    for (const byte of bytes) {
      low = Math.imul(low ^ byte, 0x01000193);
      high = Math.imul(high ^ byte ^ (low >>> 24), 0x01000193);
    }
    [this.#low, this.#high] = [low, high];
  }
}
