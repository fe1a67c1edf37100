import { describe, expect, it } from 'vitest';
import { aPool } from '../../test/support/build.ts';
import { formatProblem } from '../base/errors.ts';
import { maxUnavailable } from './capacity.ts';

type Given = number | string | undefined;

function result(name: string, given: Given, nodeCount: number): number | string {
  const outcome = maxUnavailable(
    aPool(name, given === undefined ? {} : { maxUnavailable: given }),
    nodeCount,
  );
  return outcome.kind === 'ok' ? outcome.value : outcome.problems.map(formatProblem).join('\n');
}

const ADVICE = 'give a whole number such as 1, or a percentage such as "10%"';
const NOT_A_PERCENTAGE = `spec.maxUnavailable: invalid value for IntOrString: invalid type: string is not a percentage; ${ADVICE}`;
const syntax = (given: string, digits: string) =>
  `spec.maxUnavailable: invalid value for IntOrString: invalid value "${given}": strconv.Atoi: parsing "${digits}": invalid syntax; ${ADVICE}`;

describe('an invalid maxUnavailable', () => {
  it.each<[Given, string]>([
    ['60', NOT_A_PERCENTAGE],
    ['50 percent', NOT_A_PERCENTAGE],
    ['', NOT_A_PERCENTAGE],
    ['40 %', syntax('40 %', '40 ')],
    ['%', syntax('%', '')],
    ['1.5%', syntax('1.5%', '1.5')],
    ['0x10%', syntax('0x10%', '0x10')],
    [
      '99999999999999999999%',
      `spec.maxUnavailable: invalid value for IntOrString: invalid value "99999999999999999999%": strconv.Atoi: parsing "99999999999999999999": value out of range; ${ADVICE}`,
    ],
    [
      1.5,
      `spec.maxUnavailable: invalid value for IntOrString: invalid type: neither a whole number nor a percentage; ${ADVICE}`,
    ],
    [
      -1,
      'spec.maxUnavailable: invalid value for IntOrString: -1 is negative; give 1 or more, or pause the pool',
    ],
    [
      '-50%',
      'spec.maxUnavailable: invalid value for IntOrString: "-50%" is negative; give 1 or more, or pause the pool',
    ],
  ])('is rejected with the reason: %j', (given, text) => {
    expect(result('worker', given, 4)).toBe(text);
  });
});

describe('maxUnavailable', () => {
  it.each<[Given, number, number]>([
    [undefined, 4, 1],
    [0, 4, 1],
    [2, 4, 2],
    [9, 4, 9],
    ['50%', 4, 2],
    ['60%', 4, 2],
    ['+50%', 4, 2],
    ['0%', 4, 1],
    ['-0%', 4, 1],
    ['5%', 10, 1],
    ['10%', 25, 2],
    ['200%', 4, 8],
    ['100%', 0, 1],
  ])('of %j for %j nodes is %j', (given, nodeCount, expected) => {
    expect(result('worker', given, nodeCount)).toBe(expected);
  });

  it('is one for the arbiter, whatever is given', () => {
    expect([result('arbiter', 3, 5), result('arbiter', 'junk', 5)]).toEqual([1, 1]);
  });
});

describe('maxUnavailable of the control plane', () => {
  it.each<[Given, number, number]>([
    [1, 3, 1],
    [2, 3, 1],
    ['100%', 3, 1],
    [2, 5, 2],
    [3, 5, 2],
    [4, 7, 3],
    [2, 4, 1],
    [2, 2, 1],
    [2, 1, 1],
    [2, 0, 1],
  ])('is limited by the quorum of etcd: %j of %j is %j', (given, nodeCount, expected) => {
    expect(result('master', given, nodeCount)).toBe(expected);
  });

  it('warns only where the limit was applied', () => {
    const warnings = (given: number, name = 'master') => {
      const outcome = maxUnavailable(aPool(name, { maxUnavailable: given }), 3);
      return outcome.kind === 'ok' ? outcome.warnings.map(formatProblem) : [];
    };
    expect(warnings(2)).toEqual([
      'spec.maxUnavailable: 2 control plane nodes of 3 would leave etcd without its quorum; 1 is used',
    ]);
    expect([warnings(1), warnings(2, 'worker')]).toEqual([[], []]);
  });
});
