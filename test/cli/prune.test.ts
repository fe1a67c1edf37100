/** `millwright prune` against an API server over its socket. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annotations, machineConfig, machineConfigPool } from '../../src/api/index.ts';
import { silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import { createKube, type Kube } from '../../src/kubernetes/client/index.ts';
import { readKubeconfig } from '../../src/kubernetes/client/kubeconfig-node.ts';
import { createNodeTransport, type NodeTransport } from '../../src/kubernetes/client/transport-node.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { aPool } from '../support/build.ts';
import { packageRoot, runCli, transcript } from './run-cli.ts';
import { type RunningApiserver, startApiserver } from './start-apiserver.ts';

const rendered = (digit: string) => `rendered-worker-${digit.repeat(32)}`;

it('`millwright help prune` matches the golden file', async () => {
  const args = ['help', 'prune'];
  const golden = join(packageRoot, 'test/golden/cli/help-prune.txt');
  await expect(transcript(args, await runCli(args))).toMatchFileSnapshot(golden);
});

describe('`millwright prune` with an API server', () => {
  let cwd = '';
  let server: RunningApiserver;
  let transport: NodeTransport;
  let kube: Kube;

  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'millwright-prune-'));
    server = await startApiserver(['--port', '0'], cwd);
    const access = await readKubeconfig(join(cwd, server.kubeconfig));
    transport = createNodeTransport({ access, clock: systemClock });
    const { signal } = new AbortController();
    const env = { clock: systemClock, random: systemRandom, log: silentLog, signal };
    kube = createKube({ transport, env, fieldManager: 'test' });
  });
  afterAll(async () => {
    transport.close();
    await server.stop();
    rmSync(cwd, { recursive: true });
  });

  const run = (line: string) => runCli(line.split(' '), { cwd });

  it.each([
    ['prune --keep some', '--keep: "some" is not a number from 0 to 1000'],
    ['prune --min-age -5m', '--min-age: "-5m" is negative: write 0s or more'],
    ['prune --min-age tomorrow', '--min-age: "tomorrow" is not a duration: write 30s, 5m or 1h30m'],
    ['prune --pool nosuch', 'no pool nosuch; pools: none'],
  ])('rejects `%s` with one line', async (line, message) => {
    expect(await run(line)).toEqual({ exitCode: 2, stdout: '', stderr: `millwright: ${message}\n` });
  });

  it('says that there is nothing', async () => {
    expect(await run('prune')).toEqual({ exitCode: 0, stdout: 'no rendered configs\n', stderr: '' });
  });

  it('shows what it would delete, deletes it, and says why it keeps the others', async () => {
    const { spec, ...pool } = aPool('worker', { configuration: { name: rendered('3') } });
    const created = await kube.create(machineConfigPool, { ...pool, spec });
    const owner = {
      apiVersion: pool.apiVersion,
      kind: pool.kind,
      name: 'worker',
      uid: created.metadata.uid ?? '',
    };
    for (const digit of ['0', '1', '2', '3']) {
      const metadata = { name: rendered(digit), ownerReferences: [owner] };
      await kube.create(machineConfig, {
        apiVersion: pool.apiVersion,
        kind: 'MachineConfig',
        metadata,
        spec: {},
      });
    }
    const texts = {
      [annotations.currentConfig]: rendered('1'),
      [annotations.diskConfigs]: `{"bootID":"1","configs":["${rendered('2')}"]}`,
    };
    const metadata = { name: 'worker-0', annotations: texts };
    await kube.create(nodeKind, { apiVersion: 'v1', kind: 'Node', metadata, spec: {} });

    const kept = (digit: string, why: string, width = 4) =>
      `  ${'kept'.padEnd(width)}  ${rendered(digit)}  ${why}`;
    const young = await run('prune --keep 0');
    expect(young.stdout).toContain(kept('0', 'a target less than 24h ago', 7));
    expect((await run('prune --keep 1 --dry-run --min-age 0s -o json')).stdout).toContain('"dryRun": true');
    const dry = await run('prune --keep 0 --dry-run --min-age 0s --pool worker');
    const lines = (deleted: string) => {
      const width = deleted.length;
      return [
        'worker',
        `  ${deleted}  ${rendered('0')}  nothing refers to it`,
        kept('1', 'worker-0 runs it', width),
        kept('2', 'the disk of worker-0 refers to it', width),
        kept('3', "pool worker's target", width),
        `1 rendered config ${deleted}, 3 kept`,
      ].toSorted();
    };
    // Those of one second are in the order of their names.
    const sorted = (text: string) => text.trimEnd().split('\n').toSorted();
    expect(dry).toMatchObject({ exitCode: 0, stderr: '' });
    expect(sorted(dry.stdout)).toEqual(lines('would be deleted'));
    const done = await run('prune --keep 0 --min-age 0s');
    expect(done).toMatchObject({ exitCode: 0, stderr: '' });
    expect(sorted(done.stdout)).toEqual(lines('deleted'));
    const left = (await kube.list(machineConfig)).items.map((one) => one.metadata.name);
    expect(left).toEqual([rendered('1'), rendered('2'), rendered('3')]);
  });
});
