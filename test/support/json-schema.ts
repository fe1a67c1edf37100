/**
 * Whether a JSON value fits a JSON Schema: the keywords that our published schemas use, and an error for any other.
 */
import { isObject, type Json, jsonEqual } from '../../src/base/json.ts';

type Schema = { readonly [keyword: string]: Json };

const ANNOTATIONS = ['$schema', '$id', '$defs', 'title', 'description'];

/** One line for each place that does not fit. */
export function schemaProblems(
  root: Schema,
  value: Json,
  schema: Schema = root,
  path = '$',
): readonly string[] {
  return Object.entries(schema).flatMap(([keyword, rule]) => {
    if (ANNOTATIONS.includes(keyword)) return [];
    return check({ root, schema, keyword, rule, value, path });
  });
}

type Check = {
  readonly root: Schema;
  readonly schema: Schema;
  readonly keyword: string;
  readonly rule: Json;
  readonly value: Json;
  readonly path: string;
};

function check({ root, schema, keyword, rule, value, path }: Check): readonly string[] {
  const wrong = (why: string) => [`${path}: ${why}`];
  switch (keyword) {
    case '$ref': {
      const name = String(rule).replace('#/$defs/', '');
      return schemaProblems(root, value, schemaIn(schemaIn(root, '$defs'), name), path);
    }
    case 'type':
      return isOfType(value, String(rule)) ? [] : wrong(`is no ${String(rule)}`);
    case 'const':
      return jsonEqual(value, rule) ? [] : wrong(`is not ${JSON.stringify(rule)}`);
    case 'enum':
      return (rule as readonly Json[]).some((one) => jsonEqual(one, value))
        ? []
        : wrong('is none of the values');
    case 'pattern':
      return typeof value !== 'string' || new RegExp(String(rule)).test(value)
        ? []
        : wrong(`does not match ${String(rule)}`);
    case 'minimum':
      return typeof value !== 'number' || value >= Number(rule) ? [] : wrong(`is below ${String(rule)}`);
    case 'items':
      return Array.isArray(value)
        ? value.flatMap((item: Json, index) =>
            schemaProblems(root, item, rule as Schema, `${path}[${index}]`),
          )
        : [];
    case 'required':
      return isObject(value)
        ? (rule as readonly string[]).filter((key) => !(key in value)).flatMap((key) => wrong(`lacks ${key}`))
        : [];
    case 'properties':
      return Object.entries(isObject(value) ? (value as Schema) : {}).flatMap(([key, one]) =>
        key in (rule as Schema)
          ? schemaProblems(root, one, schemaIn(rule as Schema, key), `${path}.${key}`)
          : wrong(`has ${key}, which the schema does not know`),
      );
    case 'additionalProperties':
      return rule === false && 'properties' in schema ? [] : wrong('the schema allows anything');
    case 'oneOf': {
      const all = (rule as readonly Schema[]).map((one) => schemaProblems(root, value, one, path));
      const fitting = all.filter(({ length }) => length === 0).length;
      return fitting === 1
        ? []
        : wrong(`fits ${fitting} of ${all.length} alternatives: ${all.flat().join(', ')}`);
    }
    default:
      throw new Error(`no rule for the keyword ${keyword}`);
  }
}

function schemaIn(schema: Schema, key: string): Schema {
  const found = schema[key];
  if (!isObject(found)) throw new Error(`the schema has no ${key}`);
  return found as Schema;
}

function isOfType(value: Json, type: string): boolean {
  if (type === 'object') return isObject(value);
  if (type === 'array') return Array.isArray(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}
