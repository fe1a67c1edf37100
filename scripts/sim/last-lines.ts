/**
 * What led to a failure: the lines of a trace up to the first violation. Renewals of Leases say nothing about it.
 */
const MOST_LINES = 60;

export class LastLines {
  readonly #lines: string[] = [];
  #isOver: boolean = false;

  readonly take = (line: string): void => {
    if (this.#isOver || line.includes('coordination.k8s.io/')) return;
    this.#lines.push(line);
    if (this.#lines.length > 2 * MOST_LINES) this.#lines.splice(0, MOST_LINES);
    this.#isOver = / VIOLATION /.test(line);
  };

  get lines(): readonly string[] {
    return this.#lines.slice(-MOST_LINES);
  }
}
