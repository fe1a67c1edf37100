/**
 * The scale subresource of custom resources, at the paths that the CRD defines.
 */
import type { Problem } from '../../base/errors.ts';
import { isJsonObject, isObject, type Json, type JsonObject } from '../../base/json.ts';
import { goType, isWhole, numeral, quoted } from '../../base/text/index.ts';
import { invalid } from '../resources/index.ts';
import type { ScalePaths } from './crd.ts';

/** `hasReplicas`: whether `spec.replicas` is set. */
type ReadScale =
  | { readonly kind: 'scale'; readonly scale: JsonObject; readonly hasReplicas: boolean }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * The Scale of an object. Reading the Scale of an object without replicas is a 500 with the text of {@link
 * missingReplicas}.
 */
export function scaleOf(object: JsonObject, paths: ScalePaths): ReadScale {
  const wanted = numberAt(object, paths.specReplicasPath);
  const present = numberAt(object, paths.statusReplicasPath);
  const { labelSelectorPath = '' } = paths;
  const selector = labelSelectorPath === '' ? NOTHING : textAt(object, labelSelectorPath);
  if (wanted.kind === 'error') return { kind: 'failed', message: wanted.error };
  if (present.kind === 'error') return { kind: 'failed', message: present.error };
  if (selector.kind === 'error') return { kind: 'failed', message: selector.error };
  const replicas = wanted.value;
  const scale = {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: scaleMetadata(object),
    // Go omits a zero in the spec, but not in the status.
    spec: replicas === undefined || replicas === 0 ? {} : { replicas },
    status: { replicas: present.value ?? 0, ...(selector.value ? { selector: selector.value } : {}) },
  };
  return { kind: 'scale', scale, hasReplicas: replicas !== undefined };
}

const NOTHING = { kind: 'read', value: undefined } as const;

export function missingReplicas({ specReplicasPath }: ScalePaths): string {
  return `the spec replicas field ${quoted(specReplicasPath)} does not exist`;
}

/** The replicas of an object without any in an update, to detect whether a patch sets them. */
const UNSET_REPLICAS = -2_147_483_648;

/** The Scale that an update starts from. */
export function scaleToUpdate(object: JsonObject, paths: ScalePaths): ReadScale {
  const read = scaleOf(object, paths);
  if (read.kind === 'failed' || read.hasReplicas) return read;
  return { ...read, scale: { ...read.scale, spec: { replicas: UNSET_REPLICAS } } };
}

type Scaled =
  | { readonly kind: 'scaled'; readonly object: JsonObject }
  /** `badRequest`: a 400, otherwise a 500. */
  | { readonly kind: 'rejected'; readonly message: string; readonly badRequest: boolean };

/** The object with the replicas of a Scale. A resourceVersion of the Scale becomes a precondition. */
export function withScale(object: JsonObject, scale: JsonObject, paths: ScalePaths): Scaled {
  const replicas = isObject(scale.spec) ? (scale.spec.replicas ?? 0) : 0;
  if (replicas === UNSET_REPLICAS) {
    const message = `the spec replicas field ${quoted(paths.specReplicasPath)} cannot be empty`;
    return { kind: 'rejected', message, badRequest: true };
  }
  // Decoding the Scale has validated that this is a number.
  const changed = put(object, stepsOf(paths.specReplicasPath), Number(replicas), '');
  if ('error' in changed) return { kind: 'rejected', message: changed.error, badRequest: false };
  const version = isObject(scale.metadata) ? scale.metadata.resourceVersion : undefined;
  if (typeof version !== 'string' || version === '') return { kind: 'scaled', object: changed.object };
  const { metadata } = changed.object;
  const merged = { ...(isObject(metadata) ? (metadata as JsonObject) : {}), resourceVersion: version };
  return { kind: 'scaled', object: { ...changed.object, metadata: merged } };
}

export function scaleSpecProblems(object: JsonObject, { specReplicasPath }: ScalePaths): readonly Problem[] {
  return replicasProblems(object, specReplicasPath);
}

