/**
 * The log of one run of a container: at most two files, presented as one byte range that grows at its end and loses bytes
 * at its start on rotation.
 *
 *     N.log.1  [start ........ )
 *     N.log                    [ ............ end )   then buffered lines
 *
 * File operations are serialised, so readers never see a file in the middle of a rotation.
 */
import type { Clock, Timer } from '../../base/env.ts';
import { withinLimit } from '../../base/waiting.ts';
import { formatLine, lineTime } from './cri-log-line.ts';
import type { LogFiles } from './log-files.ts';
import type { LogExtent } from './log-tail.ts';

type ContainerLogOptions = {
  readonly files: LogFiles;
  readonly clock: Clock;
  /** The directory of the container, such as `NS_POD_UID/CONTAINER`. */
  readonly directory: string;
  readonly restartCount: number;
  readonly maxFileBytes: number;
};

/** How long lines are buffered. */
const FLUSH_MS = 1000;
/** Buffers beyond this size are written immediately. */
const FLUSH_CHARS = 64 * 1024;
/** Lines beyond this size are dropped while the disk cannot be written. */
const MAX_BUFFERED_CHARS = 4 * 1024 * 1024;
const LINE_END = 0x0a;

export class ContainerLog {
  readonly #options: ContainerLogOptions;
  #queue: Promise<unknown> = Promise.resolve();
  /** The extents of the files; undefined until inspected. */
  #extents: FileExtents | undefined;
  /** False after a failed write, which may have been partial. */
  #isKnown = false;
  #buffer: string[] = [];
  #bufferedChars = 0;
  #droppedLines = 0;
  #timer: Timer | undefined;
  /** Called when there is more to read, or the log has ended. */
  readonly #listeners = new Set<() => void>();
  #followers = 0;
  #writers = 0;
  #endings = 0;

  constructor(options: ContainerLogOptions) {
    this.#options = options;
  }

  /** How often the last writer has closed: an increase means that the container has ended. */
  get endings(): number {
    return this.#endings;
  }

  /** The end of the files as last inspected. */
  get end(): number {
    return this.#extents?.newer.end ?? 0;
  }

  get hasWriters(): boolean {
    return this.#writers > 0;
  }

  beginWriting(): void {
    this.#writers += 1;
    if (this.#writers === 1) this.#serialised(() => this.#removeOlderRuns()).catch(nothing);
  }

  async endWriting(): Promise<void> {
    await this.flush();
    this.#writers -= 1;
    if (this.#writers > 0) return;
    this.#endings += 1;
    this.wake();
  }

  /** Appends whole lines in CRI format. */
  write(lines: string): void {
    if (lines === '') return;
    if (this.#bufferedChars + lines.length > MAX_BUFFERED_CHARS) {
      this.#droppedLines += lines.split('\n').length - 1;
      return;
    }
    this.#buffer.push(lines);
    this.#bufferedChars += lines.length;
    if (this.#followers > 0 || this.#bufferedChars >= FLUSH_CHARS) this.#flushSoon();
    else this.#timer ??= this.#options.clock.after(FLUSH_MS, () => this.#flushSoon());
  }

  /** Never rejects: lines that cannot be written are counted and reported in the log later. */
  flush(): Promise<void> {
    return this.#serialised(() => this.#writeBuffer());
  }

  /** The byte range of the log, after a flush. */
  async extent(): Promise<LogExtent> {
    await this.flush();
    const { older, newer } = await this.#serialised(() => this.#inspect());
    return { start: older.start, end: newer.end };
  }

  /** Reads from one file, at most up to `to`. `next` advances even if bytes have been removed. */
  read(from: number, to: number): Promise<{ readonly bytes: Uint8Array; readonly next: number }> {
    return this.#serialised(async () => {
      const { older, newer } = await this.#inspect();
      const part = from < older.end ? older : newer;
      const start = Math.max(from, part.start);
      const end = Math.min(to, part.end);
      if (start >= end) return { bytes: new Uint8Array(), next: Math.max(from, start) };
      const bytes = await this.#options.files.read(
        this.#pathOf(part === newer ? 'newer' : 'older'),
        start - part.start,
        end - part.start,
      );
      // Removed bytes are skipped.
      return { bytes, next: bytes.length === 0 ? end : start + bytes.length };
    });
  }

