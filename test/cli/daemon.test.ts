/** The command lines of `millwright daemon` and `millwright pivot`; test/lab runs them on machines. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot, runCli, transcript } from './run-cli.ts';
import { type RunningApiserver, startApiserver } from './start-apiserver.ts';

const IN_CLUSTER =
  'this is no pod of a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: give a kubeconfig with --kubeconfig';

describe('millwright daemon', () => {
  it.each([
    ['', 'the name of the node is unknown: set --node-name or NODE_NAME'],
    ['--node-name n', IN_CLUSTER],
    [
      '--node-name n --host-pid x',
      "option '--host-pid <PID>' argument 'x' is invalid. Must be a process id.",
    ],
    [
      '--node-name n --kubelet-healthz-enabled no',
      "option '--kubelet-healthz-enabled <BOOL>' argument 'no' is invalid. Must be true or false.",
    ],
    [
      '--node-name n --feature-gates A=true',
      '--feature-gates: unknown "A=true": expected ImageModeStatusReporting=true|false',
    ],
  ])('rejects "%s" with one line', async (args, line) => {
    const run = await runCli(['daemon', ...args.split(' ').filter((one) => one !== '')]);
    expect(run).toEqual({ exitCode: 2, stdout: '', stderr: `millwright: ${line}\n` });
  });

  it.each(['daemon', 'pivot'])('--help of %s matches the golden file', async (name) => {
    const args = ['help', name];
    const golden = join(packageRoot, `test/golden/cli/help-${name}.txt`);
    await expect(transcript(args, await runCli(args))).toMatchFileSnapshot(golden);
  });
});

describe('millwright pivot', () => {
  it.each([
    ['--root-mount /nowhere/at/all', '--root-mount: no such directory: /nowhere/at/all'],
    ['--root-mount /dev/null', '--root-mount: no such directory: /dev/null'],
    ['--host-pid 9999999', '--host-pid: no such process: 9999999'],
  ])('rejects "%s" with one line', async (args, line) => {
    const run = await runCli(['pivot', ...args.split(' '), 'registry.example/os:1']);
    expect(run).toEqual({ exitCode: 2, stdout: '', stderr: `millwright: ${line}\n` });
  });
});

describe('millwright daemon with a server', () => {
  let cwd = '';
  let server: RunningApiserver;
  beforeEach(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'millwright-daemon-'));
    server = await startApiserver(['--port', '0'], cwd);
  });
  afterEach(async () => {
    await server.stop();
    rmSync(cwd, { recursive: true });
  });
  const daemon = (...args: readonly string[]) => [
    'daemon',
    '--kubeconfig',
    server.kubeconfig,
    '--node-name',
    'n',
    '--root-mount',
    cwd,
    ...args,
  ];

  it.each([
    ['nowhere', '--metrics-url: "nowhere" is not HOST:PORT'],
    ['127.0.0.1:1', 'cannot listen on 127.0.0.1:1: '],
  ])('reports an unusable metrics address (%s)', async (address, line) => {
    const isTaken = address.endsWith(':1');
    const taken = isTaken ? await occupied() : undefined;
    const where = taken === undefined ? address : `127.0.0.1:${taken.port}`;
    const run = await runCli(daemon('--metrics-url', where), { cwd });
    taken?.close();
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(line.replace('127.0.0.1:1:', `${where}:`));
  });

  it('serves metrics while waiting for its Node, and stops on request', async () => {
    const { port, close } = await occupied();
    close();
    let stop: () => void = () => undefined;
    const args = daemon('--metrics-url', `127.0.0.1:${port}`, '--kubelet-healthz-enabled', 'false');
    const run = runCli(args, { cwd, onStop: (call) => (stop = call) });
    const metrics = await until(() =>
      fetch(`http://127.0.0.1:${port}/metrics`).then((answer) => answer.text()),
    );
    expect(metrics).toContain('# TYPE mcd_reboots_failed_total counter\nmcd_reboots_failed_total 0\n');
    expect(await (await fetch(`http://127.0.0.1:${port}/health`)).text()).toBe('ok\n');
    expect(await (await fetch(`http://127.0.0.1:${port}/healthz`)).text()).toBe('ok\n');
    await until(
      async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200) ?? true,
    );
    expect((await fetch(`http://127.0.0.1:${port}/other`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST' })).status).toBe(405);
    stop();
    expect(await run).toMatchObject({ exitCode: 0, stdout: '' });
  });
});

async function until<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await act().catch(() => undefined);
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A port that is in use. */
async function occupied(): Promise<{ readonly port: number; readonly close: () => void }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, close: () => server.close() };
}
