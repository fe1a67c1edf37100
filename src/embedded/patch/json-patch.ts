/**
 * JSON patch (RFC 6902) as kube-apiserver applies it. It is more lenient than the RFC: `replace` adds a missing field,
 * `copy` of a missing field gives null, indexes may be negative. Limits and messages are kube-apiserver's.
 */
import type { Problem } from '../../base/errors.ts';
import { byteLength, isJsonObject, isObject, type Json } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';
import { badRequest, requestEntityTooLarge, type StatusError, unprocessable } from '../status/index.ts';
import { CopyOnWriteDocument } from './copy-on-write.ts';
import { addChild, childOf, removeChild, setChild } from './json-pointer.ts';
import {
  goJson,
  isJsonList,
  jsonTypeName,
  sameJson,
  traversalError,
  uncachedTraversalError,
} from './json-values.ts';
import { type Patched, patched } from './patched.ts';

export const MAX_OPERATIONS = 10_000;
/** The limit of what `copy` operations may add to a document in total. */
export const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/** Warnings name unknown fields of operations, which strict field validation rejects. */
export function applyJsonPatch(document: Json, patch: unknown): Patched<Json> {
  const rejected = traversalError('the document', document) ?? traversalError('the patch', patch);
  if (rejected !== undefined) return rejected;
  if (!isJsonList(document) && !isJsonObject(document)) {
    const found = document === null ? 'null' : jsonTypeName(document);
    return unprocessable(`json: cannot unmarshal ${found} into Go value of type jsonpatch.partialDoc`);
  }
  const operations = operationsOf(patch);
  if (operations.kind === 'error') return operations;
  const count = operations.value.length;
  if (count > MAX_OPERATIONS) {
    return requestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${count}`,
    );
  }
  const draft = new CopyOnWriteDocument(document);
  const budget = { copiedBytes: 0 };
  for (const operation of operations.value) {
    const failure = perform(draft, operation, budget);
    if (failure !== undefined) return unprocessable(failure);
  }
  return traversalError('the patched document', draft.root) ?? patched(draft.root, operations.warnings);
}

type Operation = {
  readonly op: string;
  readonly path: string | undefined;
  readonly from: string | undefined;
  /** Absent counts as null, except for `test`. */
  readonly value: Json | undefined;
};

type Budget = { copiedBytes: number };

const TEXT_FIELDS = ['op', 'path', 'from'] as const;
const FIELDS: ReadonlySet<string> = new Set([...TEXT_FIELDS, 'value']);

function operationsOf(patch: unknown): Patched<readonly Operation[]> {
  if (patch === null) return patched([]);
  if (!Array.isArray(patch)) return undecodable(patch, 'value of type []handlers.jsonPatchOp');
  const operations: Operation[] = [];
  const warnings: Problem[] = [];
  for (const [index, item] of patch.entries()) {
    if (item !== null && !isObject(item)) return undecodable(item, 'value of type handlers.jsonPatchOp');
    // The check above ensures that it is JSON; null counts as an empty operation.
    const fields: { readonly [name: string]: Json } = item ?? {};
    const mistyped = TEXT_FIELDS.find((name) => !isTextOrAbsent(fields, name));
    if (mistyped !== undefined) {
      return undecodable(fields[mistyped], `struct field jsonPatchOp.${mistyped} of type string`);
    }
    for (const name of Object.keys(fields).filter((one) => !FIELDS.has(one))) {
      warnings.push({ path: '', message: `json patch unknown field ${quoted(`[${index}].${name}`)}` });
    }
    operations.push({
      op: textOf(fields, 'op') ?? 'unknown',
      path: textOf(fields, 'path'),
      from: textOf(fields, 'from'),
      value: Object.hasOwn(fields, 'value') ? fields.value : undefined,
    });
  }
  return patched(operations, warnings);
}

function isTextOrAbsent(fields: { readonly [name: string]: Json }, name: string): boolean {
  return !Object.hasOwn(fields, name) || fields[name] === null || typeof fields[name] === 'string';
}

function textOf(fields: { readonly [name: string]: Json }, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function undecodable(value: unknown, into: string): StatusError {
  return badRequest(`error decoding patch: json: cannot unmarshal ${jsonTypeName(value)} into Go ${into}`);
}

/** The message of the failure, if any. */
function perform(draft: CopyOnWriteDocument, operation: Operation, budget: Budget): string | undefined {
  switch (operation.op) {
    case 'add':
      return add(draft, operation);
    case 'remove':
      return remove(draft, operation);
    case 'replace':
      return replace(draft, operation);
    case 'move':
      return move(draft, operation);
    case 'copy':
      return copy(draft, operation, budget);
    case 'test':
      return test(draft, operation);
    default:
      return `Unexpected kind: ${operation.op}`;
  }
}

function add(draft: CopyOnWriteDocument, { path, value }: Operation): string | undefined {
  if (path === undefined) return 'add operation failed to decode path: missing value';
  const location = draft.resolveForWrite(path);
  if (location === undefined) {
    return `add operation does not apply: doc is missing path: "${path}": missing value`;
  }
  return prefixed(
    `error in add for path: '${path}'`,
    addChild(location.container, location.key, value ?? null),
  );
}

function remove(draft: CopyOnWriteDocument, { path }: Operation): string | undefined {
  if (path === undefined) return 'remove operation failed to decode path: missing value';
  const location = draft.resolveForWrite(path);
  if (location === undefined) {
    return `remove operation does not apply: doc is missing path: "${path}": missing value`;
  }
  return prefixed(`error in remove for path: '${path}'`, removeChild(location.container, location.key));
}

function replace(draft: CopyOnWriteDocument, { path, value }: Operation): string | undefined {
  if (path === undefined) return `replace operation failed to decode path: ${NO_PATH}`;
  if (path === '') {
    // A scalar in place of the whole document is ignored silently.
    if (isJsonObject(value) || isJsonList(value)) draft.root = value;
    return undefined;
  }
  const location = draft.resolveForWrite(path);
  if (location === undefined)
    return `replace operation does not apply: doc is missing path: ${path}: missing value`;
  if ('failure' in childOf(location.container, location.key)) {
    return `replace operation does not apply: doc is missing key: ${path}: missing value`;
  }
  setChild(location.container, location.key, value ?? null);
  return undefined;
}

function move(draft: CopyOnWriteDocument, { from, path }: Operation): string | undefined {
  if (from === undefined) return `move operation failed to decode from: ${NO_FROM}`;
  const source = draft.resolveForWrite(from);
  if (source === undefined) {
    return `move operation does not apply: doc is missing from path: ${from}: missing value`;
  }
  const found = childOf(source.container, source.key);
  const failure = 'failure' in found ? found.failure : removeChild(source.container, source.key);
  if (failure !== undefined) return `error in move for path: '${source.key}': ${failure}`;
  if (path === undefined) return `move operation failed to decode path: ${NO_PATH}`;
  const target = draft.resolveForWrite(path);
  if (target === undefined) {
    return `move operation does not apply: doc is missing destination path: ${path}: missing value`;
  }
  const value = 'value' in found ? (found.value ?? null) : null;
  return prefixed(`error in move for path: '${path}'`, addChild(target.container, target.key, value));
}

function copy(draft: CopyOnWriteDocument, { from, path }: Operation, budget: Budget): string | undefined {
  if (from === undefined) return `copy operation failed to decode from: ${NO_FROM}`;
  const source = draft.resolve(from);
  if (source === undefined) {
    return `copy operation does not apply: doc is missing from path: ${from}: missing value`;
  }
  const found = childOf(source.container, source.key);
  if ('failure' in found) return `error in copy for from: '${from}': ${found.failure}`;
  if (path === undefined) return 'copy operation failed to decode path: missing value';
  const target = draft.resolveForWrite(path);
  if (target === undefined) {
    return `copy operation does not apply: doc is missing destination path: ${path}: missing value`;
  }
  const value = found.value ?? null;
  const tooDeep = uncachedTraversalError('the value to copy', value);
  if (tooDeep !== undefined) return tooDeep.message;
  if (value !== null) budget.copiedBytes += byteLength(goJson(value));
  if (budget.copiedBytes > MAX_COPIED_BYTES) {
    return `Unable to complete the copy, the accumulated size increase of copy is ${budget.copiedBytes}, exceeding the limit ${MAX_COPIED_BYTES}`;
  }
  // A separate copy, because the document is edited in place.
  return prefixed(
    'error while adding value during copy',
    addChild(target.container, target.key, structuredClone(value)),
  );
}

function test(draft: CopyOnWriteDocument, { path, value }: Operation): string | undefined {
  if (path === undefined) return `test operation failed to decode path: ${NO_PATH}`;
  const failed = `testing value ${path} failed: test failed`;
  if (path === '') return sameJson(draft.root, value) ? undefined : failed;
  const location = draft.resolve(path);
  if (location === undefined) return `test operation does not apply: is missing path: ${path}: missing value`;
  const found = childOf(location.container, location.key);
  if ('failure' in found) return `error in test for path: '${path}': ${found.failure}`;
  return sameJson(found.value ?? null, value ?? null) ? undefined : failed;
}

const NO_PATH = 'operation missing path field: missing value';
const NO_FROM = 'operation, missing from field: missing value';

function prefixed(prefix: string, failure: string | undefined): string | undefined {
  return failure === undefined ? undefined : `${prefix}: ${failure}`;
}
