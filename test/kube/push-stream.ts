/** A response body that the test writes chunk by chunk. */
export class PushStream implements AsyncIterable<Uint8Array> {
  readonly #waiting: Uint8Array[] = [];
  #end: 'open' | 'ended' | Error = 'open';
  #wake: () => void = nothing;
  readonly #closers: (() => void)[] = [];

  push(bytes: Uint8Array): void {
    if (this.#end !== 'open') return;
    this.#waiting.push(bytes);
    this.#wake();
  }

  /** Ends the body regularly. */
  end(): void {
    this.#close('ended');
  }

  /** Breaks the connection. */
  fail(message: string): void {
    this.#close(new Error(message));
  }

  whenClosed(call: () => void): void {
    this.#closers.push(call);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const next = this.#waiting.shift();
        if (next !== undefined) yield next;
        else if (this.#end instanceof Error) throw this.#end;
        else if (this.#end === 'ended') return;
        else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.end();
    }
  }

  #close(end: 'ended' | Error): void {
    if (this.#end !== 'open') return;
    this.#end = end;
    for (const call of this.#closers) call();
    this.#wake();
  }
}

function nothing(): void {}
