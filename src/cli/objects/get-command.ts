/**
 * `millwright get`: prints objects of any resource.
 */
import { isNotFound, KubeError, objectPath } from '../../kubernetes/client/index.ts';
import type { Ports } from '../ports.ts';
import type { ApiResource } from './api-resource.ts';
import { type GetOptions, scopeFor, tableOptionsFor } from './get-options.ts';
import { itemsOf, jsonObject, listAll } from './list-and-watch.ts';
import {
  formatObject,
  formatObjects,
  type ObjectFormat,
  type ShownObject,
  shownObject,
} from './object-text.ts';
import { namespaceFor, type ResourceSelection, selectResources } from './resource-selection.ts';
import { type Run, runInCluster, throwUsageError } from './run-in-cluster.ts';
import { ACCEPT_TABLE, readTable, type ServerTable } from './server-table.ts';
import { TablePrinter } from './table-printer.ts';
import { watchSelection } from './watch-selection.ts';

export function getCommand(args: readonly string[], options: GetOptions, ports: Ports): Promise<number> {
  return runInCluster(options, ports, async (run) => {
    const wanted = await selectResources(run.session, args);
    checkOptions(wanted, options);
    if (options.watch) return await watchSelection(run, wanted, options);
    const { output } = options;
    if (output === undefined || output === 'wide') return await printTables(run, wanted, options);
    return await printObjects(run, wanted, { ...options, output });
  });
}

function checkOptions(wanted: readonly ResourceSelection[], options: GetOptions): void {
  if (wanted.every(({ names }) => names === undefined)) return;
  if (options.allNamespaces) throwUsageError('names cannot be combined with -A');
  if (options.selector !== undefined || options.fieldSelector !== undefined) {
    throwUsageError('names cannot be combined with a selector');
  }
}

async function printTables(
  run: Run,
  wanted: readonly ResourceSelection[],
  options: GetOptions,
): Promise<void> {
  const { ports, session, notify } = run;
  const isMixed = new Set(wanted.map(({ resource }) => resource)).size > 1;
  const fetched = await fetchAll(run, wanted, { ...options, accept: ACCEPT_TABLE });
  const printed: string[] = [];
  for (const { resource, answers } of sections(fetched.found)) {
    const printer = new TablePrinter(tableOptionsFor(resource, options, isMixed));
    const text = printer.print(answers.map((answer): ServerTable => readTable(answer)));
    if (text === '') continue;
    ports.stdout(printed.length === 0 || !options.headers ? text : `\n${text}`);
    printed.push(text);
  }
  fetched.reportErrors();
  if (printed.length > 0 || fetched.isIncomplete || options.ignoreNotFound) return;
  const locations = new Set(wanted.map(({ resource }) => namespaceFor(session, resource, options)));
  const [location] = locations;
  notify(
    locations.size === 1 && location !== undefined
      ? `No resources found in ${location} namespace.`
      : 'No resources found',
  );
}

async function printObjects(
  run: Run,
  wanted: readonly ResourceSelection[],
  options: GetOptions & { readonly output: ObjectFormat },
): Promise<void> {
  const { output, showManagedFields: withManagedFields = false } = options;
  const fetched = await fetchAll(run, wanted, options);
  const shown = fetched.found.flatMap(({ resource, answer, isList }): readonly ShownObject[] => {
    const objects = isList
      ? itemsOf({ pages: [jsonObject(answer)], resourceVersion: '' })
      : [jsonObject(answer)];
    return objects.map((object) => shownObject(resource, object, { withManagedFields }));
  });
  const [first] = shown;
  const isOne = wanted.length === 1 && wanted[0]?.names?.length === 1;
  if (!isOne) run.ports.stdout(formatObjects(shown, output));
  else if (first !== undefined) run.ports.stdout(formatObject(first, output));
  fetched.reportErrors();
}

type Found = { readonly resource: ApiResource; readonly answer: unknown; readonly isList: boolean };

type Fetched = {
  readonly found: readonly Found[];
  readonly isIncomplete: boolean;
  /** Reports rejected requests; called after the data is printed. */
  readonly reportErrors: () => void;
};

/** A rejected request for one resource or name does not affect the others. */
async function fetchAll(
  { session, reportError }: Run,
  wanted: readonly ResourceSelection[],
  options: GetOptions & { readonly accept?: string },
): Promise<Fetched> {
  const found: Found[] = [];
  const errors: string[] = [];
  const attempt = async (fetch: () => Promise<void>, name = '') => {
    try {
      await fetch();
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      if (!(options.ignoreNotFound && isNotFound(error, name))) errors.push(error.message);
    }
  };
  const { accept } = options;
  for (const { resource, names } of wanted) {
    const scope = scopeFor(session, resource, options);
    if (names === undefined) {
      await attempt(async () => {
        const { pages } = await listAll(session, scope);
        found.push(...pages.map((answer) => ({ resource, answer, isList: true })));
      });
    }
    for (const name of names ?? []) {
      await attempt(async () => {
        const path = objectPath(resource, { name, namespace: scope.namespace ?? '' });
        const { body } = await session.request({ path, ...(accept === undefined ? {} : { accept }) });
        found.push({ resource, answer: body, isList: false });
      }, name);
    }
  }
  const isIncomplete = errors.length > 0;
  return { found, isIncomplete, reportErrors: () => errors.forEach(reportError) };
}

type Section = { readonly resource: ApiResource; readonly answers: unknown[] };

/** Consecutive responses of one resource share the headings. */
function sections(found: readonly Found[]): readonly Section[] {
  const all: Section[] = [];
  for (const { resource, answer } of found) {
    const last = all.at(-1);
    if (last?.resource === resource) last.answers.push(answer);
    else all.push({ resource, answers: [answer] });
  }
  return all;
}
