/**
 * Parses the server-side tables of `kubectl get`, with a fallback for servers that return objects.
 */

import { isObject, own } from '../../base/json.ts';
import { type Fields, listAt, numberAt, objectAt, objectsAt, valueAt } from '../../base/json-fields.ts';
import { namespaceOf } from '../../kubernetes/meta/index.ts';

export type ServerTable = {
  /** Undefined in later tables of a watch. */
  readonly columns: readonly TableColumn[] | undefined;
  readonly rows: readonly TableRow[];
};

export type TableColumn = {
  readonly name: string;
  /** Whether the cells are object names. */
  readonly isName: boolean;
  /** Columns above 0 are shown with `-o wide` only. */
  readonly priority: number;
};

export type TableRow = {
  readonly cells: readonly unknown[];
  readonly namespace: string;
  readonly labels: { readonly [key: string]: unknown };
};

/** Accept header that requests a table. */
export const ACCEPT_TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** The table of a response, or one generated from an object or a list. */
export function readTable(answer: unknown): ServerTable {
  if (!isObject(answer)) return { columns: undefined, rows: [] };
  if (own(answer, 'kind') !== 'Table') return tableOfObjects(answer);
  const columns = valueAt(answer, 'columnDefinitions');
  return {
    columns: Array.isArray(columns) ? columns.filter(isObject).map(readColumn) : undefined,
    rows: objectsAt(answer, 'rows').map((row) => ({
      cells: listAt(row, 'cells'),
      ...identity(valueAt(row, 'object')),
    })),
  };
}

function readColumn(column: Fields): TableColumn {
  return {
    name: String(own(column, 'name') ?? ''),
    isName: own(column, 'format') === 'name' && own(column, 'type') === 'string',
    priority: numberAt(column, 'priority'),
  };
}

const PLAIN_COLUMNS: readonly TableColumn[] = [
  { name: 'Name', isName: true, priority: 0 },
  { name: 'Created At', isName: false, priority: 0 },
];

/** Some extension API servers do not support tables. */
function tableOfObjects(answer: Fields): ServerTable {
  const isList = Array.isArray(own(answer, 'items'));
  const found = isList ? objectsAt(answer, 'items') : [answer];
  const rows = found.map((object) => {
    const cells = [valueAt(object, 'metadata', 'name'), valueAt(object, 'metadata', 'creationTimestamp')];
    return { cells, ...identity(object) };
  });
  return { columns: PLAIN_COLUMNS, rows };
}

function identity(object: unknown): Pick<TableRow, 'namespace' | 'labels'> {
  return { namespace: namespaceOf(object), labels: objectAt(object, 'metadata', 'labels') ?? {} };
}
