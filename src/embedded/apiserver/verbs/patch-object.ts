/** `PATCH` in one of the four patch types. */

import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import { duplicateKeys, quoted, readJson } from '../../../base/text/index.ts';
import { apiVersionOf } from '../../../kubernetes/meta/index.ts';
import {
  apply,
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  managerName,
  type Patched,
  printed,
} from '../../patch/index.ts';
import type { Resource } from '../../resources/index.ts';
import { badRequest, invalid, type StatusError, statusError } from '../../status/index.ts';
import type { Call } from '../call.ts';
import { nowText, type ServerContext } from '../server-context.ts';
import { givenKind, kindFit } from './body-kind.ts';
import { type DecodeOptions, decodeBody } from './decode-body.ts';
import { guaranteedUpdate, type UpdatedObject, type UpdateResult } from './guaranteed-update.ts';
import { type WriteOptions, writeOptions } from './query-options.ts';
import { checkDepth, readYaml, repeatedText } from './read-body.ts';

const PATCH_TYPES = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
} as const;

type PatchType = (typeof PATCH_TYPES)[keyof typeof PATCH_TYPES];

export async function patchFromBody(server: ServerContext, call: Call): Promise<UpdateResult> {
  const { resource, request, query, user, warnings, info } = call;
  const patchType = patchTypeOf(call);
  const options = writeOptions(query, 'PatchOptions');
  checkForce(call, patchType, options);
  const { patch, duplicates } = readPatch(request.body, patchType, options, warnings);
  const agent = request.headers['user-agent'] ?? '';
  return guaranteedUpdate(server, {
    resource,
    user,
    subresource: info.subresource,
    namespace: resource.scope === 'Namespaced' ? info.namespace : '',
    name: info.name,
    isDryRun: options.isDryRun,
    sentBytes: request.body.length,
    manager: managerName(options.fieldManager, agent),
    mayCreate: patchType === 'apply' && info.subresource === '',
    updatedObject: (live) =>
      patchType === 'apply'
        ? appliedObject(server, call, { live, patch, options })
        : patchedObject(call, patchType, { live: live ?? {}, patch, duplicates, options }),
    warnings,
  });
}

export function patchTypeOf({ request, resource }: Call): PatchType {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  const patchType = Object.entries(PATCH_TYPES).find(([name]) => name === type.trim().toLowerCase())?.[1];
  if (patchType === undefined) {
    const message = '415: Unsupported Media Type';
    throw statusError({ code: 415, reason: 'UnsupportedMediaType', message, details: {} });
  }
  if (patchType === 'strategic' && resource.origin === 'custom') {
    const types = Object.keys(PATCH_TYPES).filter((name) => !name.includes('strategic'));
    const message = `the body of the request was in an unknown format - accepted media types include: ${types.join(', ')}`;
    throw statusError({ code: 415, reason: 'UnsupportedMediaType', message });
  }
  return patchType;
}

function checkForce({ query }: Call, patchType: PatchType, { fieldManager }: WriteOptions): void {
  const options = { group: 'meta.k8s.io', kind: 'PatchOptions' };
  if (patchType === 'apply' && fieldManager === '') {
    const message = 'Required value: is required for apply patch';
    throw invalid(options, '', [{ path: 'fieldManager', message, reason: 'FieldValueRequired' }]);
  }
  if (patchType !== 'apply' && query.has('force')) {
    const message = 'Forbidden: may not be specified for non-apply patch';
    throw invalid(options, '', [{ path: 'force', message, reason: 'FieldValueForbidden' }]);
  }
}

export function readPatch(
  body: Uint8Array,
  patchType: PatchType,
  { fieldValidation }: WriteOptions,
  warnings: string[],
): PatchRead {
  if (patchType === 'apply')
    return { patch: readApplyPatch(body, fieldValidation, warnings), duplicates: [] };
  const read = readJson(body);
  if (read.kind === 'mistake') throw badRequest(`error decoding patch: ${read.message}`);
  return { patch: read.value, duplicates: duplicateKeys(body, checkDepth(read.value)) };
}

type PatchRead = {
  readonly patch: Json;
  /** Duplicate keys of the patch; reported once it was applied. */
  readonly duplicates: readonly string[];
};

