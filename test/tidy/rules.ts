/**
 * The rules that a reader may rely on without looking. Each is a function from the sources to complaints.
 *
 *     shells   main  cli  embedded  processes  sim
 *     actors   controllers  daemon  server  apiserver  cluster     (never import one another)
 *     ports    kube  host  registry  build
 *     pure     text  cel  validation  patch  yaml  ignition  render  registries  generated  update  rollout
 *              (no I/O, no clock, no node: imports)
 *     words    api  builtin  schema  errors  json  env  waiting
 *
 * Imports point down or stay in their layer, never in a circle.
 */
import { dirname, join, normalize } from 'node:path';
import type { SourceFile } from './source-file.ts';

export type Complaint = { readonly path: string; readonly line: number; readonly message: string };
export type Rule = (files: readonly SourceFile[]) => readonly Complaint[];

const LAYERS: readonly (readonly string[])[] = [
  ['errors', 'json', 'env', 'waiting', 'schema', 'api', 'builtin'],
  [
    ...['text', 'cel', 'validation', 'patch', 'yaml', 'ignition', 'render', 'registries', 'generated'],
    ...['update', 'rollout', 'overview'],
    ...['resources', 'definitions', 'admission', 'access', 'selectors', 'tables', 'discovery', 'protobuf'],
  ],
  ['kube', 'host', 'registry', 'build'],
  ['controllers', 'daemon', 'server', 'apiserver', 'cluster'],
  ['main', 'cli', 'embedded', 'processes', 'sim'],
];
const SHELL = LAYERS.length - 1;
const ACTOR = SHELL - 1;
const PORT = ACTOR - 1;

/** `src/render/render.ts` → `render`; `src/errors.ts` → `errors`. */
export function moduleOf(path: string): string {
  const [, first = ''] = path.split('/');
  return first.replace(/(\.test)?\.ts$/, '');
}

function layerOf(path: string): number {
  return LAYERS.findIndex((modules) => modules.includes(moduleOf(path)));
}

const isTest = ({ path }: SourceFile) => /\.test\.tsx?$|[/-]contract\.ts$/.test(path);
/** The half of a port or actor that opens files and sockets; in the words `-node` is just a node. */
const isNodeFile = (path: string) => /-node\.ts$/.test(path) && layerOf(path) >= PORT;
const isShell = (path: string) => layerOf(path) === SHELL;
/** `env` holds the real clock and the real randomness; it is a word with one foot in the world. */
const mayTouchTheWorld = (path: string) =>
  ['main', 'env', 'cli'].includes(moduleOf(path)) || isNodeFile(path);

function importedPath(file: SourceFile, from: string): string | undefined {
  return from.startsWith('.') ? normalize(join(dirname(file.path), from)) : undefined;
}

/** What is imported of the project itself, by production code. */
function ownImports(files: readonly SourceFile[]) {
  return files
    .filter((file) => !isTest(file))
    .flatMap((file) =>
      file.imports.flatMap((one) => {
        const target = importedPath(file, one.from);
        return target === undefined ? [] : [{ file, line: one.line, target }];
      }),
    );
}

export const everyFileHasALayer: Rule = (files) =>
  files
    .filter(({ path }) => layerOf(path) < 0)
    .map(({ path }) => ({
      path,
      line: 1,
      message: `module ${moduleOf(path)} is in no layer: give it one in test/tidy/rules.ts`,
    }));

export const importsPointDown: Rule = (files) =>
  ownImports(files).flatMap(({ file, line, target }) => {
    const complain = (message: string) => [{ path: file.path, line, message }];
    if (!target.startsWith('src/')) return complain(`imports ${target}, which is outside src`);
    const own = moduleOf(file.path);
    const other = moduleOf(target);
    if (own === other) return [];
    if (layerOf(target) > layerOf(file.path))
      return complain(`${own} imports ${other}, which stands above it`);
    if (layerOf(file.path) === ACTOR && layerOf(target) === ACTOR) {
      return complain(`${own} imports ${other}: actors meet only through the API`);
    }
    return [];
  });

export const modulesMeetThroughTheirIndex: Rule = (files) =>
  ownImports(files).flatMap(({ file, line, target }) => {
    const isInside = target.split('/').length > 2;
    if (!isInside || moduleOf(file.path) === moduleOf(target) || target.endsWith('/index.ts')) return [];
    if (isNodeFile(target) && isShell(file.path)) return [];
    return [
      {
        path: file.path,
        line,
        message: `imports ${target}; other modules are imported through their index.ts`,
      },
    ];
  });

export const nodeStaysOutside: Rule = (files) =>
  files
    .filter((file) => !isTest(file))
    .flatMap((file) =>
      file.imports.flatMap(({ from, line }) => {
        const target = importedPath(file, from);
        if (from.startsWith('node:') && !mayTouchTheWorld(file.path)) {
          return [
            { path: file.path, line, message: `imports ${from}; only main, env, cli and *-node.ts may` },
          ];
        }
        if (target !== undefined && isNodeFile(target) && !isShell(file.path)) {
          return [{ path: file.path, line, message: `imports ${target}; only shells may` }];
        }
        return [];
      }),
    );

