/** `millwright status` against an API server over its socket. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  CONTROLLER_LEASE,
  CONTROLLERS_FAILING,
  controllerConfig,
  machineConfigNode,
  machineConfigPool,
  NAMESPACE,
  OPERATOR_LEASE,
} from '../../src/api/index.ts';
import { silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import { listFleet } from '../../src/cli/fleet-source.ts';
import type { Ports } from '../../src/cli/index.ts';
import { createKube, type Kube, type Transport } from '../../src/kubernetes/client/index.ts';
import { readKubeconfig } from '../../src/kubernetes/client/kubeconfig-node.ts';
import { createNodeTransport, type NodeTransport } from '../../src/kubernetes/client/transport-node.ts';
import { type Lease, lease, node } from '../../src/kubernetes/types/index.ts';
import { aRefusal, Fleet, NEW, OLD } from '../support/a-fleet.ts';
import { aPool } from '../support/build.ts';
import { EMPTY_CONTROLLER_CONFIG_SPEC } from '../support/controller-config-spec.ts';
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
    ['status', /^millwright: no cluster: .*, there is no cluster in \.millwright, and .*\n$/],
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
      stderr: `millwright: no cluster: $KUBECONFIG is not set, the cluster in .millwright is not running (${server.url} is unreachable), and $HOME is not set: start it with \`millwright up\`, or give a kubeconfig with --kubeconfig\n`,
    });
  });

  it('prints help that matches the golden file', async () => {
    const args = ['help', 'status'];
    const golden = join(packageRoot, 'test/golden/cli/help-status.txt');
    await expect(transcript(args, await runCli(args))).toMatchFileSnapshot(golden);
  });
});

/** Of a component that runs. */
function aLease(name: string): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      holderIdentity: 'pod_1',
      leaseDurationSeconds: 137,
      renewTime: new Date().toISOString().replace('Z', '000Z'),
    },
  };
}

describe('`millwright status` with an API server', () => {
  let cwd = '';
  let server: RunningApiserver;
  let transport: NodeTransport;
  let kube: Kube;
  const env = {
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    signal: new AbortController().signal,
  };
  const fleet = new Fleet().pool('worker', 2);

  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'millwright-status-'));
    server = await startApiserver(['--port', '0'], cwd);
    const access = await readKubeconfig(join(cwd, server.kubeconfig));
    transport = createNodeTransport({ access, clock: systemClock });
    kube = createKube({ transport, env, fieldManager: 'test' });
    fleet.nowMs = Date.now();
    for (const name of [CONTROLLER_LEASE, OPERATOR_LEASE]) await kube.create(lease, aLease(name));
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

  it('says that nobody acts on the cluster while its controllers do not hold their Lease', async () => {
    const at = { name: CONTROLLER_LEASE, namespace: NAMESPACE };
    await kube.delete(lease, at);
    const { stdout } = await runCli(['status'], { cwd });
    expect(stdout).toMatch(/^nobody acts on this cluster: machine-config-controller has never run\nworker /);
    expect(stdout).toContain(`kubectl -n ${NAMESPACE} get deployment machine-config-controller`);
    const json = JSON.parse((await runCli(['status', '-o', 'json'], { cwd })).stdout);
    expect(json.absent).toEqual({
      namespace: NAMESPACE,
      components: [{ name: 'machine-config-controller' }],
    });
    await kube.create(lease, aLease(CONTROLLER_LEASE));
    expect((await runCli(['status'], { cwd })).stdout).toBe(updated);
  });

  it('shows which reconcile of the controllers keeps failing, until it succeeds', async () => {
    const name = 'machine-config-controller';
    await kube.create(controllerConfig, {
      ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'ControllerConfig', metadata: { name } },
      spec: { ...EMPTY_CONTROLLER_CONFIG_SPEC, kubeAPIServerServingCAData: 'YQ==', rootCAData: 'YQ==' },
    });
    const report = async (status: 'True' | 'False', message: string) => {
      const [reason, lastTransitionTime] = ['ReconcileFailed', new Date().toISOString()];
      const condition = { type: CONTROLLERS_FAILING, status, reason, message, lastTransitionTime };
      const patch = { type: 'merge', body: { status: { conditions: [condition] } } } as const;
      await kube.patch(controllerConfig, { name }, patch, { subresource: 'status' });
    };
    const message = 'render MachineConfigPool worker: denied';
    const pipe = watching(['status', '--watch']);
    await pipe.until(/updated/);
    await report('True', message);
    await pipe.until(/the controllers have been failing for \d+s: render MachineConfigPool worker:\s+denied/);
    const { stdout } = await runCli(['status', 'worker'], { cwd });
    expect(stdout).toMatch(
      /^the controllers have been failing for \d+s: render MachineConfigPool worker:\s+denied\nworker /,
    );
    expect(stdout).toContain('kubectl -n default get events --field-selector reason=ReconcileFailed');
    const json = JSON.parse((await runCli(['status', '-o', 'json'], { cwd })).stdout);
    expect(json.failing).toEqual({ message, since: expect.stringMatching(/^\d{4}-.*Z$/) });
    await report('False', '');
    expect((await runCli(['status'], { cwd })).stdout).toBe(updated);
    pipe.stop();
    expect((await pipe.ended).exitCode).toBe(0);
    await kube.delete(controllerConfig, { name });
  });

  it('works without the right to read the ControllerConfig', async () => {
    const refusal = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403 };
    const body = async function* () {
      yield new TextEncoder().encode(JSON.stringify(refusal));
    };
    const refusing: Transport = {
      async send(request) {
        if (!request.path.endsWith('/controllerconfigs')) return transport.send(request);
        return { status: 403, headers: { 'content-type': 'application/json' }, body: body() };
      },
    };
    const objects = await listFleet(refusing, env);
    expect(objects).not.toHaveProperty('controllerConfigs');
    expect([...objects.nodes].length).toBe(2);
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
