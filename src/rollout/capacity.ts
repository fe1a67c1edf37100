/**
 * How many nodes of a pool may be unavailable at once.
 */

import type { MachineConfigPool } from '../api/index.ts';
import { invalid, type Outcome, ok, type Problem } from '../base/errors.ts';
import { quoted } from '../base/text/index.ts';
import { nameOf } from '../kubernetes/meta/index.ts';
import { spareMembers } from './quorum.ts';

const PATH = 'spec.maxUnavailable';
const ADVICE = 'give a whole number such as 1, or a percentage such as "10%"';
/** The range of Go's int: the error messages are Go's. */
const MAX_INT = 2n ** 63n;

/**
 * At least one: 0, and percentages that amount to less than a node, mean one. To stop a pool, pause it.
 *
 * An invalid or negative value is a problem, and then no node is targeted. Of the control plane no more nodes may be
 * unavailable than etcd tolerates; a warning reports where that limited the number.
 */
export function maxUnavailable(pool: MachineConfigPool, nodeCount: number): Outcome<number> {
  if (nameOf(pool) === 'arbiter') return ok(1);
  const given: unknown = pool.spec?.maxUnavailable ?? 1;
  const wanted = typeof given === 'string' ? ofPercentage(given, nodeCount) : ofNumber(given);
  if (typeof wanted !== 'number') return invalid([wanted]);
  if (wanted < 0) return invalid([problem(`${shown(given)} is negative; give 1 or more, or pause the pool`)]);
  const atLeastOne = Math.max(1, wanted);
  return nameOf(pool) === 'master' ? withinQuorum(atLeastOne, nodeCount) : ok(atLeastOne);
}

function withinQuorum(wanted: number, nodeCount: number): Outcome<number> {
  const spare = spareMembers(nodeCount);
  if (wanted <= spare) return ok(wanted);
  const message = `${wanted} control plane nodes of ${nodeCount} would leave etcd without its quorum; ${spare} is used`;
  return ok(spare, [{ path: PATH, message }]);
}

function ofNumber(given: unknown): number | Problem {
  if (typeof given === 'number' && Number.isInteger(given)) return given;
  return problem(`invalid type: neither a whole number nor a percentage; ${ADVICE}`);
}

function ofPercentage(given: string, nodeCount: number): number | Problem {
  if (!given.endsWith('%')) return problem(`invalid type: string is not a percentage; ${ADVICE}`);
  const digits = given.slice(0, -1);
  const refuse = (why: string) =>
    problem(`invalid value ${quoted(given)}: strconv.Atoi: parsing ${quoted(digits)}: ${why}; ${ADVICE}`);
  if (!/^[+-]?\d+$/.test(digits)) return refuse('invalid syntax');
  // Twenty digits are beyond any int; longer numbers are not parsed.
  const percent = digits.length > 20 ? MAX_INT : BigInt(digits.replace('+', ''));
  if (percent >= MAX_INT || percent < -MAX_INT) return refuse('value out of range');
  return Math.floor((Number(percent) * nodeCount) / 100);
}

function problem(why: string): Problem {
  return {
    path: PATH,
    message: `invalid value for IntOrString: ${why}`,
    reason: 'FieldValueInvalid',
  };
}

function shown(given: unknown): string {
  return typeof given === 'string' ? quoted(given) : String(given);
}
