/**
 * Table: objects as rows, as `kubectl get` requests them.
 */

import type { Json } from '../../base/json.ts';
import type { ListMeta } from './status.ts';

export const META_API_VERSION = 'meta.k8s.io/v1';

export type Table = {
  readonly apiVersion: typeof META_API_VERSION;
  readonly kind: 'Table';
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly TableColumn[];
  readonly rows: readonly TableRow[];
};

export type TableColumn = {
  readonly name: string;
  readonly type: string;
  /** `name` marks the column with the name of the object. */
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, others only with `-o wide`. */
  readonly priority: number;
};

export type TableRow = {
  /** One for each column. */
  readonly cells: readonly Json[];
  readonly conditions?: readonly TableRowCondition[];
  /** The object of the row, by default only its metadata. */
  readonly object?: unknown;
};

/** `Completed` marks rows that kubectl may omit: objects that have finished. */
export type TableRowCondition = {
  readonly type: 'Completed';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
};
