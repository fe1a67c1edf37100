/**
 * Converts objects to a Table, as `kubectl get` requests it.
 */

import type { JsonObject } from '../../base/json.ts';
import { apiVersionOf } from '../../kubernetes/meta/index.ts';
import {
  type ListMeta,
  META_API_VERSION,
  type Table,
  type TableColumn,
  type TableRow,
} from '../../kubernetes/types/index.ts';
import type { IncludeObject } from './include-object.ts';
import { type MetaApiVersion, partialMetadata } from './partial-metadata.ts';
import { type Printable, printerFor } from './printers.ts';

/** In a watch, the column definitions are sent once and are null from then on. */
type ServedTable = Omit<Table, 'apiVersion' | 'columnDefinitions' | 'rows'> & {
  readonly apiVersion: MetaApiVersion;
  readonly columnDefinitions: readonly TableColumn[] | null;
  readonly rows: readonly TableRow[] | null;
};

export type TableRequest = {
  readonly resource: Printable;
  readonly objects: readonly JsonObject[];
  /** Ages are relative to this time. */
  readonly nowMs: number;
  /** The metadata of the list, or the resourceVersion of a single object. */
  readonly metadata: ListMeta;
  readonly includeObject: IncludeObject;
  readonly withColumns: boolean;
  readonly apiVersion?: MetaApiVersion;
};

export function convertToTable(request: TableRequest): ServedTable {
  const { resource, objects, nowMs, metadata, includeObject, withColumns } = request;
  const { apiVersion = META_API_VERSION } = request;
  const printer = printerFor(resource);
  const rows = objects.map((object) => ({
    ...printer.row(object, nowMs),
    object: rowObject({ resource, object, includeObject, apiVersion }),
  }));
  return {
    kind: 'Table',
    apiVersion,
    metadata,
    columnDefinitions: withColumns ? printer.columns : null,
    rows: rows.length === 0 ? printer.noRows : rows,
  };
}

/** The `object` of a row. */
function rowObject({
  resource,
  object,
  includeObject,
  apiVersion,
}: Pick<TableRequest, 'resource' | 'includeObject'> & {
  readonly object: JsonObject;
  readonly apiVersion: MetaApiVersion;
}): unknown {
  switch (includeObject) {
    case 'None':
      return null;
    case 'Metadata':
      return partialMetadata(object, apiVersion);
    case 'Object':
      return { ...object, kind: resource.kind, apiVersion: apiVersionOf(resource) };
  }
}
