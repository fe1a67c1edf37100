/**
 * Exports that have no user. An export promises something to other files; an unused one misleads readers.
 */
import { dirname, join, normalize } from 'node:path';
import type { Violation } from './rules.ts';
import type { SourceFile } from './source-file.ts';

/**
 * What only tests use and production code should still have: the implementations in memory of ports, and the entry points
 * of scripts. Each is named with the reason.
 */
const FOR_TESTS_AND_SCRIPTS: ReadonlyMap<string, string> = new Map([
  ['createMemoryStore', 'the store of stories and benchmarks; passes the contract of the durable one'],
  ['createMemoryDisk', 'the disk of stories with power cuts; passes the contract of the real one'],
  ['createMemoryRegistryStore', 'passes the contract of the store in a folder'],
  ['createInProcessRegistryTransport', 'registries without a socket, for stories in virtual time'],
  ['parseAuthFile', 'reads the credentials of a private registry; no command takes a pull secret yet'],
  ['credentialsFor', 'reads the credentials of a private registry; no command takes a pull secret yet'],
  ['crdOf', 'npm run generate'],
]);

/** `sources` are judged; `others` (tests, benchmarks, scripts) only use them. */
export function unusedExports(
  sources: readonly SourceFile[],
  others: readonly SourceFile[],
): readonly Violation[] {
  const files = new Map([...sources, ...others].map((file) => [file.path, file]));
  const users = new Map<string, Set<string>>();
  for (const file of files.values()) {
    for (const { from, names, passedOnAs } of file.imports) {
      const target = from.startsWith('.') ? normalize(join(dirname(file.path), from)) : undefined;
      if (target === undefined || passedOnAs !== undefined) continue;
      for (const name of names) {
        for (const origin of originsOf(files, target, name)) {
          users.set(origin, (users.get(origin) ?? new Set()).add(file.path));
        }
      }
    }
  }
  return sources.filter(isProduction).flatMap(({ path, exports }) =>
    exports.flatMap(({ name, line, isUsedHere }) => {
      const found = [...(users.get(`${path}#${name}`) ?? [])];
      if (found.length === 0) return [{ path, line, message: `exports ${name}, which no other file uses` }];
      const isUsed =
        isUsedHere || found.some((user) => isProduction(files.get(user)) || isRunner(user, path));
      if (isUsed || FOR_TESTS_AND_SCRIPTS.has(name)) return [];
      return [{ path, line, message: `exports ${name}, which only tests use` }];
    }),
  );
}

/** The simulator is there to be run: by a command, and by `npm run sim`. */
function isRunner(user: string, path: string): boolean {
  return path.startsWith('src/simulation/') && user.startsWith('scripts/sim/');
}

function isProduction(file: SourceFile | undefined): boolean {
  return file !== undefined && /^src\//.test(file.path) && !/\.test\.ts$|[/-]contract\.ts$/.test(file.path);
}

/** Where a name is declared, as `path#name`, found through the files that pass it on. */
function originsOf(files: ReadonlyMap<string, SourceFile>, path: string, name: string): readonly string[] {
  const file = files.get(path);
  if (file === undefined) return [];
  const own = file.exports
    .filter((one) => name === '*' || one.name === name)
    .map((one) => `${path}#${one.name}`);
  if (own.length > 0 && name !== '*') return own;
  const passedOn = file.imports.flatMap(({ from, names, passedOnAs }) =>
    (passedOnAs ?? []).flatMap((outer, index) => {
      if (outer !== '*' && name !== '*' && outer !== name) return [];
      const inner = outer === '*' ? name : (names[index] ?? name);
      return originsOf(files, normalize(join(dirname(path), from)), inner);
    }),
  );
  return [...own, ...passedOn];
}
