/**
 * The errors of one value, and how much of the schema it matched.
 */
import type { Problem } from '../../base/errors.ts';

/** `text` is what the server compares to avoid reporting an error twice. */
export type Finding = { readonly problem: Problem; readonly text: string };

export class ValidationResult {
  readonly findings: Finding[] = [];
  #texts: Set<string> | undefined;
  /** Only compared with other results for the same value. */
  matches = 0;
  /** Whether errors of unchanged values were ignored. */
  isRatcheted: boolean = false;

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
    if (other.isRatcheted) this.isRatcheted = true;
  }

  /** The same matches without the errors. */
  withoutErrors(): ValidationResult {
    const result = new ValidationResult().count(this.matches);
    result.isRatcheted = true;
    return result;
  }
}