function readApplyPatch(
  body: Uint8Array,
  fieldValidation: WriteOptions['fieldValidation'],
  warnings: string[],
): Json {
  const json = readJson(body);
  // Most clients send JSON, which parses much faster. The two differ only on duplicate keys.
  if (json.kind === 'json' && duplicateKeys(body, checkDepth(json.value)).length === 0) return json.value;
  const read = readYaml(body);
  if (read.kind === 'json') {
    const { repeated = [] } = read;
    if (repeated.length > 0 && fieldValidation === 'Strict') {
      throw badRequest(
        `error strict decoding YAML: error converting YAML to JSON: ${repeatedText(repeated)}`,
      );
    }
    if (fieldValidation === 'Warn') warnings.push(...repeated);
    return read.value;
  }
  throw badRequest(`error decoding YAML: error converting YAML to JSON: ${yamlText(body, read.message)}`);
}

/** The message of kube-apiserver's parser for the most common error, a truncated text. */
function yamlText(body: Uint8Array, message: string): string {
  const text = new TextDecoder().decode(body);
  if (/[{[,]\s*$/.test(text)) {
    return `yaml: line ${text.trimEnd().split('\n').length}: did not find expected node content`;
  }
  return `yaml: ${message}`;
}

type PatchInput = {
  readonly live: JsonObject | undefined;
  readonly patch: Json;
  readonly duplicates?: readonly string[];
  readonly options: WriteOptions;
};

function appliedObject(
  server: ServerContext,
  { resource, info, query, warnings }: Call,
  input: PatchInput,
): UpdatedObject {
  const { live, patch, options } = input;
  const { subresource } = info;
  const { strategy } = resource;
  const merged = unwrap(
    apply({
      schema: resource.schema,
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      manager: options.fieldManager,
      ...(subresource === '' ? {} : { subresource }),
      resetFields:
        subresource === '' ? strategy.resetFields : (strategy.subresources[subresource]?.resetFields ?? []),
      now: nowText(server),
      live,
      applied: patch,
      force: query.flag('force'),
    }),
  );
  if (strategy.setDefaultsAfterApply !== undefined) {
    return { object: strategy.setDefaultsAfterApply(merged), hasManagedFields: true };
  }
  const toError = (why: string) => badRequest(why);
  const object = decodeBody(resource, { value: merged, duplicates: [] }, { ...options, toError, warnings });
  return { object, hasManagedFields: true };
}

export function patchedObject(
  { resource, warnings }: Call,
  patchType: Exclude<PatchType, 'apply'>,
  { live = {}, patch, duplicates = [], options }: PatchInput,
): UpdatedObject {
  const result = unwrap(patchedJson(patchType, { live, patch, schema: resource.schema }));
  if (!isJsonObject(result)) throw badRequest('the result of the patch is not an object');
  const toError = (why: string): StatusError => {
    // kube-apiserver quotes the patch of a strategic merge patch, and the result of the others.
    const shown = patchType === 'strategic' ? printed(patch) : JSON.stringify(result);
    const message = `Invalid value: ${quoted(shown)}: ${why}`;
    return invalid({ group: '', kind: '' }, '', [{ path: 'patch', message }]);
  };
  const decode: DecodeOptions = { ...options, toError, warnings };
  const value = withOwnKind(resource, patchType, result, toError);
  const ofPatch = patchType === 'json' ? 'json patch ' : '';
  return { object: decodeBody(resource, { value, duplicates, ofPatch }, decode), hasManagedFields: false };
}

/** A patch cannot change the kind. A strategic merge patch ignores an attempt. */
function withOwnKind(
  resource: Resource,
  patchType: Exclude<PatchType, 'apply'>,
  patched: JsonObject,
  toError: (why: string) => StatusError,
): JsonObject {
  if (resource.origin === 'custom') return patched;
  // Values of other types fail in decoding.
  const isText = [patched.kind, patched.apiVersion].every((one) => typeof (one ?? '') === 'string');
  if (!isText) return patched;
  const fit = kindFit(givenKind(patched, resource), resource);
  if (patchType !== 'strategic' && fit.kind === 'otherKind') throw toError(fit.message);
  return { ...patched, apiVersion: apiVersionOf(resource), kind: resource.kind };
}

type JsonPatchInput = {
  readonly live: JsonObject;
  readonly patch: Json;
  readonly schema: Parameters<typeof applyStrategicMergePatch>[0];
};

function patchedJson(
  patchType: Exclude<PatchType, 'apply'>,
  { live, patch, schema }: JsonPatchInput,
): Patched<Json> {
  switch (patchType) {
    case 'json':
      return applyJsonPatch(live, patch);
    case 'merge':
      return applyMergePatch(live, patch);
    case 'strategic':
      return applyStrategicMergePatch(schema, live, patch);
  }
}

function unwrap<T>(result: Patched<T>): T {
  if (result.kind === 'error') throw result;
  return result.value;
}
