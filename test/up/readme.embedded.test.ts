/**
 * The quick start of the README: every command run by a shell, in a directory that looks like a checkout.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../cli/run-cli.ts';
import { findKubectls } from '../kubectl/find-kubectls.ts';

const run = promisify(execFile);
const LIMIT_MS = 600_000;

const section =
  /^## Five minutes\n(.*?)^## /ms.exec(readFileSync(join(packageRoot, 'README.md'), 'utf8'))?.[1] ?? '';
const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] ?? '');

const isRequired = process.env.MILLWRIGHT_REQUIRE_TOOLS === '1';
const hasKubectl = (await findKubectls()).length > 0;

describe.skipIf(!hasKubectl && !isRequired)('the five minutes of the README', () => {
  let folder = '';
  let up: ChildProcess | undefined;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millwright-readme-'));
    mkdirSync(join(folder, 'bin'));
    for (const name of ['bin/millwright', 'examples', 'package.json']) {
      symlinkSync(join(packageRoot, name), join(folder, name));
    }
    up = spawn('npm', ['start', '--silent'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    await ready(up);
  }, LIMIT_MS);
  afterAll(async () => {
    if (up?.pid !== undefined && up.exitCode === null) {
      const over = once(up, 'exit');
      // npm does not forward signals to the children of its shell, so the signal goes to the process group.
      process.kill(-up.pid, 'SIGINT');
      await over;
    }
    rmSync(folder, { recursive: true, force: true });
  }, LIMIT_MS);

  it('has commands', () => {
    expect(blocks.join('').split('\n').length).toBeGreaterThan(8);
  });

  it(
    'prints the documented results',
    async () => {
      const script = `set -eu\n${blocks.join('')}`;
      const { stdout } = await run('sh', ['-c', script], { cwd: folder, timeout: LIMIT_MS });
      expect(stdout).toMatch(/^node\/worker-2 +Ready +worker/m);
      expect(stdout).toContain('deployment "web" successfully rolled out');
      expect(stdout).toMatch(/^worker .*updating/m);
      expect(stdout).toContain('This node is kept by Millwright.\n');
      expect(stdout).toMatch(/^-rw-r--r-- .*rootfs\/etc\/motd$/m);
      expect(stdout).toMatch(/^worker-0 +rendered-worker-[0-9a-f]{32} +Done$/m);
    },
    LIMIT_MS,
  );
});

async function ready({ stdout }: ChildProcess): Promise<void> {
  let text = '';
  for await (const piece of stdout ?? []) {
    text += String(piece);
    if (/^ready .*\n/m.test(text)) return;
  }
  throw new Error(`it has ended before it was ready: ${text}`);
}
