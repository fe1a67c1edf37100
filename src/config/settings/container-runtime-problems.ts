/**
 * What is wrong with a ContainerRuntimeConfig, in the words that its conditions carry.
 */
import type { ContainerRuntimeConfigSpec } from '../../api/index.ts';
import type { Problem } from '../../base/errors.ts';
import { parseQuantity, type Quantity, quoted, readQuantity } from '../../base/text/index.ts';

export type RuntimeSettings = ContainerRuntimeConfigSpec['containerRuntimeConfig'];

const MIN_PIDS = 20;
/** The largest number that CRI-O has room for. */
const MAX_NUMBER = 2n ** 63n - 1n;
/** CRI-O reads this much of a log at once. */
const MIN_LOG_BYTES = 8192n;
const LOG_LEVELS = ['error', 'fatal', 'panic', 'warn', 'info', 'debug', 'trace'];
const RUNTIMES = ['crun', 'runc'];

/** The first one is what the object says. */
export function containerRuntimeProblems(settings: RuntimeSettings): readonly Problem[] {
  return [...settingProblems(settings), ...storeProblems(settings)];
}

function* settingProblems(settings: RuntimeSettings): Generator<Problem> {
  const { pidsLimit, logSizeMax, overlaySize, logLevel = '', defaultRuntime = '' } = settings;
  const isPids = pidsLimit === undefined || pidsLimit === 0 || pidsLimit >= MIN_PIDS;
  if (!isPids || !isWhole(pidsLimit ?? 0)) {
    yield at('pidsLimit', `invalid PidsLimit ${pidsLimit}`);
  }
  const log = amountOf(logSizeMax);
  if (log !== undefined && log.bytes > 0n && log.bytes <= MIN_LOG_BYTES) {
    yield at('logSizeMax', `invalid LogSizeMax ${quoted(log.text)}, cannot be less than 8kB`);
  }
  const overlay = amountOf(overlaySize);
  if (overlay !== undefined && overlay.bytes < 0n) {
    yield at('overlaySize', `invalid overlaySize ${quoted(overlay.text)}, cannot be less than 0`);
  }
  if (logLevel !== '' && !LOG_LEVELS.includes(logLevel)) {
    const message = `invalid LogLevel ${quoted(logLevel)}, must be one of error, fatal, panic, warn, info, debug, or trace`;
    yield at('logLevel', message);
  }
  if (defaultRuntime !== '' && !RUNTIMES.includes(defaultRuntime)) {
    yield at('defaultRuntime', `invalid DefaultRuntime ${quoted(defaultRuntime)}, must be one of crun, runc`);
  }
}

/** And CRI-O has room for it. */
function isWhole(value: number): boolean {
  return Number.isInteger(value) && BigInt(value) <= MAX_NUMBER;
}

const STORES = ['additionalArtifactStores', 'additionalImageStores', 'additionalLayerStores'] as const;

/** As the server says it; here too because what is written ends up in a file that decides whether CRI-O starts. */
function* storeProblems(settings: RuntimeSettings): Generator<Problem> {
  for (const field of STORES) {
    for (const { path } of settings[field] ?? []) {
      if (!/^\/[a-zA-Z0-9/._-]+$/.test(path)) {
        const allowed = "alphanumeric characters, '/', '.', '_', and '-'";
        yield at(field, `path must be absolute and contain only ${allowed}`);
      } else if (path.includes('//')) yield at(field, 'path must not contain consecutive forward slashes');
    }
  }
}

/** In bytes, rounded up, and as the server writes it; undefined where there is none. */
type Amount = { readonly bytes: bigint; readonly text: string };

export function amountOf(given: string | number | undefined): Amount | undefined {
  if (given === undefined) return undefined;
  const read = readQuantity(given, { atLeastMilli: false });
  const quantity = parseQuantity(String(given));
  // The schema lets nothing else through.
  if (read.kind === 'failed' || 'error' in quantity) return undefined;
  return { bytes: wholeBytes(quantity), text: read.text };
}

function wholeBytes({ digits, scale }: Quantity): bigint {
  const unit = 10n ** BigInt(scale);
  const whole = digits / unit;
  const isExact = digits % unit === 0n;
  const rounded = isExact || digits < 0n ? whole : whole + 1n;
  return rounded > MAX_NUMBER ? MAX_NUMBER : rounded;
}

function at(field: string, message: string): Problem {
  return { path: `spec.containerRuntimeConfig.${field}`, message };
}
