/**
 * The architecture and style rules of the sources. Each is a function from the sources to violations.
 *
 * `MODULES` is the tree from the ground up: a module imports only what stands before it, through its `index.ts`.
 */
import { dirname, join, normalize } from 'node:path';
import type { SourceFile } from './source-file.ts';

export type Violation = { readonly path: string; readonly line: number; readonly message: string };
export type Rule = (files: readonly SourceFile[]) => readonly Violation[];

/**
 * - `pure`: decides; no I/O, no clock, no `node:`
 * - `port`: talks to one thing outside; no policy
 * - `actor`: observes, decides and writes; actors meet only through the API and never import one another
 * - `shell`: composes the others; may import files named `*-node.ts`, as these may themselves
 */
type Role = 'pure' | 'port' | 'actor' | 'shell';

/** Folders below `src`, or single files without their ending, from the ground up. */
const MODULES: readonly (readonly [path: string, role: Role])[] = [
  ['base/errors', 'pure'],
  ['base/json', 'pure'],
  ['base/bytes', 'pure'],
  ['base/json-fields', 'pure'],
  ['base/json-size', 'pure'],
  // It holds the real clock and the real randomness behind its ports.
  ['base/env', 'pure'],
  ['base/waiting', 'pure'],
  ['base/at-once', 'pure'],
  ['base/pauses', 'pure'],
  ['base/text', 'pure'],
  ['base/yaml', 'pure'],

  ['kubernetes/schema', 'pure'],
  ['kubernetes/meta', 'pure'],
  ['kubernetes/selectors', 'pure'],
  ['kubernetes/types', 'pure'],
  ['kubernetes/cel', 'pure'],
  ['kubernetes/validation', 'pure'],
  ['kubernetes/metrics', 'pure'],
  ['kubernetes/client', 'port'],

  ['api', 'pure'],
  ['config/ignition', 'pure'],
  ['config/content', 'pure'],
  ['config/render', 'pure'],
  ['config/systemd', 'pure'],
  ['config/registries', 'pure'],
  ['config/kubelet', 'pure'],
  ['config/crio', 'pure'],
  ['config/settings', 'pure'],
  ['config/generate', 'pure'],
  ['rollout', 'pure'],
  ['certificates', 'port'],
  ['node/plan', 'pure'],
  ['node/preflight', 'pure'],
  ['node/pinned', 'pure'],
  ['node/report', 'pure'],
  ['joining', 'pure'],
  ['install', 'pure'],
  ['images', 'port'],
  // After images: whether a build will run is decided there.
  ['insight', 'pure'],
  ['node/host', 'port'],
  ['controllers', 'actor'],
  ['node/daemon', 'actor'],
  ['server', 'actor'],
  ['processes/isolated-processes-node', 'port'],
  ['processes/build-trust-node', 'port'],
  ['processes/build-process-node', 'shell'],
  ['processes/process-metrics-node', 'port'],
  ['processes/component-metrics', 'shell'],
  ['processes/component-process', 'shell'],
  ['processes/daemon-process', 'shell'],
  ['processes/server-process', 'shell'],
  ['processes/pivot', 'shell'],

  ['embedded/status', 'pure'],
  ['embedded/rbac', 'pure'],
  ['embedded/admission', 'pure'],
  ['embedded/resources', 'pure'],
  ['embedded/crds', 'pure'],
  ['embedded/patch', 'pure'],
  ['embedded/tables', 'pure'],
  ['embedded/discovery', 'pure'],
  ['embedded/protobuf', 'pure'],
  ['embedded/apiserver', 'actor'],
  ['embedded/controllers', 'actor'],
  ['embedded/registry', 'port'],
  ['embedded/sandbox', 'port'],
  ['embedded/up', 'shell'],

  ['simulation', 'shell'],

  ['cli', 'shell'],
  ['main', 'shell'],
];

