/**
 * Validation of a ContainerRuntimeConfig, with the messages of its conditions.
 */
import type { ContainerRuntimeConfigSpec } from '../../api/index.ts';
import type { Problem } from '../../base/errors.ts';
import { parseQuantity, type Quantity, quoted, readQuantity } from '../../base/text/index.ts';

export type RuntimeSettings = ContainerRuntimeConfigSpec['containerRuntimeConfig'];

const MIN_PIDS = 20;
/** The largest value that CRI-O can store. */
const MAX_NUMBER = 2n ** 63n - 1n;
/** CRI-O reads logs in chunks of this size. */
const MIN_LOG_BYTES = 8192n;
const LOG_LEVELS = ['error', 'fatal', 'panic', 'warn', 'info', 'debug', 'trace'];
const RUNTIMES = ['crun', 'runc'];

/** The first problem becomes the message of the condition. */
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

function isWhole(value: number): boolean {
  return Number.isInteger(value) && BigInt(value) <= MAX_NUMBER;
}

const STORES = ['additionalArtifactStores', 'additionalImageStores', 'additionalLayerStores'] as const;

/**
 * Also checked by the API server; repeated here because the value ends up in a file without which CRI-O does not
 * start.
 */
function* storeProblems(settings: RuntimeSettings): Generator<Problem> {
  for (const field of STORES) {
    for (const { path } of settings[field] ?? []) {
      const problem = storePathProblem(path);
      if (path === '') yield at(field, `invalid ${field}: path must not be empty`);
      else if (problem !== undefined) yield at(field, `invalid ${field} path ${quoted(path)}: ${problem}`);
    }
  }
}

function storePathProblem(path: string): string | undefined {
  if (!/^\/[a-zA-Z0-9/._-]+$/.test(path)) {
    return "must be an absolute path containing only alphanumeric characters, '/', '.', '_', and '-'";
  }
  return path.includes('//') ? 'must not contain consecutive forward slashes' : undefined;
}

/** In bytes, rounded up, and in canonical form; undefined where it is not set. */
type Amount = { readonly bytes: bigint; readonly text: string };

export function amountOf(given: string | number | undefined): Amount | undefined {
  if (given === undefined) return undefined;
  const read = readQuantity(given, { atLeastMilli: false });
  const quantity = parseQuantity(String(given));
  // The schema admits nothing else.
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
