/**
 * The log of one run of a container: at most two files, of which the newer is written to, seen from outside as one row of
 * bytes that grows at its end and now and then loses some at its start.
 *
 *     N.log.1  [start ........ )
 *     N.log                    [ ............ end )   then what is still in memory
 *
 * Everything that touches the files goes one after the other, so whoever reads never meets a file that is being renamed.
 */
import type { Clock, Timer } from '../../base/env.ts';
import { withinLimit } from '../../base/waiting.ts';
import type { LogFiles } from './log-files.ts';
import { formatLine, lineTime } from './log-line.ts';
import type { LogExtent } from './log-tail.ts';

type ContainerLogOptions = {
  readonly files: LogFiles;
  readonly clock: Clock;
  /** Of the container, such as `NS_POD_UID/CONTAINER`. */
  readonly folder: string;
  readonly restartCount: number;
  readonly maxFileBytes: number;
};

/** How long a line may stay in memory alone. */
const FLUSH_MS = 1000;
/** So much is written at once, without waiting for the time to pass. */
const FLUSH_CHARS = 64 * 1024;
/** More is not held for a disk that does not take it. */
const MAX_WAITING_CHARS = 4 * 1024 * 1024;
const LINE_END = 0x0a;

export class ContainerLog {
  readonly #options: ContainerLogOptions;
  #turns: Promise<unknown> = Promise.resolve();
  /** What the files hold; undefined until somebody has looked. */
  #held: Held | undefined;
  /** Whether that is so: of what could not be written a part may be there. */
  #isSure = false;
  #waiting: string[] = [];
  #waitingChars = 0;
  #lostLines = 0;
  #timer: Timer | undefined;
  /** Called when there is more to read, or nothing more will come. */
  readonly #wakers = new Set<() => void>();
  #followers = 0;
  #writers = 0;
  #endings = 0;

  constructor(options: ContainerLogOptions) {
    this.#options = options;
  }

  /** How often the last of its writers has closed: when this moves, the container has ended. */
  get endings(): number {
    return this.#endings;
  }

  /** Of what the files hold, as far as anybody has looked. */
  get end(): number {
    return this.#held?.newer.end ?? 0;
  }

  get hasWriters(): boolean {
    return this.#writers > 0;
  }

  beginWriting(): void {
    this.#writers += 1;
    if (this.#writers === 1) this.#inTurn(() => this.#removeOlderRuns()).catch(nothing);
  }

  async endWriting(): Promise<void> {
    await this.flush();
    this.#writers -= 1;
    if (this.#writers > 0) return;
    this.#endings += 1;
    this.wake();
  }

  /** Whole lines, in the form of the file. */
  write(lines: string): void {
    if (lines === '') return;
    if (this.#waitingChars + lines.length > MAX_WAITING_CHARS) {
      this.#lostLines += lines.split('\n').length - 1;
      return;
    }
    this.#waiting.push(lines);
    this.#waitingChars += lines.length;
    if (this.#followers > 0 || this.#waitingChars >= FLUSH_CHARS) this.#flushSoon();
    else this.#timer ??= this.#options.clock.after(FLUSH_MS, () => this.#flushSoon());
  }

  /** Never rejects: what cannot be written is counted, and told once something can. */
  flush(): Promise<void> {
    return this.#inTurn(() => this.#writeWaiting());
  }

  /** Where the log begins and ends now, with what was in memory. */
  async extent(): Promise<LogExtent> {
    await this.flush();
    const { older, newer } = await this.#inTurn(() => this.#look());
    return { start: older.start, end: newer.end };
  }

  /** From `from` on, as much as there is up to `to` in one file. `next` is further on also where bytes are gone. */
  read(from: number, to: number): Promise<{ readonly bytes: Uint8Array; readonly next: number }> {
    return this.#inTurn(async () => {
      const { older, newer } = await this.#look();
      const part = from < older.end ? older : newer;
      const start = Math.max(from, part.start);
      const end = Math.min(to, part.end);
      if (start >= end) return { bytes: new Uint8Array(), next: Math.max(from, start) };
      const bytes = await this.#options.files.read(
        this.#pathOf(part === newer ? 'newer' : 'older'),
        start - part.start,
        end - part.start,
      );
      // What somebody else has removed is passed over.
      return { bytes, next: bytes.length === 0 ? end : start + bytes.length };
    });
  }

