/** Compares two servers: for each case, whether both pass, differ on purpose, or one does not support it. */
import type { ContractCase } from './contract-case.ts';
import type { OnOutcome } from './run-contract.ts';

export type Verdict = 'same' | 'different on purpose' | 'not served' | 'unexplained';

const VERDICTS: readonly Verdict[] = ['same', 'different on purpose', 'not served', 'unexplained'];

export class Comparison {
  readonly #outcomes = new Map<ContractCase, Map<string, string>>();

  readonly note: OnOutcome = (one, target, outcome) => {
    const outcomes = this.#outcomes.get(one) ?? new Map<string, string>();
    outcomes.set(target.name, outcome);
    this.#outcomes.set(one, outcomes);
  };

  /** A difference is explained only if the case passed on both. */
  verdictOf(one: ContractCase): Verdict {
    const outcomes = [...(this.#outcomes.get(one)?.values() ?? [])];
    const hasHeld = outcomes.length === 2 && outcomes.every((outcome) => outcome === 'held');
    return hasHeld ? (one.differs?.verdict ?? 'same') : 'unexplained';
  }

  unexplained(): readonly string[] {
    return [...this.#outcomes.keys()]
      .filter((one) => this.verdictOf(one) === 'unexplained')
      .map(({ topic, name }) => `${topic}: ${name}`);
  }

  /** One line per topic, and the total. */
  table(): string {
    const topics = new Map<string, Map<Verdict, number>>();
    for (const one of this.#outcomes.keys()) {
      const counts = topics.get(one.topic) ?? new Map<Verdict, number>();
      const verdict = this.verdictOf(one);
      counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
      topics.set(one.topic, counts);
    }
    const rows = [...topics].map(([topic, counts]) => [
      topic,
      ...VERDICTS.map((one) => counts.get(one) ?? 0),
    ]);
    const sums = VERDICTS.map((_, index) => rows.reduce((sum, row) => sum + Number(row[index + 1]), 0));
    const head = ['topic', ...VERDICTS];
    const lines = [head, ...rows, [`all ${this.#outcomes.size} cases`, ...sums]];
    const widths = head.map((_, column) => Math.max(...lines.map((line) => String(line[column]).length)));
    return lines
      .map((line) => line.map((cell, column) => cellText(cell, column, widths[column] ?? 0)).join('  '))
      .join('\n');
  }
}

/** Text left-aligned, numbers right-aligned. */
function cellText(cell: string | number, column: number, width: number): string {
  return column === 0 ? String(cell).padEnd(width) : String(cell).padStart(width);
}
