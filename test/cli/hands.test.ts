/** `millwright pause`, `resume`, `retry` and `uncordon` against an API server over its socket. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annotations, machineConfig, machineConfigNode, machineConfigPool } from '../../src/api/index.ts';
import { silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import { createKube, type Kube } from '../../src/kubernetes/client/index.ts';
import { readKubeconfig } from '../../src/kubernetes/client/kubeconfig-node.ts';
import { createNodeTransport, type NodeTransport } from '../../src/kubernetes/client/transport-node.ts';
import { node } from '../../src/kubernetes/types/index.ts';
import { Fleet, NEW, OLD } from '../support/a-fleet.ts';
import { aConfig, aMachineConfig, aPool } from '../support/build.ts';
import { packageRoot, runCli, transcript } from './run-cli.ts';
import { type RunningApiserver, startApiserver } from './start-apiserver.ts';

it.each(['pause', 'resume', 'retry', 'uncordon'])(
  '`millwright help %s` matches the golden file',
  async (name) => {
    const args = ['help', name];
    const golden = join(packageRoot, `test/golden/cli/help-${name}.txt`);
    await expect(transcript(args, await runCli(args))).toMatchFileSnapshot(golden);
  },
);

describe('with an API server', () => {
  let cwd = '';
  let server: RunningApiserver;
  let transport: NodeTransport;
  let kube: Kube;
  const fleet = new Fleet().pool('worker', 2);

  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'millwright-hands-'));
    server = await startApiserver(['--port', '0'], cwd);
    const access = await readKubeconfig(join(cwd, server.kubeconfig));
    transport = createNodeTransport({ access, clock: systemClock });
    const { signal } = new AbortController();
    const env = { clock: systemClock, random: systemRandom, log: silentLog, signal };
    kube = createKube({ transport, env, fieldManager: 'test' });
    fleet.nowMs = Date.now();
    await kube.create(machineConfigPool, aPool('worker', { configuration: { name: NEW } }));
    for (const [name, text] of [
      [OLD, 'one'],
      [NEW, 'two'],
    ] as const) {
      const files = [{ path: '/etc/a', contents: { source: `data:,${text}` } }];
      await kube.create(machineConfig, aMachineConfig(name, { config: aConfig({ storage: { files } }) }));
    }
    for (const name of ['worker-0', 'worker-1']) {
      const { node: machine, record } = fleet.life(name);
      await kube.create(node, machine);
      await kube.create(machineConfigNode, { ...record, metadata: { name } });
    }
  });
  afterAll(async () => {
    transport.close();
    await server.stop();
    rmSync(cwd, { recursive: true });
  });

  const run = (line: string) => runCli(line.split(' '), { cwd });
  const isPaused = async () => (await kube.get(machineConfigPool, { name: 'worker' }))?.spec?.paused ?? false;
  /** Of the whole store: every write changes it. */
  const version = async () => (await kube.list(node)).resourceVersion;

  async function publish(name: string): Promise<void> {
    const { metadata, spec = {} } = fleet.life(name).node;
    const body = { metadata: { annotations: metadata.annotations }, spec };
    await kube.patch(node, { name }, { type: 'merge', body });
  }

  async function patchNode(name: string, body: object): Promise<void> {
    await kube.patch(node, { name }, { type: 'merge', body });
  }

  it.each([
    ['pause', "missing required argument 'POOL'"],
    ['pause workers', 'no such pool: workers (did you mean worker?); pools: worker'],
    ['resume infra', 'no such pool: infra; pools: worker'],
    ['retry worker-7', 'no such node: worker-7 (did you mean worker-0?); nodes: worker-0, worker-1'],
    ['uncordon other', 'no such node: other; nodes: worker-0, worker-1'],
  ])('rejects `%s` with one line', async (line, message) => {
    expect(await run(line)).toEqual({ exitCode: 2, stdout: '', stderr: `millwright: ${message}\n` });
  });

  it('pauses and resumes a pool, says what follows, and does nothing twice', async () => {
    const before = await version();
    const dry = await run('pause worker --dry-run');
    expect(dry).toMatchObject({ exitCode: 0, stderr: '' });
    expect(dry.stdout).toContain('  2 nodes wait, and keep their config: worker-0, worker-1\n');
    expect(dry.stdout).toMatch(/\nmachineconfigpool\/worker would be paused \(dry run\)\n$/);
    expect([await version(), await isPaused()]).toEqual([before, false]);
    expect((await run('pause worker')).stdout).toMatch(/\nmachineconfigpool\/worker paused\n$/);
    const paused = await version();
    expect(await isPaused()).toBe(true);
    const again = await run('pause worker');
    expect([again.exitCode, again.stdout.split('\n')[0]]).toEqual([0, 'pool worker is already paused']);
    const planned = await run('resume worker --dry-run');
    expect(planned.stdout).toBe(
      [
        `pool worker: 2 nodes of 2 go to ${NEW}: worker-0, worker-1`,
        '  one at a time; each is drained and rebooted',
        'machineconfigpool/worker would be resumed (dry run)',
        '',
      ].join('\n'),
    );
    expect(await version()).toBe(paused);
    expect((await run('resume worker')).stdout).toMatch(/\nmachineconfigpool\/worker resumed\n$/);
    expect(await isPaused()).toBe(false);
    expect(await run('resume worker')).toEqual({
      exitCode: 0,
      stdout: 'pool worker is not paused\n',
      stderr: '',
    });
  });

  it('asks a node that fails to try again, and refuses one that does not', async () => {
    const refused = await run('retry worker-1');
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^millwright: node worker-1 does not fail: it has rendered-worker-.*\n$/);
    fleet.send('worker-0');
    fleet.report('worker-0', { kind: 'update-found', to: NEW }, { kind: 'failed', error: 'no space left' });
    await publish('worker-0');
    const before = await version();
    const dry = await run('retry worker-0 --dry-run');
    expect(dry.stdout).toMatch(
      /it fails.*: no space left\n.*\nnode\/worker-0 would be asked to try again \(dry run\)\n$/,
    );
    expect(await version()).toBe(before);
    const asked = await run('retry worker-0');
    expect(asked.stdout).toMatch(/\nnode\/worker-0 asked to try again\n$/);
    const request = (await kube.get(node, { name: 'worker-0' }))?.metadata.annotations?.[annotations.retry];
    expect(request).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(await run('retry worker-0')).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('has been asked already'),
    });
    // It holds the only slot of its pool.
    const other = await run('retry worker-1 --force');
    expect(other).toMatchObject({ exitCode: 1, stdout: '' });
    expect(other.stderr).toContain(
      'pool worker may have 1 node out of service (maxUnavailable), and worker-0 is',
    );
    await patchNode('worker-0', { metadata: { annotations: { [annotations.retried]: request } } });
    expect((await run('retry worker-0 --force')).stdout).toMatch(
      /\nnode\/worker-0 asked to apply its whole config again\n$/,
    );
    const forced = (await kube.get(node, { name: 'worker-0' }))?.metadata.annotations?.[annotations.retry];
    expect(forced).toMatch(/^force-\d{4}-/);
  });

  it('removes a cordon of Millwright, and leaves that of a person', async () => {
    await patchNode('worker-1', { spec: { unschedulable: true } });
    expect(await run('uncordon worker-1')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        "millwright: the cordon of node worker-1 is not Millwright's, which leaves it as it is: kubectl uncordon worker-1\n",
    });
    await patchNode('worker-1', { spec: { unschedulable: null } });
    expect(await run('uncordon worker-1')).toEqual({
      exitCode: 0,
      stdout: 'node worker-1 is not cordoned\n',
      stderr: '',
    });
    // As the drain controller does it, for an update that has ended.
    const ours = createKube({
      transport,
      env: { clock: systemClock, random: systemRandom, signal: new AbortController().signal },
      fieldManager: 'machine-config-controller-drain',
    });
    await ours.patch(node, { name: 'worker-1' }, { type: 'merge', body: { spec: { unschedulable: true } } });
    const before = await version();
    expect((await run('uncordon worker-1 --dry-run')).stdout).toMatch(
      /node\/worker-1 would be uncordoned \(dry run\)\n$/,
    );
    expect(await version()).toBe(before);
    expect((await run('uncordon worker-1')).stdout).toMatch(/\nnode\/worker-1 uncordoned\n$/);
    expect((await kube.get(node, { name: 'worker-1' }))?.spec?.unschedulable ?? false).toBe(false);
  });
});
