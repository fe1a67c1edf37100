/** Completion in real shells, and Millwright as a plugin of a real kubectl. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { buildProgram, packageRoot } from '../up/program.ts';

let home = '';
beforeAll(async () => {
  await buildProgram();
  home = mkdtempSync(join(tmpdir(), 'millwright-shells-'));
});
afterAll(() => rmSync(home, { recursive: true }));

function run(program: string, args: readonly string[]) {
  const { error, status, stdout, stderr } = spawnSync(program, args, {
    cwd: packageRoot,
    encoding: 'utf8',
    env: { HOME: home, PATH: `${join(packageRoot, 'bin')}${delimiter}${process.env.PATH}`, LANG: 'C.UTF-8' },
  });
  return { isMissing: error !== undefined, exitCode: status, stdout, stderr };
}

/** CI sets `MILLWRIGHT_REQUIRE_TOOLS=1`, so that nothing is skipped there in silence. */
function needs(context: TestContext, program: string): void {
  const { isMissing } = run(program, ['--version']);
  if (isMissing && process.env.MILLWRIGHT_REQUIRE_TOOLS === '1')
    throw new Error(`${program} is required here`);
  context.skip(isMissing, `${program} is not installed`);
}

/** As bash splits a line, `=` included. */
function inBash(line: string): readonly string[] {
  const words = line.split(/(=)| /).filter((word) => word !== undefined);
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const script = `source <(millwright completion bash)
    COMP_WORDS=(${quoted}) COMP_CWORD=${words.length - 1}
    _millwright
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  return sortedLines(run('bash', ['-c', script]));
}

/** With the functions of zsh that show candidates replaced by ones that print them. */
function inZsh(line: string): readonly string[] {
  const words = line.split(' ').map((word) => `'${word}'`);
  const script = `
    compdef() { : }
    _describe() { print -rl -- "\${(@P)3}" }
    _files() { print -r -- "files $*" }
    source <(millwright completion zsh)
    words=(${words.join(' ')}) CURRENT=${words.length}
    _millwright`;
  const lines = sortedLines(run('zsh', ['-fc', script]));
  return lines.map((text) => text.replaceAll('\\:', '\0').split(':')[0]?.replaceAll('\0', ':') ?? '');
}

function inFish(line: string): readonly string[] {
  const script = `millwright completion fish | source; complete -C '${line}'`;
  return sortedLines(run('fish', ['--no-config', '-c', script])).map((text) => text.split('\t')[0] ?? '');
}

function sortedLines({ exitCode, stdout, stderr }: ReturnType<typeof run>): readonly string[] {
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .toSorted();
}

describe.each([
  ['bash', inBash],
  ['zsh', inZsh],
  ['fish', inFish],
])('%s completes', (shell, complete) => {
  it('commands, flags, their values and arguments', (context) => {
    needs(context, shell);
    expect(complete('millwright sta')).toEqual(['status']);
    expect(complete('millwright status --w')).toEqual(['--watch']);
    expect(complete('millwright status -o ')).toEqual(['json', 'text']);
    expect(complete('millwright node worker-0 re')).toEqual(['reboot']);
    expect(complete('millwright node worker-0 nosuch')).toEqual([]);
  });
});

it('bash completes the value after an equals sign, which it counts as a word', (context) => {
  needs(context, 'bash');
  expect(inBash('millwright status --output=j')).toEqual(['json']);
});

it('zsh completes paths where a path is expected', (context) => {
  needs(context, 'zsh');
  expect(inZsh('millwright status --data-dir ')).toEqual(['files -/']);
});

it('fish completes paths where a path is expected', (context) => {
  needs(context, 'fish');
  expect(inFish('millwright apply -f READ')).toEqual(['README.md']);
});

describe('kubectl', () => {
  it('runs Millwright as its plugin, which knows its name', (context) => {
    needs(context, 'kubectl');
    const version = run('kubectl', ['millwright', '--version']);
    expect(version).toMatchObject({ exitCode: 0, stdout: run('millwright', ['--version']).stdout });
    expect(run('kubectl', ['millwright', 'help', 'status']).stdout).toMatch(
      /^Usage: kubectl millwright status /,
    );
    expect(run('kubectl', ['millwright', 'stats'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('millwright: unknown command'),
    });
    expect(run('kubectl', ['plugin', 'list']).stdout).toContain('bin/kubectl-millwright\n');
  });

  it('completes the plugin through it', (context) => {
    needs(context, 'kubectl');
    expect(run('kubectl', ['__complete', 'millwright', 'status', '--w']).stdout).toBe(
      '--watch\tshow every change until Ctrl-C\n:4\n',
    );
  });
});
