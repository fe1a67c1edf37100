/** The command line of `millwright server`; its answers: src/server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../contract/eventually.ts';
import { freePort } from '../kubernetes/free-port.ts';
import { runCli } from './run-cli.ts';
import { type RunningApiserver, startApiserver } from './start-apiserver.ts';

describe('millwright server with an API server', () => {
  let cwd = '';
  let apiserver: RunningApiserver;
  beforeEach(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'millwright-server-'));
    apiserver = await startApiserver(['--port', '0'], cwd);
  });
  afterEach(async () => {
    await apiserver.stop();
    rmSync(cwd, { recursive: true });
  });
  const server = (...args: readonly string[]) => [
    ...['server', '--kubeconfig', apiserver.kubeconfig, '--port', '0'],
    ...args,
  ];

  it('serves metrics while it waits for its certificate, and stops on request', async () => {
    const port = await freePort();
    let stop: () => void = () => undefined;
    const args = server('--metrics-url', `127.0.0.1:${port}`);
    const run = runCli(args, { cwd, onStop: (call) => (stop = call) });
    const asked = /^millwright_api_requests_total\{verb="list",resource="secrets",code="200"\} \d+$/m;
    const text = await eventually('it has asked for its Secrets', async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
      const found = (await answer?.text()) ?? '';
      return asked.test(found) ? found : undefined;
    });
    expect(text).toContain('millwright_cache_objects{resource="secrets"} ');
    stop();
    expect(await run).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it.each([
    ['after', (kubeconfig: string) => ['server', 'pointer', '--pool', 'infra', '--kubeconfig', kubeconfig]],
    ['before', (kubeconfig: string) => ['server', '--kubeconfig', kubeconfig, 'pointer', '--pool', 'infra']],
  ])('asks the cluster of the kubeconfig for a pointer where it is given %s the command', async (_, args) => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'millwright-pointer-'));
    const run = await runCli(args(join(cwd, apiserver.kubeconfig)), { cwd: elsewhere });
    rmSync(elsewhere, { recursive: true });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('there is no pool infra');
  });

  it('reports an unusable metrics address in one line', async () => {
    const run = await runCli(server('--metrics-url', 'nowhere'), { cwd });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('--metrics-url: "nowhere" is not HOST:PORT');
  });
});
