/**
 * An append-only text file with rotation: beyond a size limit it is renamed to `FILE.1`, and a new one begins.
 */
import { appendFileSync, renameSync, statSync } from 'node:fs';

const MAX_BYTES = 10 * 1024 * 1024;

export class BoundedFile {
  readonly #path: string;
  #size: number;
  #isClosed: boolean = false;

  constructor(path: string) {
    this.#path = path;
    this.#size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Never throws: a log that cannot be written must not stop the component. */
  write(text: string): void {
    if (this.#isClosed) return;
    try {
      if (this.#size > MAX_BYTES) {
        renameSync(this.#path, `${this.#path}.1`);
        this.#size = 0;
      }
      appendFileSync(this.#path, text, { mode: 0o600 });
      this.#size += text.length;
    } catch {
      // There is nowhere to report this; the next line is tried again.
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }
}
