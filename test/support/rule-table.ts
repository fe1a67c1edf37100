/**
 * A table of CEL rules over one object, and their results.
 */
import { expect, it } from 'vitest';
import type { StructuralSchema } from '../../src/kubernetes/schema/index.ts';
import { validate } from '../../src/kubernetes/validation/index.ts';

export type RuleTable = {
  readonly schema: StructuralSchema;
  readonly value: unknown;
  readonly holds: readonly string[];
  readonly fails: readonly string[];
  /** Rules with a runtime error, and its message. */
  readonly breaks: readonly (readonly [rule: string, text: string])[];
  /** Rules with a compile error, and its message. */
  readonly refused: readonly (readonly [rule: string, text: string])[];
};

/** The message of the problem that a rule causes; empty if the rule is true. */
export function verdictOver(schema: StructuralSchema, value: unknown): (rule: string) => string {
  return (rule) => {
    const problems = validate({ ...schema, 'x-kubernetes-validations': [{ rule }] }, value);
    expect(problems.length).toBeLessThanOrEqual(1);
    return problems[0]?.message ?? '';
  };
}

export function testRules({ schema, value, holds, fails, breaks, refused }: RuleTable): void {
  const verdict = verdictOver(schema, value);
  it.each(refused)('refuses %s', (rule, text) => {
    expect(verdict(rule)).toMatch(/^Invalid value: "object": rule compile error: /);
    expect(verdict(rule)).toContain(text);
  });

  it.each(breaks)('breaks on %s', (rule, text) => {
    const message = verdict(rule);
    expect(message.startsWith(`Invalid value: "object": ${text}`)).toBe(true);
    expect(message.endsWith(`rule: ${rule}`)).toBe(true);
  });

  it.each(fails)('is false for %s', (rule) => {
    expect(verdict(rule)).toBe(`Invalid value: "object": failed rule: ${rule}`);
  });

  it.each(holds)('is true for %s', (rule) => {
    expect(verdict(rule)).toBe('');
  });
}
