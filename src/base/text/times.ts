/**
 * Times and durations as Go parses them, in nanoseconds: JavaScript dates stop at milliseconds and accept other
 * texts.
 */

const NANOS_PER_SECOND = 1_000_000_000n;
/** The limit of a text: times and durations are short. */
const MAX_TIME_CHARS = 200;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(\d{2}):(\d{2}):(\d{2})([.,]\d+)?(z|[+-]\d{2}:\d{2})$/;

/** A valid calendar date. */
export function isDate(text: string): boolean {
  return daysOf(text) !== undefined;
}

/** RFC 3339; letters in either case. */
export function isDateTime(text: string): boolean {
  return plainSeconds(text) !== undefined || parseDateTime(text) !== undefined;
}

/**
 * Seconds since 1970 of a time in the form that Kubernetes writes, `2026-01-31T12:00:00Z`; undefined for other forms. Objects hold
 * many of these and are read often, and this takes a tenth of the time of a full parse.
 */
export function plainSeconds(text: string): number | undefined {
  if (text.length !== PLAIN.length) return undefined;
  for (let index = 0; index < PLAIN.length; index++) {
    const wanted = PLAIN.charCodeAt(index);
    const found = text.charCodeAt(index);
    const isDigit = found >= ZERO && found <= NINE;
    if (wanted === ZERO ? !isDigit : found !== wanted) return undefined;
  }
  const [year, month, day] = [
    twoDigits(text, 0) * 100 + twoDigits(text, 2),
    twoDigits(text, 5),
    twoDigits(text, 8),
  ];
  const [hours, minutes, seconds] = [twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17)];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  return daysSince1970(year, month, day) * 86_400 + hours * 3600 + minutes * 60 + seconds;
}

/** A zero stands for any digit. */
const PLAIN = '0000-00-00T00:00:00Z';
const ZERO = 48;
const NINE = 57;

function twoDigits(text: string, index: number): number {
  return (text.charCodeAt(index) - ZERO) * 10 + text.charCodeAt(index + 1) - ZERO;
}

/** Nanoseconds since 1970. */
export function parseDateTime(text: string): bigint | undefined {
  const plain = plainSeconds(text);
  if (plain !== undefined) return BigInt(plain) * NANOS_PER_SECOND;
  if (text.length > MAX_TIME_CHARS) return undefined;
  const [date = '', time = '', ...rest] = text.toLowerCase().split('t');
  const days = daysOf(date);
  const parts = TIME.exec(time);
  if (days === undefined || parts === null || rest.length > 0) return undefined;
  const [, hours = '', minutes = '', seconds = '', fraction = '', zone = ''] = parts;
  if (hours > '23' || minutes > '59' || seconds > '59') return undefined;
  const nanos = BigInt(fraction.slice(1, 10).padEnd(9, '0'));
  const secondOfDay = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) - offsetOf(zone);
  return (BigInt(days) * 86_400n + BigInt(secondOfDay)) * NANOS_PER_SECOND + nanos;
}

/** Midnight of a day, in nanoseconds since 1970. */
export function parseDate(text: string): bigint | undefined {
  const days = daysOf(text);
  return days === undefined ? undefined : BigInt(days) * 86_400n * NANOS_PER_SECOND;
}

function offsetOf(zone: string): number {
  if (zone === 'z') return 0;
  const seconds = Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(4, 6)) * 60;
  return zone.startsWith('-') ? -seconds : seconds;
}

function daysOf(text: string): number | undefined {
  const parts = DATE.exec(text);
  if (parts === null) return undefined;
  const [year = 0, month = 0, day = 0] = parts.slice(1).map(Number);
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  return daysSince1970(year, month, day);
}

function daysInMonth(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** Counts years from March, so that the leap day comes last. */
function daysSince1970(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

const GO_UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', NANOS_PER_SECOND],
  ['m', 60n * NANOS_PER_SECOND],
  ['h', 3600n * NANOS_PER_SECOND],
]);
const GO_DURATION = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const MAX_INT64 = 2n ** 63n - 1n;

