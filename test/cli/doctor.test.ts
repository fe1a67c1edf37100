/** `millwright doctor` and `millwright dump` against an API server over its socket, and on dumps. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CONTROLLER_LEASE,
  machineConfig,
  machineConfigNode,
  machineConfigPool,
  NAMESPACE,
  OPERATOR_LEASE,
} from '../../src/api/index.ts';
import { silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import { createKube, type Kube } from '../../src/kubernetes/client/index.ts';
import { readKubeconfig } from '../../src/kubernetes/client/kubeconfig-node.ts';
import { createNodeTransport, type NodeTransport } from '../../src/kubernetes/client/transport-node.ts';
import {
  lease,
  namespace as namespaceKind,
  node,
  podDisruptionBudget,
} from '../../src/kubernetes/types/index.ts';
import { aRefusal, Fleet, NEW } from '../support/a-fleet.ts';
import { aMachineConfig, aPool } from '../support/build.ts';
import { schemaProblems } from '../support/json-schema.ts';
import { packageRoot, runCli, transcript } from './run-cli.ts';
import { type RunningApiserver, startApiserver } from './start-apiserver.ts';

const schema = JSON.parse(readFileSync(join(packageRoot, 'docs/schemas/doctor.schema.json'), 'utf8'));

/** With the same text in every run. */
const stable = (text: string) =>
  text
    .replaceAll(/for (\d+m)?\d+s/g, 'for TIME')
    .replaceAll(/"(now|since)": "[^"]*"/g, '"$1": "TIME"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');

describe('`millwright doctor` without a cluster', () => {
  it.each(['doctor', 'dump'])('prints help that matches the golden file: %s', async (command) => {
    const args = ['help', command];
    const golden = join(packageRoot, `test/golden/cli/help-${command}.txt`);
    await expect(transcript(args, await runCli(args))).toMatchFileSnapshot(golden);
  });

  it.each([
    [
      'doctor --from nowhere',
      /^millwright: --from nowhere: no folder, archive or manifest of a dump: it does not exist\n$/,
    ],
    ['doctor --from empty', /^millwright: --from empty: there are no MachineConfigPools in it: .*\n$/],
    ['doctor --kubeconfig none', /^millwright: kubeconfig .*none cannot be read \(ENOENT\)\n$/],
    ['doctor a b', /too many arguments/],
  ])('rejects `%s` with one line', async (line, stderr) => {
    const run = await runCli(line.split(' '));
    expect(run).toEqual({ exitCode: 2, stdout: '', stderr: expect.stringMatching(stderr) });
  });
});

