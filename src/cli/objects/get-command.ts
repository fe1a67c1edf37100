/**
 * `millwright get`: objects of any kind, as the server prints them.
 */
import { isNotFound, KubeError, objectPath } from '../../kubernetes/client/index.ts';
import type { Ports } from '../ports.ts';
import { TablePrinter } from '../table-printer.ts';
import type { ApiResource } from './api-resource.ts';
import { type GetOptions, lookFor, scopeFor } from './get-options.ts';
import { itemsOf, jsonObject, listAll } from './list-and-watch.ts';
import {
  formatObject,
  formatObjects,
  type ObjectFormat,
  type ShownObject,
  shownObject,
} from './object-text.ts';
import { type Run, refuseUsage, runInCluster } from './run-in-cluster.ts';
import { ACCEPT_TABLE, readTable, type ServerTable } from './server-table.ts';
import { namespaceFor, type Wanted, wantedObjects } from './wanted-objects.ts';
import { watchWanted } from './watch-wanted.ts';

export function getCommand(args: readonly string[], options: GetOptions, ports: Ports): Promise<number> {
  return runInCluster(options, ports, async (run) => {
    const wanted = await wantedObjects(run.session, args);
    refuseContradictions(wanted, options);
    if (options.watch) return await watchWanted(run, wanted, options);
    const { output } = options;
    if (output === undefined || output === 'wide') return await printTables(run, wanted, options);
    return await printObjects(run, wanted, { ...options, output });
  });
}

function refuseContradictions(wanted: readonly Wanted[], options: GetOptions): void {
  if (wanted.every(({ names }) => names === undefined)) return;
  if (options.allNamespaces) refuseUsage('an object is named in one namespace: leave out its name or -A');
  if (options.selector !== undefined || options.fieldSelector !== undefined) {
    refuseUsage('objects are chosen by name or by a selector, not by both');
  }
}

async function printTables(run: Run, wanted: readonly Wanted[], options: GetOptions): Promise<void> {
  const { ports, session, say } = run;
  const isMixed = new Set(wanted.map(({ resource }) => resource)).size > 1;
  const fetched = await fetchAll(run, wanted, { ...options, accept: ACCEPT_TABLE });
  const printed: string[] = [];
  for (const { resource, answers } of sections(fetched.found)) {
    const printer = new TablePrinter(lookFor(resource, options, isMixed));
    const text = printer.print(answers.map((answer): ServerTable => readTable(answer)));
    if (text === '') continue;
    ports.stdout(printed.length === 0 || !options.headers ? text : `\n${text}`);
    printed.push(text);
  }
  fetched.complain();
  if (printed.length > 0 || fetched.isIncomplete || options.ignoreNotFound) return;
  const places = new Set(wanted.map(({ resource }) => namespaceFor(session, resource, options)));
  const [place] = places;
  say(
    places.size === 1 && place !== undefined
      ? `No resources found in ${place} namespace.`
      : 'No resources found',
  );
}

async function printObjects(
  run: Run,
  wanted: readonly Wanted[],
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
  fetched.complain();
}

type Found = { readonly resource: ApiResource; readonly answer: unknown; readonly isList: boolean };

type Fetched = {
  readonly found: readonly Found[];
  readonly isIncomplete: boolean;
  /** Tells what was refused: behind the data, which people would otherwise have to look for. */
  readonly complain: () => void;
};

/** What is refused for one kind or name does not keep the others from being shown. */
async function fetchAll(
  { session, complain }: Run,
  wanted: readonly Wanted[],
  options: GetOptions & { readonly accept?: string },
): Promise<Fetched> {
  const found: Found[] = [];
  const refusals: string[] = [];
  const attempt = async (fetch: () => Promise<void>, name = '') => {
    try {
      await fetch();
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      if (!(options.ignoreNotFound && isNotFound(error, name))) refusals.push(error.message);
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
        const { body } = await session.ask({ path, ...(accept === undefined ? {} : { accept }) });
        found.push({ resource, answer: body, isList: false });
      }, name);
    }
  }
  const isIncomplete = refusals.length > 0;
  return { found, isIncomplete, complain: () => refusals.forEach(complain) };
}

type Section = { readonly resource: ApiResource; readonly answers: unknown[] };

/** What follows one another and is of one kind stands below one line of headings. */
function sections(found: readonly Found[]): readonly Section[] {
  const all: Section[] = [];
  for (const { resource, answer } of found) {
    const last = all.at(-1);
    if (last?.resource === resource) last.answers.push(answer);
    else all.push({ resource, answers: [answer] });
  }
  return all;
}
