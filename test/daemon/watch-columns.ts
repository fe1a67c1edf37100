/**
 * Follows a MachineConfigNode as `kubectl get machineconfignode NAME -o wide -w` does: the server's own table, row by row.
 */

import { isObject } from '../../src/base/json.ts';
import type { ApiServer } from '../../src/embedded/apiserver/index.ts';
import { createInProcessTransport } from '../../src/kubernetes/client/index.ts';

export type ColumnWatch = {
  /** One text per row that differs from the one before: the columns from UPDATED to UNCORDONEDNODE. */
  readonly rows: readonly string[];
  /** DESIREDCONFIG and CURRENTCONFIG of the last row. */
  readonly configs: () => readonly string[];
  readonly stop: () => void;
};

/** The order of `kubectl get -o wide` in the documentation of the kind. */
const COLUMNS = [
  'Updated',
  'UpdatePrepared',
  'UpdateExecuted',
  'UpdatePostActionComplete',
  'UpdateComplete',
  'Resumed',
  'UpdatedFilesAndOS',
  'CordonedNode',
  'DrainedNode',
  'RebootedNode',
  'UncordonedNode',
];

export function watchColumns(handle: ApiServer['handle'], name: string): ColumnWatch {
  const ending = new AbortController();
  const rows: string[] = [];
  let last: ReadonlyMap<string, unknown> = new Map();
  const hear = (cells: ReadonlyMap<string, unknown>) => {
    last = cells;
    const row = COLUMNS.map((column) => cells.get(column) ?? '-').join(' ');
    if (rows.at(-1) !== row) rows.push(row);
  };
  follow(handle, { name, signal: ending.signal, hear }).catch(() => undefined);
  return {
    rows,
    configs: () => ['DesiredConfig', 'CurrentConfig'].map((column) => String(last.get(column) ?? '')),
    stop: () => ending.abort(),
  };
}

type Following = {
  readonly name: string;
  readonly signal: AbortSignal;
  readonly hear: (cells: ReadonlyMap<string, unknown>) => void;
};

async function follow(handle: ApiServer['handle'], { name, signal, hear }: Following): Promise<void> {
  const transport = createInProcessTransport({ handle, user: { name: 'admin', groups: ['system:masters'] } });
  const response = await transport.send({
    method: 'GET',
    path: '/apis/machineconfiguration.openshift.io/v1/machineconfignodes',
    query: `watch=1&fieldSelector=metadata.name%3D${name}`,
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    signal,
  });
  let text = '';
  let names: readonly string[] = [];
  for await (const bytes of response.body) {
    text += new TextDecoder().decode(bytes);
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const table: unknown = JSON.parse(line).object;
      if (!isObject(table)) continue;
      const { columnDefinitions: columns, rows } = table;
      if (Array.isArray(columns) && columns.length > 0) names = columns.map((column) => String(column.name));
      const cells: readonly unknown[] = Array.isArray(rows) ? (rows[0]?.cells ?? []) : [];
      hear(new Map(cells.map((cell, index) => [names[index] ?? '', cell])));
    }
  }
}
