/**
 * The requests of one connection whose responses are not yet sent. They all complete when the connection closes,
 * including pipelined responses, for which Node emits no event then.
 */
export class OpenExchanges {
  readonly #open = new Set<Completion>();

  get size(): number {
    return this.#open.size;
  }

  add(completion: Completion): void {
    this.#open.add(completion);
    completion.when(() => this.#open.delete(completion));
  }

  endAll(): void {
    for (const completion of this.#open) completion.end();
  }
}

/** The completion of one exchange. */
export class Completion {
  /** Undefined once completed. */
  #calls: (() => void)[] | undefined = [];

  /** Calls back once; at once if completed. */
  when(call: () => void): void {
    if (this.#calls === undefined) call();
    else this.#calls.push(call);
  }

  end(): void {
    const calls = this.#calls ?? [];
    this.#calls = undefined;
    for (const call of calls) call();
  }
}
