/**
 * `millwright get --watch`: prints the current objects, then a row or document for each change until Ctrl-C.
 */
import { isExpired, objectPath } from '../../kubernetes/client/index.ts';
import type { ApiResource } from './api-resource.ts';
import { type GetOptions, scopeFor, tableOptionsFor } from './get-options.ts';
import { type Change, itemsOf, type Listed, listAll, watchChanges } from './list-and-watch.ts';
import { formatObject, type ObjectFormat, shownObject } from './object-text.ts';
import type { ResourceSelection } from './resource-selection.ts';
import { type Run, throwUsageError } from './run-in-cluster.ts';
import { ACCEPT_TABLE, readTable } from './server-table.ts';
import { TablePrinter } from './table-printer.ts';

export async function watchSelection(
  { session, ports }: Run,
  wanted: readonly ResourceSelection[],
  options: GetOptions,
): Promise<void> {
  const [one, ...others] = wanted;
  if (one === undefined || others.length > 0 || (one.names ?? []).length > 1) {
    return throwUsageError('only one resource, or one object of it, can be watched');
  }
  const { resource, names: [name] = [] } = one;
  const stopping = new AbortController();
  ports.onStop(() => stopping.abort());
  const { signal } = stopping;
  const view = viewFor(resource, options);
  const scope = {
    ...scopeFor(session, resource, options),
    accept: view.accept,
    ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }),
  };
  if (name !== undefined) {
    // A GET reports a missing object; an empty list would not.
    const path = objectPath(resource, { name, namespace: scope.namespace ?? '' });
    await session.request({ path, signal });
  }
  for (;;) {
    const listed = await listAll(session, scope, signal);
    ports.stdout(view.listed(listed));
    try {
      const from = { resourceVersion: listed.resourceVersion, signal };
      for await (const change of watchChanges(session, scope, from)) ports.stdout(view.changed(change));
      return;
    } catch (error) {
      // The resource version has expired: list again.
      if (!isExpired(error)) throw error;
    }
  }
}

type View = {
  readonly accept: string | undefined;
  readonly listed: (listed: Listed) => string;
  readonly changed: (change: Change) => string;
};

function viewFor(resource: ApiResource, options: GetOptions): View {
  const { output } = options;
  if (output !== undefined && output !== 'wide') return documents(resource, options, output);
  const printer = new TablePrinter(tableOptionsFor(resource, options, false));
  return {
    accept: ACCEPT_TABLE,
    listed: ({ pages }) => printer.print(pages.map(readTable)),
    changed: ({ object }) => printer.print([readTable(object)]),
  };
}

function documents(resource: ApiResource, options: GetOptions, format: ObjectFormat): View {
  const { showManagedFields: withManagedFields = false } = options;
  let isFirst = true;
  const document = (object: Change['object']) => {
    const separator = format === 'yaml' && !isFirst ? '---\n' : '';
    isFirst = false;
    return separator + formatObject(shownObject(resource, object, { withManagedFields }), format);
  };
  return {
    accept: undefined,
    listed: (listed) => itemsOf(listed).map(document).join(''),
    changed: ({ object }) => document(object),
  };
}
