import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as rules from './rules.ts';
import { readSource, type SourceFile } from './source-file.ts';
import { unusedExports } from './unused-exports.ts';

function sourcesIn(folder: string): readonly SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => readSource(join(folder, name), readFileSync(join(folder, name), 'utf8')));
}

const sources = sourcesIn('src');
const others = ['test', 'bench', 'scripts'].flatMap(sourcesIn);

/** One line per violation, as a compiler prints it. */
function lines(violations: readonly rules.Violation[]): readonly string[] {
  return violations.map(({ path, line, message }) => `${path}:${line}: ${message}`);
}

describe('the sources', () => {
  it.each(
    Object.entries(rules).filter((entry): entry is [string, rules.Rule] =>
      rules.allRules.includes(entry[1] as rules.Rule),
    ),
  )('keep the rule %s', (_, rule) => {
    expect(lines(rule(sources))).toEqual([]);
  });

  it('export only what has a user', () => {
    expect(lines(unusedExports(sources, others))).toEqual([]);
  });

  it('import only packages that package.json pins and a decision record gives a reason for', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const records = readdirSync('docs/adr')
      .map((name) => readFileSync(join('docs/adr', name), 'utf8'))
      .join('\n');
    expect([...rules.packagesOf(sources)].sort()).toEqual(Object.keys(dependencies).sort());
    for (const [name, version] of Object.entries(dependencies)) {
      expect(version, `${name} is pinned exactly`).toMatch(/^\d+\.\d+\.\d+$/);
      expect(records, `a record in docs/adr gives the reason for ${name}`).toContain(`\`${name}\``);
    }
  });
});

/** Each rule must find the violation in a bad file. */
describe('each rule finds what it is for', () => {
  const one = (path: string, text: string) => readSource(path, text);
  const table: readonly [string, rules.Rule, readonly SourceFile[]][] = [
    ['a file of no module', rules.everyFileHasAModule, [one('src/attic/x.ts', '')]],
    [
      'an import that points up',
      rules.importsPointDown,
      [one('src/api/x.ts', "import { y } from '../config/render/index.ts';")],
    ],
    [
      'a type import that points up',
      rules.importsPointDown,
      [one('src/kubernetes/schema/x.ts', "import type { Y } from '../client/index.ts';")],
    ],
    [
      'an import out of src',
      rules.importsPointDown,
      [one('src/api/x.ts', "import { y } from '../../test/y.ts';")],
    ],
    [
      'an actor that imports another',
      rules.importsPointDown,
      [one('src/node/daemon/x.ts', "import { y } from '../../controllers/index.ts';")],
    ],
    [
      'an import past the index',
      rules.modulesMeetThroughTheirIndex,
      [one('src/config/render/x.ts', "export * from '../../api/kind.ts';")],
    ],
    [
      'node: in pure code',
      rules.nodeStaysOutside,
      [one('src/config/render/x.ts', "import { join } from 'node:path';")],
    ],
    [
      'a lazy node: in pure code',
      rules.nodeStaysOutside,
      [one('src/config/render/x.ts', "await import('node:fs');")],
    ],
    [
      'an actor that imports a node file',
      rules.nodeStaysOutside,
      [one('src/kubernetes/client/x.ts', "import { y } from './transport-node.ts';")],
    ],
    ...(
      [
        'Date.now()',
        'new Date()',
        'setTimeout(() => {}, 1)',
        'Math.random()',
        'crypto.randomUUID()',
        'performance.now()',
        'process.env.X',
        'console.log(1)',
        'new WeakRef({})',
        'AbortSignal.timeout(1)',
        'fetch("x")',
        'const f = Date.now',
        'Intl.NumberFormat()',
        '"a".localeCompare("b")',
        '(1).toLocaleString()',
      ] as const
    ).map((code): [string, rules.Rule, readonly SourceFile[]] => [
      code,
      rules.globalsComeThroughEnv,
      [one('src/config/render/x.ts', code)],
    ]),
    ['Intl also in a shell', rules.globalsComeThroughEnv, [one('src/cli/x.ts', 'Intl.DateTimeFormat()')]],
    ['process in a command', rules.onlyMainTouchesTheProcess, [one('src/cli/x.ts', 'process.exit(1)')]],
    [
      'a circle',
      rules.noCircles,
      [
        one('src/api/a.ts', "import './b.ts';"),
        one('src/api/b.ts', "import './c.ts';"),
        one('src/api/c.ts', "import './a.ts';"),
      ],
    ],
    ['an orphan', rules.noOrphans, [one('src/api/a.ts', '')]],
    [
      'a file only a test imports',
      rules.noOrphans,
      [one('src/api/a.ts', ''), one('src/api/a.test.ts', "import './a.ts';")],
    ],
    ['a deep folder', rules.foldersAreNouns, [one('src/api/v1/a/b/c.ts', '')]],
    ['a cupboard', rules.foldersAreNouns, [one('src/api/helpers.ts', '')]],
    ['an unfinished mark', rules.filesStayReadable, [one('src/api/a.ts', `// ${'TO'}DO later`)]],
    ['a scroll', rules.filesStayReadable, [one('src/api/a.ts', '\n'.repeat(rules.MAX_LINES + 1))]],
    [
      'a function that fills more than a screen',
      rules.functionsFitAScreen,
      [one('src/api/a.ts', `export function a() {${'\n'.repeat(rules.MAX_FUNCTION_LINES)}}`)],
    ],
    [
      'a crowded folder',
      rules.foldersStaySmall,
      Array.from({ length: rules.MAX_FILES + 1 }, (_, number) => one(`src/api/a${number}.ts`, '')),
    ],
    ['a module without an index', rules.modulesExplainThemselves, [one('src/api/a.ts', '')]],
    [
      'the usual namespace in a controller',
      rules.theNamespaceIsPassedDown,
      [one('src/controllers/a.ts', "import { NAMESPACE } from '../api/index.ts';")],
    ],
    [
      'the name of the usual namespace in a controller',
      rules.theNamespaceIsPassedDown,
      [one('src/controllers/a.ts', "const namespace = 'openshift-machine-config-operator';")],
    ],
    [
      'an index that explains nothing',
      rules.modulesExplainThemselves,
      [one('src/api/index.ts', "export * from './a.ts';")],
    ],
  ];
  it.each(table)('%s', (_, rule, files) => {
    expect(rule(files)).not.toEqual([]);
  });

  it.each([
    [
      'a key that is named like a global',
      'src/config/render/x.ts',
      'const x = { process: 1, Date: 2 }; x.process;',
    ],
    [
      'a parameter that is named like a global',
      'src/config/render/x.ts',
      'const f = (process: string) => process.length;',
    ],
    ['a type that is named like a global', 'src/config/render/x.ts', 'type Clock = { now(): Date };'],
    [
      'a global in a comment or a text',
      'src/config/render/x.ts',
      "// Date.now()\nconst x = 'process.exit()';",
    ],
    ['the clock in env', 'src/base/env.ts', 'const now = Date.now();'],
    ['the process in main', 'src/main.ts', 'process.exit();'],
  ])('and not %s', (_, path, text) => {
    const files = [readSource(path, text)];
    expect([...rules.globalsComeThroughEnv(files), ...rules.onlyMainTouchesTheProcess(files)]).toEqual([]);
  });
});
