import { describe, expect, it } from 'vitest';
import { invalid } from './refusal.ts';

const kind = { group: '', kind: 'Thing' };
const problems = (count: number, message: string) =>
  Array.from({ length: count }, (_, index) => ({ path: `spec.items[${index}]`, message }));

describe('an invalid object', () => {
  it('has all its problems told', () => {
    const { status } = invalid(kind, 'a', problems(2, 'Required value'));
    expect(status.message).toBe(
      'Thing "a" is invalid: [spec.items[0]: Required value, spec.items[1]: Required value]',
    );
    expect(status.details?.causes?.length).toBe(2);
  });

  it('with more problems than anyone reads has the first of them told, and how many more there are', () => {
    const { status } = invalid(kind, 'a', problems(200_000, 'Required value'));
    expect(status.details?.causes?.length).toBe(1_000);
    expect(status.message).toMatch(/, and 199000 more\]$/);
  });

  it('whose problems repeat large values has few of them told, but always one', () => {
    const { status } = invalid(kind, 'a', problems(100, 'x'.repeat(900_000)));
    expect(status.details?.causes?.length).toBe(2);
    expect(invalid(kind, 'a', problems(1, 'x'.repeat(5_000_000))).status.details?.causes?.length).toBe(1);
  });
});