  /** Reads a range across both files, with zeros for removed bytes. */
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

  /** Disables buffering while the log is followed. Returns a function that ends it. */
  follow(): () => void {
    this.#followers += 1;
    return () => {
      this.#followers -= 1;
    };
  }

  /** Resolves when there may be more to read, at the latest after the limit. */
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
    this.#listeners.add(wake);
    await withinLimit(this.#options.clock, { promise, limitMs, signal });
    this.#listeners.delete(wake);
  }

  wake(): void {
    for (const wake of this.#listeners) wake();
  }

  #flushSoon(): void {
    this.flush().catch(nothing);
  }

  async #writeBuffer(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#buffer.length === 0) return;
    const lines = this.#buffer.join('');
    this.#buffer = [];
    this.#bufferedChars = 0;
    try {
      await this.#append(new TextEncoder().encode(`${this.#droppedNotice()}${lines}`));
      this.#droppedLines = 0;
    } catch {
      // Reported in the log once writing works again.
      this.#droppedLines += lines.split('\n').length - 1;
      this.#isKnown = false;
    }
    this.wake();
  }

  #droppedNotice(): string {
    if (this.#droppedLines === 0) return '';
    const text = `${this.#droppedLines} lines are missing: they could not be written`;
    return formatLine(lineTime(this.#options.clock.now()), text, { isWhole: true });
  }

  async #append(bytes: Uint8Array): Promise<void> {
    const { files, maxFileBytes } = this.#options;
    let extents = await this.#inspect();
    const { newer } = extents;
    if (newer.end > newer.start && newer.end - newer.start + bytes.length > maxFileBytes) {
      await files.rename(this.#pathOf('newer'), this.#pathOf('older'));
      extents = { older: newer, newer: { start: newer.end, end: newer.end }, isTorn: false };
      this.#extents = extents;
    }
    const sent = extents.isTorn ? new Uint8Array([LINE_END, ...bytes]) : bytes;
    await files.append(this.#pathOf('newer'), sent);
    const { start, end } = extents.newer;
    this.#extents = { older: extents.older, newer: { start, end: end + sent.length }, isTorn: false };
  }

  /** Includes what an earlier process has written. */
  async #inspect(): Promise<FileExtents> {
    if (this.#extents !== undefined && this.#isKnown) return this.#extents;
    const { files } = this.#options;
    const path = this.#pathOf('newer');
    const older = this.#extents?.older ?? { start: 0, end: await files.sizeOf(this.#pathOf('older')) };
    const size = await files.sizeOf(path);
    const [last = LINE_END] = size === 0 ? [] : await files.read(path, size - 1, size);
    const start = this.#extents?.newer.start ?? older.end;
    this.#extents = { older, newer: { start, end: start + size }, isTorn: last !== LINE_END };
    this.#isKnown = true;
    return this.#extents;
  }

  /** Keeps the previous run, removes those before it. */
  async #removeOlderRuns(): Promise<void> {
    const { files, directory, restartCount } = this.#options;
    for (const name of await files.list(directory)) {
      const run = /^(\d+)\.log(\.1)?$/.exec(name)?.[1];
      if (run !== undefined && Number(run) < restartCount - 1) await files.remove(`${directory}/${name}`);
    }
  }

  #pathOf(part: 'older' | 'newer'): string {
    const { directory, restartCount } = this.#options;
    return `${directory}/${restartCount}.log${part === 'older' ? '.1' : ''}`;
  }

  #serialised<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(nothing);
    return done;
  }
}

type FileExtents = {
  readonly older: LogExtent;
  readonly newer: LogExtent;
  /** Whether the last line is incomplete, because the process was killed. */
  readonly isTorn: boolean;
};

function nothing(): void {}
