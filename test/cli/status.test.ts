/** `millwright status` against an API server over its socket. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { machineConfigNode, machineConfigPool } from '../../src/api/index.ts';
import { silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import type { Ports } from '../../src/cli/index.ts';
import { createKube, type Kube } from '../../src/kubernetes/client/index.ts';
import { readKubeconfig } from '../../src/kubernetes/client/kubeconfig-node.ts';
import { createNodeTransport, type NodeTransport } from '../../src/kubernetes/client/transport-node.ts';
import { node } from '../../src/kubernetes/types/index.ts';
import { aRefusal, Fleet, NEW, OLD } from '../support/a-fleet.ts';
import { aPool } from '../support/build.ts';
import { packageRoot, runCli, transcript } from './run-cli.ts';
import { startCommand } from './running-command.ts';
import { type RunningApiserver, startApiserver } from './start-apiserver.ts';

describe('`millwright status` without a cluster', () => {
  let cwd = '';
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'millwright-status-'));
  });
  afterEach(() => rmSync(cwd, { recursive: true }));

  it.each([
    ['status', /^millwright: no cluster in \.millwright: start one with `millwright up`, .*\n$/],
    ['status --kubeconfig none', /^millwright: kubeconfig .*none cannot be read \(ENOENT\)\n$/],
    ['status -o yaml', /^millwright: option '-o, --output <FORMAT>' argument 'yaml' is invalid.*\n$/],
    ['status --data-dir=', /^millwright: option '--data-dir <DIR>' argument '' is invalid.*\n$/],
  ])('rejects `%s` with one line', async (line, stderr) => {
    const run = await runCli(line.split(' '), { cwd });
    expect(run).toEqual({ exitCode: 2, stdout: '', stderr: expect.stringMatching(stderr) });
  });

  it.each(['status', 'status --watch'])('explains how to start the cluster: `%s`', async (line) => {
    const server = await startApiserver(['--port', '0'], cwd);
    await server.stop();
    const run = await runCli(line.split(' '), { cwd });
    expect(run).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `millwright: the cluster in .millwright is not running (${server.url} is unreachable): start it with \`millwright up\`\n`,
    });
  });

  it('prints help that matches the golden file', async () => {
    const args = ['help', 'status'];
    const golden = join(packageRoot, 'test/golden/cli/help-status.txt');
    await expect(transcript(args, await runCli(args))).toMatchFileSnapshot(golden);
  });
});

describe('`millwright status` with an API server', () => {
  let cwd = '';
  let server: RunningApiserver;
  let transport: NodeTransport;
  let kube: Kube;
  const fleet = new Fleet().pool('worker', 2);

  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'millwright-status-'));
    server = await startApiserver(['--port', '0'], cwd);
    const access = await readKubeconfig(join(cwd, server.kubeconfig));
    transport = createNodeTransport({ access, clock: systemClock });
    const env = {
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      signal: new AbortController().signal,
    };
    kube = createKube({ transport, env, fieldManager: 'test' });
    fleet.nowMs = Date.now();
    await kube.create(machineConfigPool, aPool('worker', { configuration: { name: OLD } }));
    for (const name of ['worker-0', 'worker-1']) {
      const { node: machine, record } = fleet.life(name);
      await kube.create(node, machine);
      await kube.create(machineConfigNode, { ...record, metadata: { name } });
      await publish(name);
    }
  });
  afterAll(async () => {
    transport.close();
    await server.stop();
    rmSync(cwd, { recursive: true });
  });

  /** The current state of the node and its daemon. */
  async function publish(name: string): Promise<void> {
    const { node: machine, record } = fleet.life(name);
    const { metadata, spec = {} } = machine;
    const body = { metadata: { annotations: metadata.annotations }, spec };
    await kube.patch(node, { name }, { type: 'merge', body });
    const patch = { type: 'merge', body: { status: record.status } } as const;
    await kube.patch(machineConfigNode, { name }, patch, { subresource: 'status' });
  }

  async function retarget(config: string): Promise<void> {
    const body = { spec: { configuration: { name: config } } };
    await kube.patch(machineConfigPool, { name: 'worker' }, { type: 'merge', body });
  }

  const updated = ['worker  [##############################]  2/2  updated', `  ${OLD}`, ''].join('\n');

  it('rejects an unknown pool with a suggestion', async () => {
    expect(await runCli(['status', 'workers'], { cwd })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'millwright: no such pool: workers (did you mean worker?); pools: worker\n',
    });
  });

  it('prints plain text to a pipe, and colours to a terminal unless NO_COLOR is set', async () => {
    expect(await runCli(['status'], { cwd })).toEqual({ exitCode: 0, stdout: updated, stderr: '' });
    const { kubeconfig } = server;
    expect((await runCli(['status', '--kubeconfig', kubeconfig], { cwd })).stdout).toBe(updated);
    const terminal = { columns: 50, rows: 20 };
    const coloured = await watching(['status', 'worker'], { terminal }).ended;
    expect(coloured.stdout).toMatch(/^\p{Cc}\[1mworker\p{Cc}\[0m {2}\p{Cc}\[32m█+\p{Cc}/u);
    for (const environment of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      const { stdout } = await watching(['status'], { terminal, environment }).ended;
      expect(stdout).toContain('worker  [##########################]  2/2  updated\n');
    }
  });

  it('prints the whole fleet status with -o json', async () => {
    const { stdout } = await runCli(['status', '-o', 'json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      now: expect.stringMatching(/^\d{4}-.*Z$/),
      pools: [{ name: 'worker', state: 'updated', target: OLD, counts: { machines: 2 }, nodes: [{}, {}] }],
      strays: [],
    });
  });

  it('shows the progress of a rollout with --watch in a pipe, as JSON and on a terminal', async () => {
    const pipe = watching(['status', '--watch']);
    const json = watching(['status', '-w', '-o', 'json', 'worker']);
    const screen = watching(['status', '--watch'], { terminal: { columns: 80, rows: 20 } });
    const all = [pipe, json, screen];
    await Promise.all([pipe.until(/updated/), json.until(/"updated"/), screen.until(/updated/)]);
    await retarget(NEW);
    await Promise.all([
      pipe.until(/2 nodes waiting/),
      json.until(/"waiting":2/),
      screen.until(/2 nodes waiting/),
    ]);
    fleet.nowMs = Date.now();
    fleet.send('worker-0');
    fleet.drain('worker-0', { lastRefusal: aRefusal });
    await publish('worker-0');
    const blocked = /blocked: pod shop\/web-0 is protected by PodDisruptionBudget web/;
    await Promise.all([pipe.until(blocked), json.until(/"budget":"web"/), screen.until(blocked)]);
    // Durations increase.
    await screen.until(/draining for [1-9]/);
    for (const one of all) one.stop();
    for (const { exitCode, stderr } of await Promise.all(all.map(({ ended }) => ended)))
      expect([exitCode, stderr]).toEqual([0, '']);
    const blocks = (await pipe.ended).stdout.split('\n\n');
    expect(blocks[0]).toMatch(/^\d{4}-\d\d-\d\dT\S+Z\nworker {2}\[#+\] {2}2\/2 {2}updated\n/);
    expect((await pipe.ended).stdout).not.toMatch(/\p{Cc}\[/u);
    const lines = (await json.ended).stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).pools[0].state).at(-1)).toBe('updating');
    expect((await screen.ended).stdout).toMatch(/\p{Cc}\[2A/u);
  });

  it('reports an unreachable server and keeps the last status', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millwright-status-'));
    const other = await startApiserver(['--port', '0'], folder);
    const pipe = watching(['status', '--watch'], { cwd: folder });
    const screen = watching(['status', '--watch'], { cwd: folder, terminal: { columns: 80, rows: 20 } });
    await Promise.all([pipe.until(/no pools/), screen.until(/no pools/)]);
    await other.stop();
    await screen.until(/the server has been unreachable for \d+s: this status may be outdated/);
    await pipe.until(/the server is unreachable/);
    for (const one of [pipe, screen]) one.stop();
    expect(await pipe.ended).toMatchObject({
      exitCode: 0,
      stderr: 'millwright: the server is unreachable\n',
    });
    expect((await screen.ended).exitCode).toBe(0);
    rmSync(folder, { recursive: true });
  });

  /** A command that runs until it is stopped. */
  function watching(args: readonly string[], ports: Partial<Ports> = {}) {
    const { ended, stop, until } = startCommand(args, cwd, ports);
    return {
      ended,
      stop,
      /** Resolves once the pattern is printed on stdout or stderr. */
      until: (pattern: RegExp) => until((stdout, stderr) => pattern.test(stdout) || pattern.test(stderr)),
    };
  }
});
