/** What documents and `index.ts` files name exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { namedIn, namedInComment } from './documents.ts';

/** Records before this one name the paths of their day; it has the table that translates them. */
const TRANSLATING_RECORD = 'docs/adr/0013-the-tree-shows-the-product.md';

const records = readdirSync('docs/adr').map((name) => `docs/adr/${name}`);
const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'images/README.md'],
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  ...records.filter((path) => path > TRANSLATING_RECORD),
];
const tree = ['src', 'test', 'bench', 'scripts'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
);
const fileNames = new Set(tree.map((path) => basename(path)));
const scripts = Object.keys(
  (JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }).scripts,
);

async function commands(): Promise<readonly string[]> {
  const { stdout } = await runCli(['--help']);
  const [, listed = ''] = stdout.split('\nCommands:\n');
  const names = [...listed.matchAll(/^ {2}([a-z]+)\b/gm)].map((match) => match[1] ?? '');
  return [...names, ...names.map((name) => `help ${name}`)];
}

describe.each(documents)('%s', (path) => {
  const named = namedIn(readFileSync(path, 'utf8'));

  it('names only paths that exist', () => {
    expect(named.paths.filter((one) => !existsSync(one))).toEqual([]);
    expect(named.fileNames.filter((name) => !fileNames.has(name))).toEqual([]);
  });

  it('names only functions and types that their files declare', () => {
    const isDeclared = ({ path: file, name }: { readonly path: string; readonly name: string }) =>
      existsSync(file) &&
      new RegExp(`\\b(function|const|class|type|interface|async|#?)\\s*\\b${name}\\b`).test(
        readFileSync(file, 'utf8'),
      );
    expect(named.declarations.filter((one) => !isDeclared(one))).toEqual([]);
  });

  it('names only commands that the program has', async () => {
    const known = await commands();
    const unlisted = named.commands.filter((name) => !known.includes(name));
    // Those that people do not run have a help all the same.
    const helps = await Promise.all(unlisted.map((name) => runCli(['help', name])));
    expect(unlisted.filter((_, index) => helps[index]?.exitCode !== 0)).toEqual([]);
  });

  it('names only npm scripts that package.json has', () => {
    const known = [...scripts, 'ci', 'install', 'pack'];
    expect(named.scripts.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe('the decision records', () => {
  it('name paths that exist, or that record 13 translates into ones that do', () => {
    const translated = namedIn(readFileSync(TRANSLATING_RECORD, 'utf8')).paths;
    const unknown = records
      .filter((path) => path < TRANSLATING_RECORD)
      .flatMap((path) => namedIn(readFileSync(path, 'utf8')).paths.map((one) => `${path}: ${one}`))
      .filter((one) => {
        const [, named = ''] = one.split(': ');
        return (
          !existsSync(named) && !translated.some((known) => named === known || named.startsWith(`${known}/`))
        );
      });
    expect(unknown).toEqual([]);
  });
});

describe.each(tree.filter((path) => /^src\/.*\/index\.ts$/.test(path)))('%s', (path) => {
  const named = namedInComment(readFileSync(path, 'utf8'));

  it('names only files of its folder and modules that exist', () => {
    const folder = dirname(path);
    const beside = new Set(tree.filter((one) => one.startsWith(`${folder}/`)).map((one) => basename(one)));
    expect(named.fileNames.filter((name) => !beside.has(name))).toEqual([]);
    expect(named.paths.filter((one) => !existsSync(join('src', one)))).toEqual([]);
  });
});

describe('the check of documents', () => {
  it('finds paths, files, declarations, commands and scripts', () => {
    expect(
      namedIn(
        'See `src/a/b.ts`, `c.ts`, `millwright fly`, `npm run dance`.\n\n| x | `src/a/b.ts` | `walk` |\n```sh\nbin/millwright help swim\n```\n',
      ),
    ).toEqual({
      paths: ['src/a/b.ts'],
      fileNames: ['c.ts'],
      declarations: [{ path: 'src/a/b.ts', name: 'walk' }],
      commands: ['fly', 'help swim'],
      scripts: ['dance'],
    });
  });
});