/** What would make a run depend on something that was not handed in. */
const BANNED_INSIDE: readonly RegExp[] = [
  /^Date(\.now)?$/,
  /^performance\b/,
  /^process\b/,
  /^console\b/,
  /^Math\.random$/,
  /^crypto\b/,
  /^(set|clear)(Timeout|Interval|Immediate)$/,
  /^queueMicrotask$/,
  /^AbortSignal\.timeout$/,
  /^WeakRef$/,
  /^FinalizationRegistry$/,
  /^fetch$/,
  /^Buffer\b/,
];
/** What answers differently from machine to machine. */
const BANNED_EVERYWHERE: readonly RegExp[] = [/^Intl\b/];
const BANNED_MEMBERS = /\.(localeCompare|toLocale\w+)\(/;

export const globalsComeThroughEnv: Rule = (files) =>
  files
    .filter((file) => !isTest(file))
    .flatMap((file) => {
      const banned = [...BANNED_EVERYWHERE, ...(mayTouchTheWorld(file.path) ? [] : BANNED_INSIDE)];
      const used = file.globals
        .filter(({ name }) => banned.some((pattern) => pattern.test(name)))
        .map(({ name, line }) => ({
          path: file.path,
          line,
          message: `uses ${name}; take it from Env or a port`,
        }));
      const members = file.text.split('\n').flatMap((text, index) => {
        const member = BANNED_MEMBERS.exec(text)?.[1];
        if (member === undefined) return [];
        return [
          {
            path: file.path,
            line: index + 1,
            message: `uses ${member}; compare and print by bytes, never by language`,
          },
        ];
      });
      return [...used, ...members];
    });

/** Only `main` may end the process or read its arguments. */
export const onlyMainTouchesTheProcess: Rule = (files) =>
  files
    .filter((file) => !isTest(file) && moduleOf(file.path) !== 'main')
    .flatMap((file) =>
      file.globals
        .filter(({ name }) => /^process\b/.test(name))
        .map(({ name, line }) => ({
          path: file.path,
          line,
          message: `uses ${name}; only main.ts touches the process`,
        })),
    );

export const noCircles: Rule = (files) => {
  const edges = new Map<string, readonly string[]>();
  for (const { file, target } of ownImports(files)) {
    edges.set(file.path, [...(edges.get(file.path) ?? []), target]);
  }
  const complaints: Complaint[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      complaints.push({
        path,
        line: 1,
        message: `imports itself: ${[...trail.slice(start), path].join(' → ')}`,
      });
      return;
    }
    if (done.has(path)) return;
    for (const target of edges.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return complaints;
};

export const noOrphans: Rule = (files) => {
  const imported = new Set(ownImports(files).map(({ target }) => target));
  // The half of a port that touches the world is there for shells: the rest of the code does not miss it.
  const isRoot = (path: string) => /(^src\/main|\/index)\.ts$/.test(path) || isNodeFile(path);
  return files
    .filter((file) => !isTest(file) && !isRoot(file.path) && !imported.has(file.path))
    .map(({ path }) => ({ path, line: 1, message: 'is imported by no production code' }));
};

const BANNED_NAMES = new Set([
  'utils',
  'util',
  'helpers',
  'helper',
  'common',
  'lib',
  'shared',
  'types',
  'misc',
]);

export const foldersAreNouns: Rule = (files) =>
  files.flatMap(({ path }) => {
    const parts = path
      .replace(/(\.test)?\.tsx?$/, '')
      .split('/')
      .slice(1);
    const complain = (message: string) => [{ path, line: 1, message }];
    if (parts.length > 2) return complain('lies deeper than two levels');
    const banned = parts.find((part) => BANNED_NAMES.has(part));
    return banned === undefined ? [] : complain(`is named ${banned}: name the noun`);
  });

export const MAX_LINES = 450;

export const filesStayReadable: Rule = (files) =>
  files.flatMap((file) => {
    const lines = file.text.split('\n');
    const complaints: Complaint[] = [];
    if (lines.length > MAX_LINES && !isTest(file)) {
      const message = `has ${lines.length} lines; past ${MAX_LINES} look for the second noun hiding in it`;
      complaints.push({ path: file.path, line: MAX_LINES, message });
    }
    lines.forEach((line, index) => {
      const mark = /\b(TODO|FIXME|HACK|XXX)\b/.exec(line)?.[1];
      if (mark !== undefined)
        complaints.push({
          path: file.path,
          line: index + 1,
          message: `says ${mark}: finish it, or take it down`,
        });
    });
    return complaints;
  });

export const modulesExplainThemselves: Rule = (files) => {
  const modules = new Set(
    files
      .filter(({ path }) => path.split('/').length > 2)
      .map(({ path }) => path.split('/').slice(0, 2).join('/')),
  );
  return [...modules].flatMap((module) => {
    const index = files.find(({ path }) => path === `${module}/index.ts`);
    if (index === undefined) return [{ path: module, line: 1, message: 'has no index.ts' }];
    return index.text.startsWith('/**')
      ? []
      : [{ path: index.path, line: 1, message: 'does not begin with what the module is' }];
  });
};

export const allRules: readonly Rule[] = [
  everyFileHasALayer,
  importsPointDown,
  modulesMeetThroughTheirIndex,
  nodeStaysOutside,
  globalsComeThroughEnv,
  onlyMainTouchesTheProcess,
  noCircles,
  noOrphans,
  foldersAreNouns,
  filesStayReadable,
  modulesExplainThemselves,
];

/** The packages that production code imports, for the check of their reasons. */
export function packagesOf(files: readonly SourceFile[]): ReadonlySet<string> {
  const names = files
    .filter((file) => !isTest(file))
    .flatMap(({ imports }) => imports.map(({ from }) => from))
    .filter((from) => !from.startsWith('.') && !from.startsWith('node:'));
  return new Set(
    names.map((from) =>
      from
        .split('/')
        .slice(0, from.startsWith('@') ? 2 : 1)
        .join('/'),
    ),
  );
}