/** `src/config/render/render.ts` → `config/render`; `src/base/errors.ts` → `base/errors`. */
export function moduleOf(path: string): string {
  const inside = path.replace(/^src\//, '').replace(/(\.test)?\.tsx?$/, '');
  const found = MODULES.find(([module]) => inside === module || inside.startsWith(`${module}/`));
  return found?.[0] ?? inside;
}

function rankOf(path: string): number {
  return MODULES.findIndex(([module]) => module === moduleOf(path));
}

function roleOf(path: string): Role | undefined {
  return MODULES[rankOf(path)]?.[1];
}

const isTest = ({ path }: SourceFile) => /\.test\.tsx?$|[/-]contract\.ts$/.test(path);
/** The half of a port or actor that opens files and sockets; in pure code `-node` is just a node. */
const isNodeFile = (path: string) => /-node\.ts$/.test(path) && roleOf(path) !== 'pure';
const isShell = (path: string) => roleOf(path) === 'shell';
/** A file that opens files and sockets itself may use another one that does. */
const mayImportNodeFiles = (path: string) => isShell(path) || isNodeFile(path);
/** A folder of modules explains them in an `index.ts` that exports nothing. */
const isFolderIndex = (path: string) =>
  /^src\/(base|kubernetes|config|node|processes|embedded)\/index\.ts$/.test(path);
const mayTouchTheWorld = (path: string) =>
  ['main', 'base/env', 'cli'].includes(moduleOf(path)) || isNodeFile(path);

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

export const everyFileHasAModule: Rule = (files) =>
  files
    .filter(({ path }) => rankOf(path) < 0 && !isFolderIndex(path))
    .map(({ path }) => ({
      path,
      line: 1,
      message: `${moduleOf(path)} is in no module: give it a place in test/tidy/rules.ts`,
    }));

export const importsPointDown: Rule = (files) =>
  ownImports(files).flatMap(({ file, line, target }) => {
    const violation = (message: string) => [{ path: file.path, line, message }];
    if (!target.startsWith('src/')) return violation(`imports ${target}, which is outside src`);
    const own = moduleOf(file.path);
    const other = moduleOf(target);
    if (own === other) return [];
    if (rankOf(target) > rankOf(file.path))
      return violation(`${own} imports ${other}, which is in a higher layer`);
    if (roleOf(file.path) === 'actor' && roleOf(target) === 'actor') {
      return violation(`${own} imports ${other}: actors meet only through the API`);
    }
    return [];
  });

export const modulesMeetThroughTheirIndex: Rule = (files) =>
  ownImports(files).flatMap(({ file, line, target }) => {
    const own = moduleOf(file.path);
    const other = moduleOf(target);
    const isSingleFile = target === `src/${other}.ts`;
    if (isSingleFile || own === other || target === `src/${other}/index.ts`) return [];
    if (isNodeFile(target) && mayImportNodeFiles(file.path)) return [];
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
        if (target !== undefined && isNodeFile(target) && !mayImportNodeFiles(file.path)) {
          return [{ path: file.path, line, message: `imports ${target}; only shells and *-node.ts may` }];
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
  const violations: Violation[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      violations.push({
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
  return violations;
};

export const noOrphans: Rule = (files) => {
  const imported = new Set(ownImports(files).map(({ target }) => target));
  // The half of a port that touches the world is there for shells: the rest of the code does not miss it.
  const isRoot = (path: string) => /(^src\/main|\/index)\.ts$/.test(path) || isNodeFile(path);
  return files
    .filter((file) => !isTest(file) && !isRoot(file.path) && !imported.has(file.path))
    .map(({ path }) => ({ path, line: 1, message: 'is imported by no production code' }));
};

const BANNED_NAMES = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'lib', 'shared', 'misc']);

export const foldersAreNouns: Rule = (files) =>
  files.flatMap(({ path }) => {
    const parts = path
      .replace(/(\.test)?\.tsx?$/, '')
      .split('/')
      .slice(1);
    const violation = (message: string) => [{ path, line: 1, message }];
    if (parts.length > 4) return violation('is nested more than three levels deep');
    const banned = parts.find((part) => BANNED_NAMES.has(part));
    return banned === undefined ? [] : violation(`is named ${banned}: name the noun`);
  });

export const MAX_LINES = 450;

export const filesStayReadable: Rule = (files) =>
  files.flatMap((file) => {
    const lines = file.text.split('\n');
    const violations: Violation[] = [];
    if (lines.length > MAX_LINES && !isTest(file)) {
      const message = `has ${lines.length} lines; split files over ${MAX_LINES} lines`;
      violations.push({ path: file.path, line: MAX_LINES, message });
    }
    lines.forEach((line, index) => {
      const mark = /\b(TODO|FIXME|HACK|XXX)\b/.exec(line)?.[1];
      if (mark !== undefined)
        violations.push({
          path: file.path,
          line: index + 1,
          message: `contains ${mark}: finish it or remove it`,
        });
    });
    return violations;
  });

/** A screen. */
export const MAX_FUNCTION_LINES = 70;

export const functionsFitAScreen: Rule = (files) =>
  files
    .filter((file) => !isTest(file))
    .flatMap(({ path, functions }) =>
      functions
        .filter(({ lineCount }) => lineCount > MAX_FUNCTION_LINES)
        .map(({ name, line, lineCount }) => ({
          path,
          line,
          message: `${name} has ${lineCount} lines; past ${MAX_FUNCTION_LINES} split it`,
        })),
    );

/** More files than this, tests aside, and a second noun is hiding in the folder. */
export const MAX_FILES = 40;

export const foldersStaySmall: Rule = (files) => {
  const counts = new Map<string, number>();
  for (const file of files) {
    if (!isTest(file)) counts.set(dirname(file.path), (counts.get(dirname(file.path)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX_FILES)
    .map(([path, count]) => ({ path, line: 1, message: `holds ${count} files; past ${MAX_FILES} split it` }));
};

export const modulesExplainThemselves: Rule = (files) => {
  const folders = new Set(
    files.flatMap(({ path }) => {
      const module = moduleOf(path);
      const top = path.split('/').slice(1, -1)[0];
      const own = path.startsWith(`src/${module}/`) ? [`src/${module}`] : [];
      return top === undefined ? own : [...own, `src/${top}`];
    }),
  );
  return [...folders].flatMap((folder) => {
    const index = files.find(({ path }) => path === `${folder}/index.ts`);
    if (index === undefined) return [{ path: folder, line: 1, message: 'has no index.ts' }];
    return index.text.startsWith('/**')
      ? []
      : [{ path: index.path, line: 1, message: 'does not begin with what the module is' }];
  });
};

/** The folders and files that may name the usual namespace. All others are given the one that Millwright is installed in. */
const NAMES_THE_USUAL_NAMESPACE =
  /^src\/(api|embedded|install|simulation)\/|^src\/controllers\/settings\.ts$|^src\/cli\/(namespace-option|installed-namespace|install\/define-install)\.ts$/;

export const theNamespaceIsPassedDown: Rule = (files) =>
  files
    .filter((file) => !isTest(file) && !NAMES_THE_USUAL_NAMESPACE.test(file.path))
    .flatMap(({ path, text, imports }) => {
      const imported = imports.filter(
        ({ names, from }) => names.includes('NAMESPACE') && from.includes('api/'),
      );
      // Help has examples with its name.
      const isSpelled = moduleOf(path) !== 'cli' && text.includes('openshift-machine-config-operator');
      const lines = [...imported.map(({ line }) => line), ...(isSpelled ? [1] : [])];
      const message = 'names the usual namespace: Millwright may be installed in another one';
      return lines.map((line) => ({ path, line, message }));
    });

export const allRules: readonly Rule[] = [
  everyFileHasAModule,
  importsPointDown,
  modulesMeetThroughTheirIndex,
  nodeStaysOutside,
  globalsComeThroughEnv,
  onlyMainTouchesTheProcess,
  noCircles,
  noOrphans,
  foldersAreNouns,
  filesStayReadable,
  functionsFitAScreen,
  foldersStaySmall,
  modulesExplainThemselves,
  theNamespaceIsPassedDown,
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
