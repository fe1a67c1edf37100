/**
 * Printer of custom resources, with the printer columns of their CRD.
 */
import { canonicalJson, type Json, type JsonObject } from '../../base/json.ts';
import { ageOf, isDateTime, numeral } from '../../base/text/index.ts';
import type { PrinterColumn } from '../resources/index.ts';
import { find, type JsonPath } from './json-path.ts';
import { parseJsonPath } from './parse-json-path.ts';
import { AGE, type Column, name, type Printer, printer } from './printer.ts';

/** Cached by the columns of the CRD, because rows are many. */
const printers = new WeakMap<readonly PrinterColumn[], Printer>();

export function customPrinter(columns: readonly PrinterColumn[]): Printer {
  const known = printers.get(columns);
  if (known !== undefined) return known;
  const made = printer({}, [name, ...columnsFrom(columns.length === 0 ? [CUSTOM_AGE] : columns)]);
  printers.set(columns, made);
  return made;
}

const CUSTOM_AGE: PrinterColumn = {
  name: 'Age',
  type: 'date',
  description: AGE.description,
  jsonPath: '.metadata.creationTimestamp',
};

/** kube-apiserver drops a column whose path is invalid, and all that follow. */
function columnsFrom(columns: readonly PrinterColumn[]): readonly Column<JsonObject>[] {
  const readable: Column<JsonObject>[] = [];
  for (const column of columns) {
    const path = parseJsonPath(column.jsonPath);
    if (path === undefined) break;
    readable.push(columnFrom(column, path));
  }
  return readable;
}

function columnFrom(column: PrinterColumn, path: JsonPath): Column<JsonObject> {
  const { type, format = '', description = '', priority = 0, jsonPath } = column;
  const why = description || `Custom resource definition column (in JSONPath format): ${jsonPath}`;
  return {
    column: { name: column.name, type, format, description: why, priority },
    cell(object, nowMs) {
      // Of several values the first is printed.
      const value = find(path, object)?.[0];
      return value === undefined ? null : cellOf(type, value, nowMs);
    },
  };
}

/** A value that does not have the type of its column is not printed. */
function cellOf(type: string, value: Json, nowMs: number): Json {
  switch (type) {
    case 'string':
      return textOf(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? dateAge(value, nowMs) : null;
    default:
      return null;
  }
}

function textOf(value: Json): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return numeral(value);
    case 'boolean':
      return String(value);
    default:
      return value === null ? '<no value>' : escapedJson(value);
  }
}

/** As Go serializes JSON, with HTML characters escaped. */
function escapedJson(value: Json): string {
  return canonicalJson(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function dateAge(text: string, nowMs: number): string {
  if (text === '' || text === 'null') return '<unknown>';
  // Unlike RFC 3339, Go requires capital letters in a time.
  return isDateTime(text) && text === text.toUpperCase() ? ageOf(text, nowMs) : '<invalid>';
}