/** A duration as Go writes it (`1h30m`), in nanoseconds. */
export function parseGoDuration(text: string): bigint | undefined {
  if (text === '0' || text === '+0' || text === '-0') return 0n;
  if (text.length > MAX_TIME_CHARS || !GO_DURATION.test(text)) return undefined;
  let total = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(
    /(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g,
  )) {
    const scale = GO_UNITS.get(unit) ?? 0n;
    total +=
      BigInt(whole || '0') * scale + (BigInt(fraction || '0') * scale) / 10n ** BigInt(fraction.length);
  }
  if (total > MAX_INT64) return undefined;
  return text.startsWith('-') ? -total : total;
}

/** The units of the format `duration` besides Go's: the first match counts, the last also as a prefix. */
const LOOSE_UNITS: readonly (readonly [bigint, ...string[]])[] = [
  [1n, 'ns', 'nano'],
  [1_000n, 'us', 'µs', 'micro'],
  [1_000_000n, 'ms', 'milli'],
  [NANOS_PER_SECOND, 's', 'sec'],
  [60n * NANOS_PER_SECOND, 'm', 'min'],
  [3600n * NANOS_PER_SECOND, 'h', 'hr', 'hour'],
  [86_400n * NANOS_PER_SECOND, 'd', 'day'],
  [7n * 86_400n * NANOS_PER_SECOND, 'w', 'wk', 'week'],
];

/** The format `duration`: Go's form, or words such as `2 days`. */
export function parseDuration(text: string): bigint | undefined {
  const plain = parseGoDuration(text);
  if (plain !== undefined || text.length > MAX_TIME_CHARS) return plain;
  let total: bigint | undefined;
  for (const [, count = '', word = ''] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    if (BigInt(count) > MAX_INT64) return undefined;
    const unit = word.toLowerCase();
    for (const [scale, ...names] of LOOSE_UNITS) {
      if (!names.includes(unit) && !unit.startsWith(names.at(-1) ?? unit)) continue;
      total = (total ?? 0n) + BigInt(count) * scale;
    }
  }
  return total === undefined ? undefined : BigInt.asIntN(64, total);
}

export type Civil = {
  readonly year: number;
  /** From 0 for January. */
  readonly month: number;
  readonly day: number;
  /** From 0 for Sunday. */
  readonly weekday: number;
  /** From 0 for the first of January. */
  readonly yearday: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  /** Within the second. */
  readonly nanos: number;
};

/** The calendar date and time in UTC. */
export function civilTime(nanosSince1970: bigint): Civil {
  const seconds = floorDivide(nanosSince1970, NANOS_PER_SECOND);
  const days = Number(floorDivide(seconds, 86_400n));
  const secondOfDay = Number(seconds) - days * 86_400;
  const { year, month, day } = civilDay(days);
  return {
    year,
    month: month - 1,
    day,
    weekday: (((days + 4) % 7) + 7) % 7,
    yearday: days - daysSince1970(year, 1, 1),
    hours: Math.floor(secondOfDay / 3600),
    minutes: Math.floor(secondOfDay / 60) % 60,
    seconds: secondOfDay % 60,
    nanos: Number(nanosSince1970 - seconds * NANOS_PER_SECOND),
  };
}

/** The inverse, with the same years from March. */
function civilDay(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value < 0n && value % by !== 0n ? quotient - 1n : quotient;
}

/** RFC 3339 in UTC, with as many digits of the second as needed. */
export function timeText(nanos: bigint): string {
  const time = civilTime(nanos);
  const two = (part: number): string => String(part).padStart(2, '0');
  const fraction = trimmedFraction(time.nanos);
  const date = `${String(time.year).padStart(4, '0')}-${two(time.month + 1)}-${two(time.day)}`;
  return `${date}T${two(time.hours)}:${two(time.minutes)}:${two(time.seconds)}${fraction}Z`;
}

/** Seconds with a unit: `90s`, `0.5s`. */
export function durationText(nanos: bigint): string {
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = trimmedFraction(Number(size % NANOS_PER_SECOND));
  return `${nanos < 0n ? '-' : ''}${size / NANOS_PER_SECOND}${fraction}s`;
}

function trimmedFraction(nanos: number): string {
  return nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
}
