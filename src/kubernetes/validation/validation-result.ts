/**
 * What checking one value has found, and how much of the schema it did match.
 */
import type { Problem } from '../../base/errors.ts';

/** `text` is what the server compares to find out that something has been said already. */
export type Finding = { readonly problem: Problem; readonly text: string };

export class ValidationResult {
  readonly findings: Finding[] = [];
  #texts: Set<string> | undefined;
  /** Only compared with other tallies of the same value. */
  matches = 0;

  isValid(): boolean {
    return this.findings.length === 0;
  }

  count(matches: number): this {
    this.matches += matches;
    return this;
  }

  add(finding: Finding): void {
    this.#texts ??= new Set();
    if (this.#texts.has(finding.text)) return;
    this.#texts.add(finding.text);
    this.findings.push(finding);
  }

  record(finding: Finding | undefined, matches: number): void {
    if (finding !== undefined) this.add(finding);
    this.matches += matches;
  }

  merge(other: ValidationResult, matches: number): void {
    for (const finding of other.findings) this.add(finding);
    this.matches += other.matches + matches;
  }

  /** The same matches without the findings. */
  withoutErrors(): ValidationResult {
    return new ValidationResult().count(this.matches);
  }
}
