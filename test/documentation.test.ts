/** What the documents show is what happens. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot, runCli } from './cli/run-cli.ts';

const documents = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Each `$ bin/millwright …` in a console block, with its documented output. */
function shownCommands(
  document: string,
): readonly { readonly args: readonly string[]; readonly output: string }[] {
  const blocks = [...document.matchAll(/^```console\n(.*?)^```$/gms)].map((match) => match[1] ?? '');
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = '', ...output] = part.split('\n');
        return { args: command.split(' ').slice(1), output: output.join('\n') };
      }),
  );
}

describe('the README', () => {
  const commands = shownCommands(readFileSync('README.md', 'utf8'));

  it('shows commands', () => {
    expect(commands.length).toBeGreaterThanOrEqual(3);
  });

  it.each(commands.map(({ args, output }) => [args.join(' '), args, output] as const))(
    'shows the real output of `%s`',
    async (_, args, output) => {
      const { stdout, stderr } = await runCli(args, { cwd: packageRoot });
      expect(stderr + stdout).toBe(output);
    },
  );
});

describe.each(documents)('%s', (path) => {
  it('only links to existing files', () => {
    const links = [...readFileSync(path, 'utf8').matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1] ?? '');
    expect(links.filter((link) => !/^https?:/.test(link) && !existsSync(join(dirname(path), link)))).toEqual(
      [],
    );
  });
});

describe('the npm scripts', () => {
  it('include those that the README names', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = [...readFileSync('README.md', 'utf8').matchAll(/npm (?:run )?([\w:]+)/g)].map(
      (match) => match[1] ?? '',
    );
    expect(named.filter((name) => scripts[name] === undefined && name !== 'ci')).toEqual([]);
  });
});
