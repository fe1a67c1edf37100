import { describe, expect, it } from 'vitest';
import { invalid } from './status-error.ts';

const kind = { group: '', kind: 'Thing' };
const problems = (count: number, message: string) =>
  Array.from({ length: count }, (_, index) => ({ path: `spec.items[${index}]`, message }));

describe('invalid', () => {
  it('reports all problems of an object', () => {
    const { status } = invalid(kind, 'a', problems(2, 'Required value'));
    expect(status.message).toBe(
      'Thing "a" is invalid: [spec.items[0]: Required value, spec.items[1]: Required value]',
    );
    expect(status.details?.causes?.length).toBe(2);
  });

  it('reports the first thousand problems and the number of the others', () => {
    const { status } = invalid(kind, 'a', problems(200_000, 'Required value'));
    expect(status.details?.causes?.length).toBe(1_000);
    expect(status.message).toMatch(/, and 199000 more\]$/);
  });

  it('reports fewer problems where they repeat large values, but at least one', () => {
    const { status } = invalid(kind, 'a', problems(100, 'x'.repeat(900_000)));
    expect(status.details?.causes?.length).toBe(2);
    expect(invalid(kind, 'a', problems(1, 'x'.repeat(5_000_000))).status.details?.causes?.length).toBe(1);
  });
});
