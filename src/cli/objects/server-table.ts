/**
 * Tables as servers print them for `kubectl get`, and what stands in for one where a server cannot.
 */
import { isObject, own } from '../../base/json.ts';

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
  const columns = own(answer, 'columnDefinitions');
  return {
    columns: Array.isArray(columns) ? columns.filter(isObject).map(readColumn) : undefined,
    rows: objectsIn(answer, 'rows').map((row) => {
      const cells = own(row, 'cells');
      return { cells: Array.isArray(cells) ? cells : [], ...identity(own(row, 'object')) };
    }),
  };
}

type Fields = { readonly [key: string]: unknown };

function readColumn(column: Fields): TableColumn {
  const priority = own(column, 'priority');
  return {
    name: String(own(column, 'name') ?? ''),
    isName: own(column, 'format') === 'name' && own(column, 'type') === 'string',
    priority: typeof priority === 'number' ? priority : 0,
  };
}

const PLAIN_COLUMNS: readonly TableColumn[] = [
  { name: 'Name', isName: true, priority: 0 },
  { name: 'Created At', isName: false, priority: 0 },
];

/** Some extensions of a cluster know nothing of tables. */
function tableOfObjects(answer: Fields): ServerTable {
  const isList = Array.isArray(own(answer, 'items'));
  const found = isList ? objectsIn(answer, 'items') : [answer];
  const rows = found.map((object) => {
    const metadata = own(object, 'metadata');
    const fields = isObject(metadata) ? metadata : {};
    return { cells: [own(fields, 'name'), own(fields, 'creationTimestamp')], ...identity(object) };
  });
  return { columns: PLAIN_COLUMNS, rows };
}

function identity(object: unknown): Pick<TableRow, 'namespace' | 'labels'> {
  const metadata = isObject(object) ? own(object, 'metadata') : undefined;
  const namespace = isObject(metadata) ? own(metadata, 'namespace') : undefined;
  const labels = isObject(metadata) ? own(metadata, 'labels') : undefined;
  return {
    namespace: typeof namespace === 'string' ? namespace : '',
    labels: isObject(labels) ? labels : {},
  };
}

function objectsIn(fields: Fields, key: string): readonly Fields[] {
  const value = own(fields, key);
  return Array.isArray(value) ? value.filter(isObject) : [];
}
