/**
 * Validation by JSON schema: types, limits, patterns, enums, required fields.
 *
 * The order, the messages and even the count of matches are the server's: which of several failed alternatives
 * (`anyOf`, `oneOf`) is reported depends on how much of it matched.
 */
import { type Problem, within } from '../../base/errors.ts';
import { canonicalJson, isObject } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';
import type { StructuralSchema } from '../schema/index.ts';
import {
  checkFormat,
  checkNumber,
  checkString,
  checkType,
  formatOf,
  isListed,
  pathOf,
  typesOf,
  wrongType,
} from './check-scalar.ts';
import type { Correlated } from './correlated.ts';
import { invalidValue, requiredValue, tooMany, unsupportedValue } from './problems.ts';
import { type Finding, ValidationResult } from './validation-result.ts';

/** The position of a value: its name in messages, and its old value. */
type Spot = { readonly name: string; readonly before: Correlated | undefined };

type StructuralOptions = {
  /** Precedes the path of every error; the messages have names relative to it, as the server's do. */
  readonly path: string;
  readonly before: Correlated | undefined;
};

export function checkStructure(
  schema: StructuralSchema,
  value: unknown,
  { path, before }: StructuralOptions,
): readonly Problem[] {
  const result = checkPart(schema, value, { name: '', before });
  // As on the server, a dot follows the path even if an item of a list comes next.
  return result.findings.map(({ problem }) =>
    path === '' || problem.path === ''
      ? within(path, problem)
      : { ...problem, path: `${path}.${problem.path}` },
  );
}

/** One field or item. Errors of unchanged values are ignored (ratcheting). */
function checkPart(schema: StructuralSchema, value: unknown, spot: Spot): ValidationResult {
  const { before } = spot;
  // Matches are only counted in alternatives, where there are no old values.
  if (before !== undefined && isKnownValid(schema, value)) return new ValidationResult();
  const result = checkValue(schema, value, spot);
  if (result.isValid()) {
    if (isObject(value) && !result.isRatcheted) validObjects.set(value, schema);
    return result;
  }
  return before?.isUnchanged() === true ? result.withoutErrors() : result;
}

/**
 * Objects without errors, with their schema: an update shares most of them with the object before it, which was checked
 * when it was written. They are never changed in place.
 */
const validObjects = new WeakMap<object, StructuralSchema>();

function isKnownValid(schema: StructuralSchema, value: unknown): boolean {
  return isObject(value) && validObjects.get(value) === schema;
}

function checkValue(schema: StructuralSchema, value: unknown, spot: Spot): ValidationResult {
  const result = new ValidationResult();
  const { name } = spot;
  const types = typesOf(schema);
  const format = formatOf(schema);
  if (value === null || value === undefined) {
    checkNull(schema, types, name, result);
    return result;
  }
  if (types.length > 0 || format !== undefined) {
    const finding = checkType(types, format, value, name);
    result.record(finding, finding === undefined ? 2 : 1);
  }
  result.merge(checkCombinations(schema, value, { name, before: undefined }), 1);
  if (typeof value === 'string') {
    result.record(checkString(schema, value, name), 1);
    if (format !== undefined) result.record(checkFormat(format, value, name), 1);
  } else if (typeof value === 'number') {
    for (const finding of checkNumber(schema, value, name)) result.add(finding);
    result.count(2);
  } else if (Array.isArray(value)) {
    result.merge(checkList(schema, value, spot), 1);
  }
  checkEnum(schema, value, name, result);
  if (isObject(value)) result.merge(checkObject(schema, value, spot), 1);
  return result.count(2);
}

function checkNull(
  schema: StructuralSchema,
  types: readonly string[],
  name: string,
  result: ValidationResult,
): void {
  if (types.length === 0 || schema.nullable === true) result.count(1);
  else result.add(wrongType(name, types.join(), 'null'));
  checkEnum(schema, null, name, result);
}

function checkEnum(schema: StructuralSchema, value: unknown, name: string, result: ValidationResult): void {
  if (schema.enum === undefined || schema.enum.length === 0 || isListed(schema.enum, value)) return;
  const text = `${name} in body should be one of ${JSON.stringify(schema.enum)}`;
  result.add({ text, problem: unsupportedValue(pathOf(name), value, schema.enum) });
}

function checkObject(
  schema: StructuralSchema,
  value: { readonly [key: string]: unknown },
  spot: Spot,
): ValidationResult {
  const result = new ValidationResult();
  const { name } = spot;
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  for (const finding of propertyLimits(schema, keys.length, name)) result.add(finding);
  for (const key of keys) {
    if (schema.properties !== undefined && Object.hasOwn(schema.properties, key)) {
      const property = schema.properties[key];
      const child = name === '' ? key : `${name}.${key}`;
      if (property !== undefined) result.merge(checkPart(property, value[key], below(spot, key, child)), 0);
    } else if (isObject(schema.additionalProperties)) {
      const child = below(spot, key, `${name}.${key}`);
      result.merge(checkPart(schema.additionalProperties, value[key], child), 0);
    } else if (schema.additionalProperties === false) {
      const text = `${name}.${key} in body is a forbidden property`;
      result.add({ text, problem: invalidValue(pathOf(name), key, text) });
    }
  }
  for (const key of schema.required ?? []) {
    if (Object.hasOwn(value, key) && value[key] !== undefined) continue;
    const child = `${name}.${key}`;
    result.add({ text: `${child} in body is required`, problem: requiredValue(pathOf(child), '') });
  }
  return result;
}

