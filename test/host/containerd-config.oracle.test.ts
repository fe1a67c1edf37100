/**
 * Compares what pre-flight says of containerd's configuration with a real containerd: whether it loads its CRI plugin. As root.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../registry/tools.ts';
import { aChange, filesOf, judged } from '../support/a-preflight.ts';

const CONFIG = '/etc/containerd/config.toml';
const isRoot = process.getuid?.() === 0;

describe.skipIf(lacks('containerd') || !isRoot)('a configuration of containerd', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'containerd-config-'));
  });
  afterAll(async () => {
    if (folder !== '') await rm(folder, { recursive: true, force: true });
  });

  /** Why there is no CRI; empty where it is served. */
  async function criProblem(text: string): Promise<string> {
    const path = join(folder, 'config.toml');
    await writeFile(path, text);
    const places = ['root', 'state'].map((name) => `--${name}=${join(folder, name)}`);
    const daemon = spawn('containerd', ['--config', path, ...places, `--address=${join(folder, 'a.sock')}`]);
    let output = '';
    const ended = once(daemon, 'close');
    const isBooted = new Promise<boolean>((resolve) => {
      for (const stream of [daemon.stdout, daemon.stderr]) {
        stream.on('data', (chunk) => {
          output += chunk;
          if (output.includes('containerd successfully booted')) resolve(true);
        });
      }
      void ended.then(() => resolve(false));
    });
    if (!(await isBooted)) return output;
    daemon.kill('SIGTERM');
    await ended;
    if (!output.includes('Start cri plugin with config')) return 'the plugin is not loaded';
    return /failed to load plugin io\.containerd\.grpc\.v1\.cri.*/.exec(output)?.[0] ?? '';
  }

  const refusalsOf = (text: string) =>
    judged(aChange({}, filesOf({ [CONFIG]: text })), {
      runtime: 'containerd',
      files: { '/lib/systemd/system/containerd.service': '[Service]\nExecStart=/usr/bin/containerd\n' },
    }).refusals;

  const cri = (lines: string) =>
    `version = 2\n[plugins."io.containerd.grpc.v1.cri".containerd]\nsnapshotter = "native"\n${lines}\n`;
  const runtime = (name: string) =>
    `[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.${name}]\nruntime_type = "io.containerd.runc.v2"\n`;

  it.each<['works' | 'fails', string]>([
    ['works', cri('')],
    ['works', cri('default_runtime_name = "runc"')],
    ['works', cri(`default_runtime_name = "kata"\n${runtime('kata')}`)],
    ['fails', cri('default_runtime_name = "kata"')],
    ['fails', cri('default_runtime_name = ""')],
    ['fails', 'disabled_plugins = ["cri"]\n'],
    ['fails', 'version = 2\ndisabled_plugins = ["cri"]\n'],
    ['fails', 'version = 2\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n'],
    ['fails', 'version = 2\nversion = 2\n'],
  ])('%s for containerd and for pre-flight: %j', async (expected, text) => {
    const problem = await criProblem(text);
    expect(problem === '' ? 'works' : 'fails', problem).toBe(expected);
    const refusals = refusalsOf(text);
    expect(refusals.length === 0 ? 'works' : 'fails', refusals.join('\n')).toBe(expected);
  });
});
