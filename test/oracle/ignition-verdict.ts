/**
 * What we and the real library say of a config, in one form, so that two strings can be compared.
 *
 * Some words are ours on purpose, and the form leaves them out:
 * - the order of problems, and a problem that the library reports at two places;
 * - values of a wrong type, where the library gives up at the first one, in the words of Go;
 * - what exactly is broken in a data URL;
 * - the line that we add to what is wrong in a unit file.
 */
import type { Problem } from '../../src/base/errors.ts';
import { canonicalJson, isObject } from '../../src/base/json.ts';
import { encodeIgnition, parseIgnition } from '../../src/config/ignition/index.ts';
import type { Oracle } from './oracle.ts';
import { askToParse, askToValidate, type ReportEntry } from './questions.ts';

const WRONG_TYPES = 'refused for its types';

/** The config as 3.5.0, or what is wrong with it, a line for each problem. */
export async function theirVerdict(oracle: Oracle, config: unknown): Promise<string> {
  const [validated, parsed] = await Promise.all([askToValidate(oracle, config), askToParse(oracle, config)]);
  // Special mode bits are a matter of rendering for us, not of the format.
  const answer = validated.ok || validated.stage === 'mode' ? parsed : validated;
  if (answer.ok) return canonicalJson(answer.config);
  const errors = answer.report.filter(({ kind }) => kind === 'error');
  if (errors.some(({ message }) => message.startsWith('json: cannot unmarshal'))) return WRONG_TYPES;
  if (errors.length === 0) return `refused: ${answer.error}`;
  return asLines(config, withoutEchoes(errors.map(problemOf)));
}

export function ourVerdict(config: unknown): string {
  const outcome = parseIgnition(config);
  if (outcome.kind === 'ok') return canonicalJson(encodeIgnition(outcome.value));
  if (outcome.problems.some(({ reason }) => reason === 'FieldValueTypeInvalid')) return WRONG_TYPES;
  return asLines(config, outcome.problems);
}

/**
 * Whether two verdicts are the same. Where one of them gave up because of types it is enough that both
 * refuse; so it is with `onlyTheOutcome`.
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

/** The library reports a bad source also at what holds it, and a bad key file also at a key that is none. */
function withoutEchoes(problems: readonly Problem[]): readonly Problem[] {
  const said = new Set(problems.map(({ path, message }) => `${path}: ${message}`));
  return problems.filter(
    ({ path, message }) => !said.has(`${path}.source: ${message}`) && message !== 'invalid key-file source',
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
