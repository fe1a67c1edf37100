/**
 * A printer: column definitions, and the cells of an object.
 */

import type { Json, JsonObject } from '../../base/json.ts';
import { valueAt } from '../../base/json-fields.ts';
import { ageOf } from '../../base/text/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import type { TableColumn, TableRowCondition } from '../../kubernetes/types/index.ts';

export type Printer = {
  readonly columns: readonly TableColumn[];
  readonly row: (object: JsonObject, nowMs: number) => PrintedRow;
  /** The rows of an empty list: null for some kinds. */
  readonly noRows: readonly [] | null;
};

type PrintedRow = {
  /** One for each column. */
  readonly cells: readonly Json[];
  readonly conditions?: readonly TableRowCondition[];
};

/** The cell of an object in a column. */
type Cell<T> = (facts: T, nowMs: number) => Json;
export type Column<T> = { readonly column: TableColumn; readonly cell: Cell<T> };

/** Column descriptions by name; long ones are in several lines. */
export type ColumnDescriptions = { readonly [column: string]: readonly string[] };

/** A printer whose cells are computed from the object itself. */
export function printer(texts: ColumnDescriptions, columns: readonly Column<JsonObject>[]): Printer {
  return printerOf({ texts, read: (object) => object, columns });
}

/** A printer whose cells are computed from facts about the object. */
export function printerOf<T>({
  texts,
  read,
  columns,
  conditions,
}: {
  readonly texts: ColumnDescriptions;
  readonly read: (object: JsonObject) => T;
  readonly columns: readonly Column<T>[];
  readonly conditions?: (facts: T) => readonly TableRowCondition[];
}): Printer {
  return {
    columns: columns.map(({ column }) => described(column, texts)),
    row(object, nowMs) {
      const facts = read(object);
      const cells = columns.map(({ cell }) => cell(facts, nowMs));
      const rowConditions = conditions?.(facts) ?? [];
      return rowConditions.length === 0 ? { cells } : { cells, conditions: rowConditions };
    },
    noRows: [],
  };
}

function described(column: TableColumn, texts: ColumnDescriptions): TableColumn {
  // A CRD may name a column `constructor`.
  const pieces = Object.hasOwn(texts, column.name) ? texts[column.name] : undefined;
  return pieces === undefined ? column : { ...column, description: pieces.join(' ') };
}

/** A column of strings. */
export function text<T>(name: string, cell: Cell<T>): Column<T> {
  return { column: { name, type: 'string', format: '', description: '', priority: 0 }, cell };
}

/** A column of integers. */
export function integer<T>(name: string, cell: Cell<T>): Column<T> {
  return { column: { ...text(name, cell).column, type: 'integer' }, cell };
}

/** A column of strings that is shown with `-o wide` only. */
export function wide<T>(name: string, cell: Cell<T>): Column<T> {
  return { column: { ...text(name, cell).column, priority: 1 }, cell };
}

export const NAME: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: [
    'Name must be unique within a namespace. Is required when creating resources, although some resources',
    'may allow a client to request the generation of an appropriate name automatically. Name is primarily',
    'intended for creation idempotence and configuration definition. Cannot be updated. More info:',
    'https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
  ].join(' '),
  priority: 0,
};

export const AGE: TableColumn = {
  name: 'Age',
  type: 'string',
  format: '',
  description: [
    'CreationTimestamp is a timestamp representing the server time when this object was created. It is not',
    'guaranteed to be set in happens-before order across separate operations. Clients may not set this',
    'value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for',
    'lists. More info:',
    'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
  ].join(' '),
  priority: 0,
};

/** The first and last column of nearly all kinds. */
export const name: Column<JsonObject> = { column: NAME, cell: nameOf };
export const age: Column<JsonObject> = { column: AGE, cell: creationAge };

export function creationAge(object: unknown, nowMs: number): string {
  return ageOf(valueAt(object, 'metadata', 'creationTimestamp'), nowMs);
}
