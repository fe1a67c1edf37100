/**
 * Tables as servers print them for `kubectl get`, and what stands in for one where a server cannot.
 */

import { isObject, own } from '../../base/json.ts';
import { type Fields, listAt, numberAt, objectAt, objectsAt, valueAt } from '../../base/json-fields.ts';
import { namespaceOf } from '../../kubernetes/meta/index.ts';

export type ServerTable = {
  /** Undefined where an earlier table of the same watch has told of them. */
  readonly columns: readonly TableColumn[] | undefined;
  readonly rows: readonly TableRow[];
};

export type TableColumn = {
  readonly name: string;
  /** Whether the cells are names of the objects. */
  readonly isName: boolean;
  /** Above 0 only for those who want all. */
  readonly priority: number;
};

export type TableRow = {
  readonly cells: readonly unknown[];
  readonly namespace: string;
  readonly labels: { readonly [key: string]: unknown };
};

/** What to send along to be given a table. */
export const ACCEPT_TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** The table that an answer is, or one of its own where it is an object or a list of them. */
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

/** Some extensions of a cluster know nothing of tables. */
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