describe('`millwright doctor` with an API server', () => {
  let cwd = '';
  let server: RunningApiserver;
  let transport: NodeTransport;
  let kube: Kube;
  const fleet = new Fleet().pool('worker', 2);

  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'millwright-doctor-'));
    server = await startApiserver(['--port', '0'], cwd);
    const access = await readKubeconfig(join(cwd, server.kubeconfig));
    transport = createNodeTransport({ access, clock: systemClock });
    const signal = new AbortController().signal;
    const env = { clock: systemClock, random: systemRandom, log: silentLog, signal };
    kube = createKube({ transport, env, fieldManager: 'test' });
    fleet.nowMs = Date.now() - 60_000;
    for (const name of [CONTROLLER_LEASE, OPERATOR_LEASE]) await kube.create(lease, aLease(name));
    await kube.create(machineConfigPool, aPool('worker', { configuration: { name: NEW } }));
    await kube.create(machineConfig, aMachineConfig(NEW));
    const metadata = { name: 'web', namespace: 'shop' };
    await kube.create(namespaceKind, {
      ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    });
    await kube.create(podDisruptionBudget, {
      ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    });
    const status = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
    await kube.patch(
      podDisruptionBudget,
      metadata,
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
    for (const name of ['worker-0', 'worker-1']) {
      const { node: machine, record } = fleet.life(name);
      await kube.create(node, machine);
      await kube.create(machineConfigNode, { ...record, metadata: { name } });
    }
    fleet.send('worker-0', NEW);
    fleet.report('worker-0', { kind: 'update-found' });
    fleet.drain('worker-0', { lastRefusal: aRefusal, refusedSinceMs: fleet.nowMs });
    fleet.cordon('worker-0');
    await publish('worker-0');
    await publish('worker-1');
  });
  afterAll(async () => {
    transport.close();
    await server.stop();
    rmSync(cwd, { recursive: true });
  });

  async function publish(name: string): Promise<void> {
    const { node: machine, record } = fleet.life(name);
    const { metadata, spec = {} } = machine;
    await kube.patch(
      node,
      { name },
      { type: 'merge', body: { metadata: { annotations: metadata.annotations }, spec } },
    );
    const patch = { type: 'merge', body: { status: record.status } } as const;
    await kube.patch(machineConfigNode, { name }, patch, { subresource: 'status' });
  }

  it('prints the cause, its evidence and the next command for people, and exits with 3', async () => {
    const run = await runCli(['doctor'], { cwd });
    const golden = join(packageRoot, 'test/golden/cli/doctor.txt');
    await expect(transcript(['doctor'], { ...run, stdout: stable(run.stdout) })).toMatchFileSnapshot(golden);
    expect(run.exitCode).toBe(3);
  });

  it('prints colours on a terminal only', async () => {
    const terminal = { columns: 100, rows: 20 };
    const golden = join(packageRoot, 'test/golden/cli/doctor-colors.txt');
    const run = await runCli(['doctor', 'worker'], { cwd, terminal });
    await expect(stable(run.stdout).replaceAll('\x1b', '<ESC>')).toMatchFileSnapshot(golden);
    const plain = await runCli(['doctor', 'worker'], { cwd, terminal, environment: { NO_COLOR: '1' } });
    expect(plain.stdout).not.toContain('\x1b');
  });

  it('prints JSON as its published schema says', async () => {
    const run = await runCli(['doctor', 'worker-0', '-o', 'json'], { cwd });
    const golden = join(packageRoot, 'test/golden/cli/doctor-json.txt');
    await expect(stable(run.stdout)).toMatchFileSnapshot(golden);
    expect(schemaProblems(schema, JSON.parse(run.stdout))).toEqual([]);
    expect(run.exitCode).toBe(3);
  });

  it('rejects a name that is no pool, node or build, with a suggestion', async () => {
    expect(await runCli(['doctor', 'worker-3'], { cwd })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^millwright: no pool, node or build is called worker-3 \(did you mean worker-\d\?\); pools: worker\n$/,
      ),
    });
  });

  it('finds the same in a dump, in its folder, its archive and the layout of must-gather', async () => {
    const live = await runCli(['doctor'], { cwd });
    expect(await runCli(['dump', '-o', 'folder'], { cwd })).toMatchObject({
      exitCode: 0,
      stdout: 'folder\n',
    });
    expect(await runCli(['dump', '-o', 'archive.tgz'], { cwd })).toMatchObject({ exitCode: 0 });
    mkdirSync(join(cwd, 'gathered/quay-io-image'), { recursive: true });
    for (const part of ['cluster-scoped-resources', 'namespaces']) {
      cpSync(join(cwd, 'folder', part), join(cwd, 'gathered/quay-io-image', part), { recursive: true });
    }
    writeFileSync(
      join(cwd, 'gathered/quay-io-image/cluster-scoped-resources/core/nodes/cut-off.yaml'),
      'kind: [',
    );
    writeFileSync(join(cwd, 'plain.tar'), gunzipSync(readFileSync(join(cwd, 'archive.tgz'))));
    for (const from of ['folder', 'archive.tgz', 'plain.tar']) {
      const run = await runCli(['doctor', '--from', from], { cwd });
      expect([run.exitCode, stable(run.stdout), run.stderr]).toEqual([3, stable(live.stdout), '']);
    }
    const run = await runCli(['doctor', '--from', 'gathered'], { cwd });
    const damaged = '\nonly seen in part, since the dump is damaged: nodes\n';
    expect([run.exitCode, stable(run.stdout)]).toEqual([3, `${stable(live.stdout)}${damaged}`]);
    expect(run.stderr).toMatch(/^millwright: --from gathered: 1 file skipped: .*cut-off\.yaml: .*\n$/);
  });

  it('reads the output of kubectl in one file', async () => {
    const nodes = await runCli(['get', 'nodes,machineconfigpools,machineconfignodes', '-o', 'yaml'], { cwd });
    writeFileSync(join(cwd, 'all.yaml'), nodes.stdout);
    const run = await runCli(['doctor', '--from', 'all.yaml', '-o', 'json', '-n', NAMESPACE], { cwd });
    expect(run.stderr).toMatch(/nothing in it says when it was taken/);
    const others = await runCli(['get', 'leases,poddisruptionbudgets', '-A', '-o', 'yaml'], { cwd });
    writeFileSync(join(cwd, 'all.yaml'), `${nodes.stdout}---\n${others.stdout}`);
    const more = await runCli(['doctor', '--from', 'all.yaml'], { cwd });
    expect([more.exitCode, more.stdout]).toEqual([3, expect.stringMatching(/^blocked: the drain of node/)]);
  });

  it('asserts nothing from what is missing in a damaged dump', async () => {
    await runCli(['dump', '-o', 'damaged'], { cwd });
    const [leases, nodes] = [
      `damaged/namespaces/${NAMESPACE}/coordination.k8s.io/leases`,
      'damaged/cluster-scoped-resources/core/nodes',
    ];
    writeFileSync(join(cwd, leases, `${CONTROLLER_LEASE}.yaml`), 'kind: [');
    for (const name of readdirSync(join(cwd, nodes))) truncateSync(join(cwd, nodes, name), 200);
    const run = await runCli(['doctor', '--from', 'damaged'], { cwd });
    expect([run.exitCode, run.stdout]).toEqual([
      0,
      'nothing that can be seen blocks this cluster\n\nonly seen in part, since the dump is damaged: leases, nodes\n',
    ]);
    expect(run.stderr).toMatch(/: 3 files skipped: /);
    const json = await runCli(['doctor', '--from', 'damaged', '-o', 'json'], { cwd });
    expect(schemaProblems(schema, JSON.parse(json.stdout))).toEqual([]);
    expect(JSON.parse(json.stdout).unread).toEqual(['leases', 'nodes']);
  });

  it('finds an object whose name is that of a kind', async () => {
    await runCli(['dump', '-o', 'odd'], { cwd });
    const pools = join(
      cwd,
      'odd/cluster-scoped-resources/machineconfiguration.openshift.io/machineconfigpools',
    );
    const pool = readFileSync(join(pools, 'worker.yaml'), 'utf8').replaceAll('worker', 'pods');
    writeFileSync(join(pools, 'pods.yaml'), pool);
    const run = await runCli(['doctor', 'nosuch', '--from', 'odd'], { cwd });
    expect(run.stderr).toMatch(/; pools: pods, worker\n$/);
  });

  it('ignores objects with names that no API server accepts: they would end up in commands', async () => {
    await runCli(['dump', '-o', 'hostile'], { cwd });
    const nodes = join(cwd, 'hostile/cluster-scoped-resources/core/nodes');
    const node = readFileSync(join(nodes, 'worker-0.yaml'), 'utf8');
    for (const [file, name] of [
      ['a', "'x; reboot'"],
      ['b', '"x\\e[2J"'],
    ]) {
      writeFileSync(join(nodes, `${file}.yaml`), node.replaceAll(/name: worker-0$/gm, `name: ${name}`));
    }
    const run = await runCli(['doctor', '--from', 'hostile', '-o', 'json'], { cwd });
    expect(run.exitCode).toBe(3);
    expect(run.stdout).not.toMatch(/reboot|\\u001b/);
  });

  it.each([
    ['cut.tar.gz', (dump: Buffer) => dump.subarray(0, 1_000), 'the archive is cut off'],
    ['text.tar.gz', () => Buffer.from('hello'), 'the archive ends within a header'],
    ['damaged.tar.gz', (dump: Buffer) => Buffer.from(dump).fill(7, 20, 200), 'the archive is damaged'],
  ])('rejects the archive %s with one line', async (name, change, why) => {
    await runCli(['dump', '-o', `whole-${name}`], { cwd });
    writeFileSync(join(cwd, name), change(readFileSync(join(cwd, `whole-${name}`))));
    expect(await runCli(['doctor', '--from', name], { cwd })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `millwright: --from ${name}: no folder, archive or manifest of a dump: ${why}\n`,
    });
  });

  it('does not overwrite a dump', async () => {
    await runCli(['dump', '-o', 'again'], { cwd });
    expect(await runCli(['dump', '-o', 'again'], { cwd })).toMatchObject({
      exitCode: 2,
      stderr: 'millwright: again is not empty: choose another folder, or a file *.tar.gz\n',
    });
    await runCli(['dump', '-o', 'again.tar.gz'], { cwd });
    expect(await runCli(['dump', '-o', 'again.tar.gz'], { cwd })).toMatchObject({
      exitCode: 2,
      stderr: 'millwright: again.tar.gz cannot be written (EEXIST)\n',
    });
  });

  it('exits with 0 once nothing blocks, with what else it saw', async () => {
    fleet.drained('worker-0');
    await publish('worker-0');
    expect(await runCli(['doctor'], { cwd })).toEqual({
      exitCode: 0,
      stdout: 'nothing blocks this cluster\n',
      stderr: '',
    });
    const run = await runCli(['doctor', 'worker', '-o', 'json'], { cwd });
    expect(schemaProblems(schema, JSON.parse(run.stdout))).toEqual([]);
    expect(JSON.parse(run.stdout)).toMatchObject({ verdict: 'healthy', others: [] });
  });
});

function aLease(name: string) {
  const spec = {
    ...{ holderIdentity: 'pod_1', leaseDurationSeconds: 137 },
    renewTime: new Date().toISOString().replace('Z', '000Z'),
  };
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: NAMESPACE },
    spec,
  };
}