  /** From one place up to another, across the files, with zeros where bytes are gone. */
  readonly readAll = async (from: number, to: number): Promise<Uint8Array> => {
    const all = new Uint8Array(to - from);
    for (let at = from; at < to; ) {
      const { bytes, next } = await this.read(at, to);
      if (bytes.length > 0) all.set(bytes, next - bytes.length - from);
      if (next <= at) break;
      at = next;
    }
    return all;
  };

  /** While somebody follows, lines do not wait to become many. Gives the way to stop. */
  follow(): () => void {
    this.#followers += 1;
    return () => {
      this.#followers -= 1;
    };
  }

  /** Resolves when there may be more to read, and at the latest after the limit. */
  async changed({
    limitMs,
    signal,
  }: {
    readonly limitMs: number;
    readonly signal: AbortSignal;
  }): Promise<void> {
    let wake = nothing;
    const promise = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#wakers.add(wake);
    await withinLimit(this.#options.clock, { promise, limitMs, signal });
    this.#wakers.delete(wake);
  }

  wake(): void {
    for (const wake of this.#wakers) wake();
  }

  #flushSoon(): void {
    this.flush().catch(nothing);
  }

  async #writeWaiting(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const lines = this.#waiting.join('');
    this.#waiting = [];
    this.#waitingChars = 0;
    try {
      await this.#append(new TextEncoder().encode(`${this.#complaint()}${lines}`));
      this.#lostLines = 0;
    } catch {
      // Nobody can be told now; the next line that is written says it.
      this.#lostLines += lines.split('\n').length - 1;
      this.#isSure = false;
    }
    this.wake();
  }

  #complaint(): string {
    if (this.#lostLines === 0) return '';
    const text = `${this.#lostLines} lines are missing here: they could not be written`;
    return formatLine(lineTime(this.#options.clock.now()), text, { isWhole: true });
  }

  async #append(bytes: Uint8Array): Promise<void> {
    const { files, maxFileBytes } = this.#options;
    let held = await this.#look();
    const { newer } = held;
    if (newer.end > newer.start && newer.end - newer.start + bytes.length > maxFileBytes) {
      await files.rename(this.#pathOf('newer'), this.#pathOf('older'));
      held = { older: newer, newer: { start: newer.end, end: newer.end }, isTorn: false };
      this.#held = held;
    }
    const sent = held.isTorn ? new Uint8Array([LINE_END, ...bytes]) : bytes;
    await files.append(this.#pathOf('newer'), sent);
    const { start, end } = held.newer;
    this.#held = { older: held.older, newer: { start, end: end + sent.length }, isTorn: false };
  }

  /** What an earlier process has left counts. */
  async #look(): Promise<Held> {
    if (this.#held !== undefined && this.#isSure) return this.#held;
    const { files } = this.#options;
    const path = this.#pathOf('newer');
    const older = this.#held?.older ?? { start: 0, end: await files.sizeOf(this.#pathOf('older')) };
    const size = await files.sizeOf(path);
    const [last = LINE_END] = size === 0 ? [] : await files.read(path, size - 1, size);
    const start = this.#held?.newer.start ?? older.end;
    this.#held = { older, newer: { start, end: start + size }, isTorn: last !== LINE_END };
    this.#isSure = true;
    return this.#held;
  }

  /** The run before this one is kept, those before are not. */
  async #removeOlderRuns(): Promise<void> {
    const { files, folder, restartCount } = this.#options;
    for (const name of await files.list(folder)) {
      const run = /^(\d+)\.log(\.1)?$/.exec(name)?.[1];
      if (run !== undefined && Number(run) < restartCount - 1) await files.remove(`${folder}/${name}`);
    }
  }

  #pathOf(part: 'older' | 'newer'): string {
    const { folder, restartCount } = this.#options;
    return `${folder}/${restartCount}.log${part === 'older' ? '.1' : ''}`;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turns.then(work);
    this.#turns = done.catch(nothing);
    return done;
  }
}

type Held = {
  readonly older: LogExtent;
  readonly newer: LogExtent;
  /** The last line has no end: the process that wrote it was killed over it. */
  readonly isTorn: boolean;
};

function nothing(): void {}
