/**
 * How far a run is: a bar on a terminal, plain lines now and then otherwise.
 */
const BAR_WIDTH = 30;
/** Between plain lines. */
const LINE_MS = 30_000;

type Output = { readonly isTTY?: boolean; write(text: string): unknown };

export type ProgressOptions = {
  readonly total: number;
  readonly output: Output;
  readonly nowMs: () => number;
};

export class Progress {
  readonly #options: ProgressOptions;
  readonly #beganMs: number;
  #done = 0;
  #failed = 0;
  #lineMs: number;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#beganMs = options.nowMs();
    this.#lineMs = this.#beganMs;
  }

  add({ isFailed }: { readonly isFailed: boolean }): void {
    this.#done += 1;
    if (isFailed) this.#failed += 1;
    const { output, nowMs, total } = this.#options;
    if (output.isTTY === true) {
      output.write(`\r${bar(this.#done, total)} ${this.#text()}\x1b[K`);
      return;
    }
    if (nowMs() - this.#lineMs < LINE_MS) return;
    this.#lineMs = nowMs();
    output.write(`${this.#text()}\n`);
  }

  /** Makes room for other lines; the bar comes back with the next seed. */
  clear(): void {
    const { output } = this.#options;
    if (output.isTTY === true) output.write('\r\x1b[K');
  }

  #text(): string {
    const { nowMs, total } = this.#options;
    const elapsedMs = nowMs() - this.#beganMs;
    const leftMs = this.#done === 0 ? 0 : (elapsedMs / this.#done) * (total - this.#done);
    const failed = this.#failed === 0 ? '' : `, ${this.#failed} failed`;
    return `${this.#done} of ${total} seeds${failed}, ${durationText(elapsedMs)}, about ${durationText(leftMs)} left`;
  }
}

function bar(done: number, total: number): string {
  const filled = Math.floor((BAR_WIDTH * done) / Math.max(1, total));
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]`;
}

/** `1:02:03`, `4:05`, `12 s` */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (number: number) => String(number).padStart(2, '0');
  return hours === 0 ? `${minutes}:${two(seconds % 60)}` : `${hours}:${two(minutes)}:${two(seconds % 60)}`;
}
