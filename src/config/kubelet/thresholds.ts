/**
 * Amounts in a KubeletConfiguration: thresholds of evictions, and reserved resources.
 */
import { parseGoDuration, parseQuantity, quoted } from '../../base/text/index.ts';

type Amount = { readonly [name: string]: unknown };

/** `allocatableMemory.available` is set by the kubelet itself, and accepted. */
const SIGNALS: ReadonlySet<string> = new Set([
  'memory.available',
  'allocatableMemory.available',
  ...['nodefs', 'imagefs', 'containerfs'].flatMap((name) => [`${name}.available`, `${name}.inodesFree`]),
  'pid.available',
]);

type Found = { readonly key: string; readonly message: string };

/** Of `evictionHard` and `evictionSoft`. */
export function thresholdProblems(thresholds: Amount): readonly Found[] {
  return problemsOf(thresholds, (value) => {
    if (value.endsWith('%')) {
      if (value === '0%' || value === '100%') return undefined;
      const percent = percentage(value);
      if (percent === undefined) return `is ${quoted(value)}, which is no percentage`;
      return percent < 0 || percent > 100 ? `must be between 0% and 100%, but is ${value}` : undefined;
    }
    const sign = signOf(value);
    if (typeof sign === 'string') return sign;
    return sign > 0 ? undefined : `must be positive, but is ${value}`;
  });
}

/** Of `evictionMinimumReclaim`. */
export function reclaimProblems(amounts: Amount): readonly Found[] {
  return problemsOf(amounts, (value) => {
    if (value.endsWith('%')) {
      const percent = percentage(value);
      if (percent === undefined) return `is ${quoted(value)}, which is no percentage`;
      return percent > 0 ? undefined : `must be positive, but is ${value}`;
    }
    const sign = signOf(value);
    if (typeof sign === 'string') return sign;
    return sign >= 0 ? undefined : `must not be negative, but is ${value}`;
  });
}

/** Of `evictionSoftGracePeriod`. */
export function gracePeriodProblems(periods: Amount): readonly Found[] {
  return problemsOf(periods, (value) => {
    const period = parseGoDuration(value);
    if (period === undefined) return `is ${quoted(value)}, which is no duration, as 1m30s is`;
    return period < 0n ? `must not be negative, but is ${value}` : undefined;
  });
}

/** Soft thresholds without a grace period. */
export function missingGracePeriods(soft: Amount, periods: Amount): readonly Found[] {
  return Object.entries(soft)
    .filter(([key, value]) => value !== '0%' && value !== '100%' && !Object.hasOwn(periods, key))
    .map(([key]) => ({ key, message: `needs a grace period: evictionSoftGracePeriod has no ${key}` }));
}

function problemsOf(amounts: Amount, problem: (value: string) => string | undefined): readonly Found[] {
  return Object.entries(amounts).flatMap(([key, value]) => {
    if (typeof value !== 'string') return [];
    const message = SIGNALS.has(key) ? problem(value) : 'is no signal of evictions that a kubelet knows';
    return message === undefined ? [] : [{ key, message }];
  });
}

const RESERVABLE: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage', 'pid']);

/** Of `systemReserved` and `kubeReserved`. */
export function reservationProblems(amounts: Amount): readonly Found[] {
  return Object.entries(amounts).flatMap(([key, value]) => {
    if (typeof value !== 'string') return [];
    if (!RESERVABLE.has(key)) {
      return [{ key, message: 'cannot be reserved: only cpu, memory, ephemeral-storage and pid can' }];
    }
    const sign = signOf(value);
    if (typeof sign === 'string') return [{ key, message: sign }];
    return sign < 0 ? [{ key, message: `must not be negative, but is ${value}` }] : [];
  });
}

/** Of `qosReserved`. */
export function qosProblems(amounts: Amount): readonly Found[] {
  return Object.entries(amounts).flatMap(([key, value]) => {
    if (typeof value !== 'string') return [];
    if (key !== 'memory') return [{ key, message: 'cannot be reserved: only memory can' }];
    const percent = /^[+-]?\d+%+$/.test(value) ? Number.parseInt(value, 10) : Number.NaN;
    const isRight = percent >= 0 && percent <= 100;
    return isRight ? [] : [{ key, message: `must be between 0% and 100%, but is ${quoted(value)}` }];
  });
}

/** -1, 0 or 1; a text where it is no quantity. */
export function signOf(value: string): number | string {
  const quantity = parseQuantity(value);
  if ('error' in quantity) return `is ${quoted(value)}, which is no quantity, as 500Mi is`;
  return quantity.digits === 0n ? 0 : quantity.digits < 0n ? -1 : 1;
}

/** Other forms of Go's numbers, as in hexadecimal, are left to the kubelet. */
function percentage(value: string): number | undefined {
  const text = value.replace(/%+$/, '');
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return Number(text);
  return /^[+-]?(?:0x|inf|nan)|_/i.test(text) ? 1 : undefined;
}
