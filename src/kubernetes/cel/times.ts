/**
 * The parts of times and durations. Time zones: UTC and fixed offsets such as `+02:00`; named zones would need a
 * database that differs between machines.
 */

import { type Civil, civilTime } from '../../base/text/index.ts';
import { DURATION, INT, STRING, TIMESTAMP } from './cel-type.ts';
import { type Library, type Overload, overload } from './overloads.ts';
import { EvaluationError } from './values.ts';

export const TIMES: Library = {
  functions: {},
  methods: {
    getFullYear: part((time) => time.year),
    getMonth: part((time) => time.month),
    getDate: part((time) => time.day),
    getDayOfMonth: part((time) => time.day - 1),
    getDayOfWeek: part((time) => time.weekday),
    getDayOfYear: part((time) => time.yearday),
    getHours: [...part((time) => time.hours), whole(3_600_000_000_000n)],
    getMinutes: [...part((time) => time.minutes), whole(60_000_000_000n)],
    getSeconds: [...part((time) => time.seconds), whole(1_000_000_000n)],
    getMilliseconds: [...part((time) => Math.floor(time.nanos / 1_000_000)), whole(1_000_000n)],
  },
};

function part(read: (time: Civil) => number): readonly Overload[] {
  return [
    overload([TIMESTAMP], INT, (time) => BigInt(read(civilTime(time.nanos)))),
    overload([TIMESTAMP, STRING], INT, (time, zone) => BigInt(read(civilTime(time.nanos + offsetOf(zone))))),
  ];
}

/** The number of whole units in a duration. */
function whole(unit: bigint): Overload {
  return overload([DURATION], INT, (duration) => duration.nanos / unit);
}

function offsetOf(zone: string): bigint {
  if (zone === 'UTC' || zone === 'Z' || zone === '') return 0n;
  const parts = /^([+-]?)(\d{2}):(\d{2})$/.exec(zone);
  if (parts === null) throw new EvaluationError(`unknown time zone ${zone}`);
  const [, sign, hours, minutes] = parts;
  const nanos = BigInt(Number(hours) * 60 + Number(minutes)) * 60_000_000_000n;
  return sign === '-' ? -nanos : nanos;
}
