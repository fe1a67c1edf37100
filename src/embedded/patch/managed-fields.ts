/**
 * `metadata.managedFields`: the field managers of an object.
 *
 * A manager is identified by name, operation and subresource: `kubectl` that applies differs from `kubectl` that
 * updates, and from `kubectl` that updates the status. For updates the API version counts as well.
 */
import { compareBytes, isJsonObject, isObject, type Json, type JsonObject, own } from '../../base/json.ts';
import { parseDateTime } from '../../base/text/index.ts';
import type { FieldSet } from './field-set.ts';
import { decodeFields, encodeFields } from './fields-v1.ts';
import { goJson, isJsonList } from './json-values.ts';

export type FieldManager = {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** Such as `status`; empty for the main resource. */
  readonly subresource: string;
  /** The time of the last change, in RFC 3339. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
};

/** By identity. */
export type FieldManagers = ReadonlyMap<string, FieldManager>;

/** The key by which managers are distinguished and sorted. */
export function identityOf(owner: Omit<FieldManager, 'time' | 'fields'>): string {
  const { manager, operation, apiVersion, subresource } = owner;
  const parts = { manager, operation, apiVersion: operation === 'Apply' ? '' : apiVersion, subresource };
  const texts = Object.entries(parts).filter(([, text]) => text !== '');
  return `{${texts.map(([name, text]) => `"${name}":${goJson(text)}`).join(',')}}`;
}

/** The managers in `managedFields`, or why it is malformed. */
export function decodeManagedFields(entries: readonly Json[]): FieldManagers | { readonly failure: string } {
  const managers = new Map<string, FieldManager>();
  for (const [index, entry] of entries.entries()) {
    const known = isObject(entry) ? managersByEntry.get(entry) : undefined;
    const owner = known?.owner ?? decodeEntry(entry, index);
    if ('failure' in owner) return owner;
    const identity = known?.identity ?? identityOf(owner);
    if (known === undefined && isObject(entry)) managersByEntry.set(entry, { identity, owner });
    managers.set(identity, owner);
  }
  return managers;
}

/**
 * Entries are decoded again at the next write, and most writes change one manager only: the entries of the others are
 * passed from object to object.
 */
const managersByEntry = new WeakMap<object, { readonly identity: string; readonly owner: FieldManager }>();
const entriesByManager = new WeakMap<FieldManager, JsonObject>();

function decodeEntry(entry: Json, index: number): FieldManager | { readonly failure: string } {
  if (!isJsonObject(entry)) return { failure: `managed fields entry ${index} is no object` };
  const text = (name: string) => {
    const value = own(entry, name);
    return typeof value === 'string' ? value : '';
  };
  const operation = text('operation');
  if (operation !== 'Apply' && operation !== 'Update') {
    return { failure: 'operation must be `Apply` or `Update`' };
  }
  if (text('apiVersion') === '') return { failure: 'apiVersion must not be empty' };
  const fieldsType = text('fieldsType');
  if (fieldsType === '') return { failure: `missing fieldsType in managed fields entry ${index}` };
  if (fieldsType !== 'FieldsV1') {
    return { failure: `invalid fieldsType "${fieldsType}" in managed fields entry ${index}` };
  }
  const fields = decodeFields(own(entry, 'fieldsV1') ?? {});
  if ('failure' in fields) {
    return { failure: `error decoding fieldsV1 of managed fields entry ${index}: ${fields.failure}` };
  }
  const time = text('time');
  return {
    manager: text('manager'),
    operation,
    apiVersion: text('apiVersion'),
    subresource: text('subresource'),
    time: time === '' ? undefined : time,
    fields,
  };
}

/** Managers that apply first, then by time and name. */
export function encodeManagedFields(managers: FieldManagers): readonly JsonObject[] {
  const sorted = [...managers].sort(([, a], [, b]) => compareManagers(a, b));
  return sorted.map(([identity, owner]) => {
    const known = entriesByManager.get(owner);
    if (known !== undefined) return known;
    const entry = encodeEntry(owner);
    entriesByManager.set(owner, entry);
    managersByEntry.set(entry, { identity, owner });
    return entry;
  });
}

function encodeEntry(owner: FieldManager): JsonObject {
  return {
    ...(owner.manager !== '' && { manager: owner.manager }),
    operation: owner.operation,
    apiVersion: owner.apiVersion,
    ...(owner.time !== undefined && { time: owner.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: encodeFields(owner.fields),
    ...(owner.subresource !== '' && { subresource: owner.subresource }),
  };
}

function compareManagers(a: FieldManager, b: FieldManager): number {
  return (
    compareBytes(a.operation, b.operation) ||
    secondsOf(a.time) - secondsOf(b.time) ||
    compareBytes(a.manager, b.manager) ||
    compareBytes(a.apiVersion, b.apiVersion) ||
    compareBytes(a.subresource, b.subresource)
  );
}

/** Whole seconds, the resolution of times in Kubernetes. */
export function secondsOf(time: string | undefined): number {
  if (time === undefined) return 0;
  const known = secondsOfTimes.get(time);
  if (known !== undefined) return known;
  const nanos = parseDateTime(time);
  const seconds = nanos === undefined ? 0 : Math.floor(Number(nanos) / 1e9);
  if (secondsOfTimes.size >= MAX_TIMES) secondsOfTimes.clear();
  secondsOfTimes.set(time, seconds);
  return seconds;
}

/** Managers are sorted at every write, nearly always by the times of the last few writes. */
const secondsOfTimes = new Map<string, number>();
const MAX_TIMES = 1000;

/** The entries of an object, if they are a list of objects. */
export function entriesOf(object: JsonObject): readonly Json[] | undefined {
  const metadata = own(object, 'metadata');
  // The object is JSON, and so are its parts.
  const entries = isObject(metadata) ? (own(metadata, 'managedFields') as Json | undefined) : undefined;
  return isJsonList(entries) && entries.every(isJsonObject) ? entries : undefined;
}

/** The object with other managers, or without `managedFields` if there are none. */
export function withManagers(object: JsonObject, managers: FieldManagers): JsonObject {
  return withEntries(object, managers.size === 0 ? undefined : encodeManagedFields(managers));
}

export function withEntries(object: JsonObject, entries: readonly Json[] | undefined): JsonObject {
  const metadata = Object.hasOwn(object, 'metadata') ? object.metadata : {};
  if (!isJsonObject(metadata)) return object;
  if (entries === undefined && !Object.hasOwn(metadata, 'managedFields')) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: entries === undefined ? rest : { ...rest, managedFields: entries } };
}

/** An empty list or a single empty entry resets the managers. */
export function isReset(entries: readonly Json[] | undefined): boolean {
  if (entries === undefined || entries.length > 1) return false;
  const [only] = entries;
  return only === undefined || (isJsonObject(only) && Object.values(only).every(isZero));
}

/** What Go cannot distinguish from an absent field. */
function isZero(value: Json): boolean {
  return value === null || value === '';
}
