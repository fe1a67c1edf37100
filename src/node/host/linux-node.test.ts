import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getuid } from 'node:process';
import { describe, expect, it } from 'vitest';
import { createCommandRunner } from './linux-node.ts';

const here = createCommandRunner({ entrance: { kind: 'here' }, maxOutputBytes: 1000 });

describe('a command', () => {
  it('exits with NO_SUCH_COMMAND where it does not exist', async () => {
    expect(await here.run('no-such-command', ['x'])).toEqual({
      stdout: '',
      stderr: 'exec: "no-such-command": executable file not found in $PATH\n',
      exitCode: 127,
    });
  });

  it('returns its output and its exit code', async () => {
    const args = ['-c', 'cat; echo "$X" >&2; echo "$HOME"; exit 3'];
    expect(await here.run('sh', args, { input: 'in ', env: { X: 'out' } })).toEqual({
      stdout: 'in \n',
      stderr: 'out\n',
      exitCode: 3,
    });
  });

  it('gets its arguments unchanged', async () => {
    const { stdout } = await here.run('printf', ['%s|', '$(id)', 'a b', ';', "'"]);
    expect(stdout).toBe("$(id)|a b|;|'|");
  });

  it('may write more than the limit, of which the end is kept', async () => {
    const { stdout } = await here.run('sh', [
      '-c',
      'i=0; while [ $i -lt 5000 ]; do echo $i; i=$((i+1)); done',
    ]);
    expect(stdout.length).toBe(1000);
    expect(stdout.endsWith('4998\n4999\n')).toBe(true);
  });

  it('may ignore its input', async () => {
    expect(await here.run('true', [], { input: 'x'.repeat(1_000_000) })).toMatchObject({ exitCode: 0 });
  });

  it('fails when it is killed', async () => {
    expect((await here.run('sh', ['-c', 'kill -9 $$'])).exitCode).toBe(137);
  });

  it.skipIf(getuid?.() !== 0)('runs in a root of its own', async () => {
    const root = mkdtempSync(join(tmpdir(), 'millwright-chroot-'));
    try {
      const linked = spawnSync('ldd', ['/bin/sh'], { encoding: 'utf8' }).stdout.match(/\/\S+/g) ?? [];
      for (const path of ['/bin/sh', ...linked]) {
        mkdirSync(join(root, dirname(path)), { recursive: true });
        copyFileSync(path, join(root, path));
      }
      const within = createCommandRunner({ entrance: { kind: 'chroot', root } });
      expect(await within.run('sh', ['-c', 'echo inside > /made-here; pwd'])).toMatchObject({
        stdout: '/\n',
        exitCode: 0,
      });
      expect(readFileSync(join(root, 'made-here'), 'utf8')).toBe('inside\n');
      expect(existsSync('/made-here')).toBe(false);
      expect((await within.run('rpm-ostree', [])).exitCode).toBe(127);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
