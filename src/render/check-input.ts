/**
 * Are these objects what their kinds say? A cluster has checked them already; a folder of files has not.
 */
import {
  type AnyKind,
  type MachineConfig,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
} from '../api/index.ts';
import { invalid, type Outcome, ok, type Problem } from '../errors.ts';
import { isObject, own } from '../json.ts';
import { applyDefaults, validate } from '../validation/index.ts';
import type { RenderInput, SourceProblem } from './rendering.ts';

export type CheckedInput =
  | { readonly kind: 'ok'; readonly input: RenderInput }
  | { readonly kind: 'invalid'; readonly problems: readonly SourceProblem[] };

/** The input as a server would store it: checked, and with `null` for "nothing" taken out. */
export function checkInput(input: RenderInput): CheckedInput {
  const pool = stored<MachineConfigPool>(machineConfigPoolKind, input.pool);
  const sources = input.machineConfigs.map(storedSource);
  const current = input.current === undefined ? undefined : storedSource(input.current);
  const problems = [
    ...(pool.kind === 'invalid' ? pool.problems : []),
    ...[...sources, ...(current === undefined ? [] : [current])].flatMap((one) =>
      one.kind === 'invalid' ? one.problems : [],
    ),
  ];
  if (pool.kind === 'invalid' || problems.length > 0) return { kind: 'invalid', problems };
  return {
    kind: 'ok',
    input: {
      ...input,
      pool: pool.value,
      machineConfigs: sources.flatMap((one) => (one.kind === 'ok' ? [one.value] : [])),
      ...(current?.kind === 'ok' && { current: current.value }),
    },
  };
}

const checked = new WeakMap<object, Outcome<MachineConfig>>();

/** Objects do not change once they are read, so each is looked at once however often it is rendered. */
function storedSource(source: MachineConfig): Outcome<MachineConfig> {
  const known = isObject(source) ? checked.get(source) : undefined;
  if (known !== undefined) return known;
  const outcome = withSource(stored<MachineConfig>(machineConfigKind, source), nameOf(source));
  if (isObject(source)) checked.set(source, outcome);
  return outcome;
}

function stored<T>(kind: AnyKind, object: unknown): Outcome<T> {
  const value = applyDefaults(kind.schema, object);
  const problems = [...metadataProblems(value), ...validate(kind.schema, value)];
  // The schema and the check of the metadata above have just shown that it is one.
  return problems.length === 0 ? ok(value as T) : invalid(problems);
}

function withSource<T>(outcome: Outcome<T>, source: string | undefined): Outcome<T> {
  if (outcome.kind === 'ok' || source === undefined) return outcome;
  return invalid(outcome.problems.map((problem): SourceProblem => ({ ...problem, source })));
}

function nameOf(object: unknown): string | undefined {
  const metadata = isObject(object) ? own(object, 'metadata') : undefined;
  const name = isObject(metadata) ? own(metadata, 'name') : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** What the schema of a kind leaves open: the parts of metadata that rendering rests on. */
function metadataProblems(object: unknown): readonly Problem[] {
  const metadata = isObject(object) ? own(object, 'metadata') : undefined;
  if (!isObject(metadata)) {
    return [{ path: 'metadata', message: 'Required value', reason: 'FieldValueRequired' }];
  }
  const problems: Problem[] = [];
  if (!nameOf(object)) {
    const message = 'Required value: name is required';
    problems.push({ path: 'metadata.name', message, reason: 'FieldValueRequired' });
  }
  for (const field of ['labels', 'annotations']) {
    const value = own(metadata, field) ?? {};
    const isTextMap = isObject(value) && Object.values(value).every((item) => typeof item === 'string');
    if (!isTextMap) {
      const message = 'must be a map of strings; put numbers and booleans in quotes';
      problems.push({ path: `metadata.${field}`, message, reason: 'FieldValueTypeInvalid' });
    }
  }
  return problems;
}