/** Problems with the replicas and the selector in the status. */
export function scaleStatusProblems(object: JsonObject, paths: ScalePaths): readonly Problem[] {
  const { statusReplicasPath, labelSelectorPath } = paths;
  const selector = labelSelectorPath === undefined ? NOTHING : textAt(object, labelSelectorPath);
  return [
    ...replicasProblems(object, statusReplicasPath),
    ...(selector.kind === 'error' ? [invalid(labelSelectorPath ?? '', '""', selector.error)] : []),
  ];
}

const MAX_INT32 = 2_147_483_647;

/** The field is the JSON path itself, with its leading dot. */
function replicasProblems(object: JsonObject, path: string): readonly Problem[] {
  const read = numberAt(object, path);
  if (read.kind === 'error') return [invalid(path, '0', read.error)];
  const { value = 0 } = read;
  if (value < 0) return [invalid(path, numeral(value), 'should be a non-negative integer')];
  if (value <= MAX_INT32) return [];
  return [invalid(path, numeral(value), `should be less than or equal to ${MAX_INT32}`)];
}

/** `.spec.replicas` → spec, replicas. Such paths have no other syntax. */
function stepsOf(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.');
}

type Read<T> =
  | { readonly kind: 'read'; readonly value: T | undefined }
  | { readonly kind: 'error'; readonly error: string };

function numberAt(object: JsonObject, path: string): Read<number> {
  const read = valueAt(object, stepsOf(path));
  if (read.kind === 'error') return read;
  const { value } = read;
  if (value === undefined || (typeof value === 'number' && isWhole(value))) return { kind: 'read', value };
  return accessError(stepsOf(path), value, 'int64');
}

function textAt(object: JsonObject, path: string): Read<string> {
  const read = valueAt(object, stepsOf(path));
  if (read.kind === 'error') return read;
  const { value } = read;
  if (value === undefined || typeof value === 'string') return { kind: 'read', value };
  return accessError(stepsOf(path), value, 'string');
}

function valueAt(object: JsonObject, steps: readonly string[]): Read<Json> {
  let at: Json | undefined = object;
  for (const [index, step] of steps.entries()) {
    if (at === undefined || at === null) return { kind: 'read', value: undefined };
    if (!isJsonObject(at)) return accessError(steps.slice(0, index + 1), at, 'map[string]interface{}');
    at = Object.hasOwn(at, step) ? at[step] : undefined;
  }
  return { kind: 'read', value: at };
}

function accessError(steps: readonly string[], value: Json, wanted: string): Read<never> {
  const type = value === null ? '<nil>' : goType(value);
  const what = `${plain(value)} is of the type ${type}, expected ${wanted}`;
  return { kind: 'error', error: `.${steps.join('.')} accessor error: ${what}` };
}

/** As Go prints a value without quotes. */
function plain(value: Json): string {
  if (value === null) return '<nil>';
  if (typeof value === 'number') return numeral(value);
  if (Array.isArray(value)) return `[${value.map(plain).join(' ')}]`;
  if (!isJsonObject(value)) return String(value);
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `map[${entries.map(([key, item]) => `${key}:${plain(item)}`).join(' ')}]`;
}

type Put = { readonly object: JsonObject } | { readonly error: string };

function put(object: JsonObject, [step = '', ...rest]: readonly string[], value: Json, path: string): Put {
  if (rest.length === 0) return { object: { ...object, [step]: value } };
  const child = Object.hasOwn(object, step) ? object[step] : {};
  const at = `${path}.${step}`;
  if (!isObject(child)) return { error: `value cannot be set because ${at} is not a map[string]interface{}` };
  const changed = put(child as JsonObject, rest, value, at);
  return 'error' in changed ? changed : { object: { ...object, [step]: changed.object } };
}

/** A Scale has the identity of its object, but not its labels. */
function scaleMetadata({ metadata }: JsonObject): JsonObject {
  if (!isObject(metadata)) return {};
  const kept = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'];
  return Object.fromEntries(Object.entries(metadata as JsonObject).filter(([key]) => kept.includes(key)));
}
