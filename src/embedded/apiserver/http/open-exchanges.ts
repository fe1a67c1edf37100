/**
 * What is under way on one connection: requests whose answers have not gone out. All of it is over when the connection
 * is, also answers that stand behind others and of which the platform says nothing then.
 */
export class Exchanges {
  readonly #open = new Set<Over>();

  get size(): number {
    return this.#open.size;
  }

  add(over: Over): void {
    this.#open.add(over);
    over.when(() => this.#open.delete(over));
  }

  endAll(): void {
    for (const over of this.#open) over.end();
  }
}

/** Whether one of them is over, and who wants to know. */
export class Over {
  /** None once it is over. */
  #calls: (() => void)[] | undefined = [];

  /** The call is made once, now where it is over already. */
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
