/**
 * Behaviour of the process: exit codes, closed pipes and internal errors. Runs a bundle of its own, independent of dist/.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixtures, packageRoot, runCli } from './run-cli.ts';

const bundle = join(packageRoot, `dist.test-${process.pid}`);

beforeAll(async () => {
  await build({
    entryPoints: [join(packageRoot, 'src/main.ts')],
    outdir: bundle,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['lmdb'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
});

afterAll(() => rmSync(bundle, { recursive: true, force: true }));

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = fixtures) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { exitCode: status, stdout, stderr };
}

const program = join(bundle, 'main.js');

test.each([
  ['render invalid', 1],
  ['render nowhere', 2],
  ['rendr', 2],
  ['render -o json cluster', 0],
])('millwright %s behaves as in-process and exits with code %d', async (line, exitCode) => {
  const args = line.split(' ');
  const { exitCode: status, ...output } = run(process.execPath, [program, ...args]);
  expect(status).toBe(exitCode);
  expect({ exitCode: status, ...output }).toEqual(await runCli(args));
});

test('a closed pipe is not an error', () => {
  const script = 'set -o pipefail; "$0" "$1" render --with-base -o json no-pool | true';
  expect(run('bash', ['-c', script, process.execPath, program])).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: '',
  });
});

test('a pipe can be given as a file', () => {
  const script = '"$0" "$1" render --check <(cat no-pool/*.yaml)';
  expect(run('bash', ['-c', script, process.execPath, program])).toEqual({
    exitCode: 0,
    stdout: '',
    stderr:
      'note: no pools in the input: objects were validated individually only\nno problems in 1 object\n',
  });
});

test.each(['apiserver', 'render .'])('a missing working directory is reported in one line: %s', (line) => {
  const gone = mkdtempSync(join(tmpdir(), 'millwright-gone-'));
  const script = 'cd "$2" && rmdir "$2" && "$0" "$1" $3';
  expect(run('bash', ['-c', script, process.execPath, program, gone, line])).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'millwright: the current working directory no longer exists: change to another\n',
  });
});

test('help works without a working directory', () => {
  const gone = mkdtempSync(join(tmpdir(), 'millwright-gone-'));
  const script = 'cd "$2" && rmdir "$2" && "$0" "$1" --version';
  expect(run('bash', ['-c', script, process.execPath, program, gone])).toMatchObject({
    exitCode: 0,
    stderr: '',
  });
});

test('an internal error is one line, with a stack trace on request', () => {
  // Outside of its package the program finds neither its version nor its templates.
  const alone = mkdtempSync(join(tmpdir(), 'millwright-alone-'));
  try {
    cpSync(bundle, join(alone, 'dist'), { recursive: true });
    const args = [join(alone, 'dist/main.js'), 'render', 'cluster'];
    const brief = run(process.execPath, args);
    expect(brief).toEqual({
      exitCode: 70,
      stdout: '',
      stderr: expect.stringMatching(/^millwright: internal error: .+\n$/),
    });
    const traced = run(process.execPath, args, { MILLWRIGHT_DEBUG: '1' });
    expect(traced.exitCode).toBe(70);
    expect(traced.stderr).toMatch(/^millwright: internal error: .+\n(.|\n)*\n {4}at /);
  } finally {
    rmSync(alone, { recursive: true });
  }
});

describe('millwright apiserver', () => {
  let folder = '';
  const children: ChildProcess[] = [];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'millwright-process-'));
  });
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const args = ['apiserver', '--data-dir', 'data', '--port', '0'];
  const start = async () => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    let stdout = '';
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const ended = once(child, 'close').then(([exitCode, signal]) => ({ exitCode, signal, stdout, stderr }));
    const ready = new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk) => {
        stdout += chunk;
        if (stdout.endsWith('\n')) resolve();
      });
    });
    await Promise.race([ready, ended.then((end) => Promise.reject(new Error(JSON.stringify(end))))]);
    return { child, ended };
  };
  const onlyReady = /^ready kubeconfig=data\/kubeconfig server=https:\/\/127\.0\.0\.1:\d+\n$/;

  test.each(['SIGINT', 'SIGTERM'] as const)('exits with 0 on %s', async (signal) => {
    const { child, ended } = await start();
    child.kill(signal);
    expect(await ended).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(onlyReady) });
  });

  test('exits on SIGTERM at any time during startup', async () => {
    for (const afterMs of [0, 50, 100, 200, 300, 400]) {
      const child = spawn(process.execPath, [program, ...args], { cwd: folder, stdio: 'ignore' });
      children.push(child);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      const asked = performance.now();
      child.kill('SIGTERM');
      const [exitCode, signal] = await once(child, 'close');
      // Before the handler is installed the default action ends it, afterwards it stops by itself.
      expect(signal === 'SIGTERM' || exitCode === 0).toBe(true);
      expect(performance.now() - asked).toBeLessThan(5_000);
    }
  });

  test('locks its data directory until it ends', async () => {
    const first = await start();
    expect(run(process.execPath, [program, ...args], {}, folder)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(`^millwright: the store in .*: process ${first.child.pid} has it open .*--data-dir\\n$`),
      ),
    });
    first.child.kill('SIGKILL');
    expect(await first.ended).toMatchObject({ signal: 'SIGKILL' });
    const second = await start();
    second.child.kill('SIGTERM');
    expect(await second.ended).toMatchObject({ exitCode: 0 });
  });
});
