/**
 * The verdict on a config, ours and the real library's, in one format, so that two strings can be compared.
 *
 * Deliberate differences are normalised:
 * - the order of errors, and an error that the library reports at two paths;
 * - values of a wrong type, where the library stops at the first one, with Go's message;
 * - the exact error of a data URL;
 * - special mode bits in configs before 3.4, which the library clears and we keep;
 * - the line number that we add to errors in a unit file.
 */
import type { Problem } from '../../src/base/errors.ts';
import { canonicalJson, isObject } from '../../src/base/json.ts';
import { encodeIgnition, type IgnitionConfig, parseIgnition } from '../../src/config/ignition/index.ts';
import type { Oracle } from './oracle.ts';
import { askToParse, askToValidate, type ReportEntry } from './questions.ts';

const WRONG_TYPES = 'refused for its types';

/** The config as 3.5.0, or its errors, one per line. */
export async function theirVerdict(oracle: Oracle, config: unknown): Promise<string> {
  const [validated, parsed] = await Promise.all([askToValidate(oracle, config), askToParse(oracle, config)]);
  // We validate special mode bits in rendering, not in the format.
  const answer = validated.ok || validated.stage === 'mode' ? parsed : validated;
  if (answer.ok) return canonicalJson(answer.config);
  const errors = answer.report.filter(({ kind }) => kind === 'error');
  if (errors.some(({ message }) => message.startsWith('json: cannot unmarshal'))) return WRONG_TYPES;
  if (errors.length === 0) return `refused: ${answer.error}`;
  return asLines(config, withoutEchoes(errors.map(problemOf)));
}

export function ourVerdict(config: unknown): string {
  const outcome = parseIgnition(config);
  if (outcome.kind === 'ok') return canonicalJson(encodeIgnition(asIgnitionLifts(config, outcome.value)));
  if (outcome.problems.some(({ reason }) => reason === 'FieldValueTypeInvalid')) return WRONG_TYPES;
  return asLines(config, outcome.problems);
}

/** The library clears the special mode bits of configs before 3.4; we keep them, so that those of files are refused later. */
export function asIgnitionLifts(given: unknown, config: IgnitionConfig): IgnitionConfig {
  const version = valueAt(given, 'ignition.version');
  if (typeof version !== 'string' || version >= '3.4') return config;
  const plain = <T extends { readonly mode?: number }>(nodes: readonly T[] | undefined) =>
    nodes?.map((node) => (node.mode === undefined ? node : { ...node, mode: node.mode & 0o777 }));
  const { files, directories, ...storage } = config.storage ?? {};
  return {
    ...config,
    storage: {
      ...storage,
      ...(files && { files: plain(files) }),
      ...(directories && { directories: plain(directories) }),
    } as NonNullable<IgnitionConfig['storage']>,
  };
}

/**
 * Whether two verdicts are the same. If one of them stopped because of types it suffices that both refuse; the same
 * holds with `onlyTheOutcome`.
 */
export function verdictsAgree(theirs: string, ours: string, precision?: 'onlyTheOutcome'): boolean {
  if (theirs === ours) return true;
  const isCoarse = precision !== undefined || theirs === WRONG_TYPES || ours === WRONG_TYPES;
  return isCoarse && !isConfig(theirs) && !isConfig(ours);
}

function isConfig(verdict: string): boolean {
  return verdict.startsWith('{');
}

/** `['storage', 'files', 0]` → `storage.files[0]`. */
export function pathText(steps: readonly (string | number)[] = []): string {
  return steps.map((step, index) => (typeof step === 'number' ? `[${step}]` : dotted(step, index))).join('');
}

function dotted(step: string, index: number): string {
  return index === 0 ? step : `.${step}`;
}

function problemOf({ path, message }: ReportEntry): Problem {
  return { path: pathText(path), message };
}

/**
 * The library also reports an invalid source at its parent, and an invalid key file at a key that does not
 * exist.
 */
function withoutEchoes(problems: readonly Problem[]): readonly Problem[] {
  const reported = new Set(problems.map(({ path, message }) => `${path}: ${message}`));
  return problems.filter(
    ({ path, message }) =>
      !reported.has(`${path}.source: ${message}`) && message !== 'invalid key-file source',
  );
}

function asLines(config: unknown, problems: readonly Problem[]): string {
  const [first] = problems;
  if (first?.path === 'ignition.version' && problems.length === 1) return `refused: ${first.message}`;
  const lines = problems.map(({ path, message }) => `${path}: ${plainMessage(config, path, message)}`);
  return [...new Set(lines)].sort().join('\n');
}

function plainMessage(config: unknown, path: string, message: string): string {
  if (message.startsWith('invalid unit content')) return message.replace(/ \(line \d+\)$/, '');
  const value = valueAt(config, path);
  return typeof value === 'string' && /^data:/i.test(value) ? 'is no data URL' : message;
}

function valueAt(config: unknown, path: string): unknown {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
  return steps.reduce<unknown>((value, step) => {
    if (Array.isArray(value)) return value[Number(step)];
    return isObject(value) ? value[step] : undefined;
  }, config);
}