function propertyLimits(schema: StructuralSchema, size: number, name: string): readonly Finding[] {
  const findings: Finding[] = [];
  const { minProperties, maxProperties } = schema;
  if (minProperties !== undefined && size < minProperties) {
    const text = `${name} in body should have at least ${minProperties} properties`;
    findings.push({ text, problem: invalidValue(pathOf(name), size, text) });
  }
  if (maxProperties !== undefined && size > maxProperties) {
    const text = `${name} in body should have at most ${maxProperties} properties`;
    findings.push({ text, problem: tooMany(pathOf(name), size, maxProperties) });
  }
  return findings;
}

function checkList(schema: StructuralSchema, value: readonly unknown[], spot: Spot): ValidationResult {
  const result = new ValidationResult().count(1);
  const { name } = spot;
  const { items, minItems, maxItems } = schema;
  if (items !== undefined) {
    for (const [index, item] of value.entries()) {
      const before = spot.before?.item(index);
      result.merge(checkPart(items, item, { name: `${name}[${index}]`, before }), 0);
    }
  }
  if (minItems !== undefined && value.length < minItems) {
    const text = `${name} in body should have at least ${minItems} items`;
    result.add({ text, problem: invalidValue(pathOf(name), value.length, text) });
  }
  if (maxItems !== undefined && value.length > maxItems) {
    const text = `${name} in body should have at most ${maxItems} items`;
    result.add({ text, problem: tooMany(pathOf(name), value.length, maxItems) });
  }
  if (schema.uniqueItems && hasTwins(value)) {
    const text = `${name} in body shouldn't contain duplicates`;
    result.add({ text, problem: invalidValue(pathOf(name), '', text) });
  }
  return result;
}

function hasTwins(items: readonly unknown[]): boolean {
  return new Set(items.map(canonicalJson)).size < items.length;
}

function below(spot: Spot, key: string, name: string): Spot {
  // Both sides of an update have been converted to one version, so these two never differ.
  const isTypeMeta = spot.name === '' && (key === 'apiVersion' || key === 'kind');
  return { name, before: isTypeMeta ? undefined : spot.before?.field(key) };
}

/**
 * `allOf`, `anyOf`, `oneOf` and `not`. As on the server, their summaries have no path, and there is no ratcheting
 * inside of them.
 */
function checkCombinations(schema: StructuralSchema, value: unknown, spot: Spot): ValidationResult {
  const result = new ValidationResult().count(1);
  if (schema.anyOf?.length) mergeAnyOf(schema.anyOf, value, spot, result);
  if (schema.oneOf?.length) mergeOneOf(schema.oneOf, value, spot, result);
  if (schema.allOf?.length) mergeAllOf(schema.allOf, value, spot, result);
  if (schema.not !== undefined && checkValue(schema.not, value, spot).isValid()) {
    result.add(summary(`${quoted(spot.name)} must not validate the schema (not)`));
  }
  return result;
}

function mergeAnyOf(
  branches: readonly StructuralSchema[],
  value: unknown,
  spot: Spot,
  into: ValidationResult,
): void {
  let best: ValidationResult | undefined;
  for (const branch of branches) {
    const result = checkValue(branch, value, spot);
    if (result.isValid()) {
      into.merge(result, 0);
      return;
    }
    if (best === undefined || result.matches > best.matches) best = result;
  }
  into.add(summary(`${quoted(spot.name)} must validate at least one schema (anyOf)`));
  if (best !== undefined) into.merge(best, 0);
}

function mergeOneOf(
  branches: readonly StructuralSchema[],
  value: unknown,
  spot: Spot,
  into: ValidationResult,
): void {
  const results = branches.map((branch) => checkValue(branch, value, spot));
  const valid = results.filter((result) => result.isValid());
  const [first] = valid;
  if (valid.length === 1 && first !== undefined) {
    into.merge(first, 0);
    return;
  }
  const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
  into.add(summary(`${quoted(spot.name)} must validate one and only one schema (oneOf). ${found}`));
  if (valid.length > 0) return;
  const best = results.reduce((left, right) => (right.matches > left.matches ? right : left));
  into.merge(best, 0);
}

function mergeAllOf(
  branches: readonly StructuralSchema[],
  value: unknown,
  spot: Spot,
  into: ValidationResult,
): void {
  let valid = 0;
  for (const branch of branches) {
    const result = checkValue(branch, value, spot);
    if (result.isValid()) valid++;
    into.merge(result, 0);
  }
  if (valid === branches.length) return;
  const none = valid === 0 ? '. None validated' : '';
  into.add(summary(`${quoted(spot.name)} must validate all the schemas (allOf)${none}`));
}

function summary(text: string): Finding {
  return { text, problem: invalidValue('', '', text) };
}
