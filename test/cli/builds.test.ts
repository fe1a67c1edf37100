/** `millwright builds` against an API server over its socket. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annotations, machineOSBuild, machineOSConfig } from '../../src/api/index.ts';
import { silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import { createKube, type Kube, type Transport } from '../../src/kubernetes/client/index.ts';
import { readKubeconfig } from '../../src/kubernetes/client/kubeconfig-node.ts';
import { createNodeTransport, type NodeTransport } from '../../src/kubernetes/client/transport-node.ts';
import { packageRoot, runCli, transcript } from './run-cli.ts';
import { type RunningApiserver, startApiserver } from './start-apiserver.ts';

const API_VERSION = 'machineconfiguration.openshift.io/v1';
const NAME = `infra-${'1'.repeat(32)}`;
const IMAGE = `quay.io/example/os@sha256:${'d'.repeat(64)}`;
const WHY = 'STEP 9/10: RUN install nosuch: exit status 1: install: package nosuch not found';

it('`millwright help builds` matches the golden file', async () => {
  const args = ['help', 'builds'];
  const golden = join(packageRoot, 'test/golden/cli/help-builds.txt');
  await expect(transcript(args, await runCli(args))).toMatchFileSnapshot(golden);
});

/** Builds are written by the builder alone. */
function asBuilder(transport: Transport): Transport {
  const user = 'system:serviceaccount:openshift-machine-config-operator:machine-os-builder';
  const identity = { 'impersonate-user': user, 'impersonate-group': 'system:masters' };
  return { send: (request) => transport.send({ ...request, headers: { ...request.headers, ...identity } }) };
}

describe('`millwright builds` with an API server', () => {
  let cwd = '';
  let server: RunningApiserver;
  let transport: NodeTransport;
  let kube: Kube;

  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'millwright-builds-'));
    server = await startApiserver(['--port', '0'], cwd);
    const access = await readKubeconfig(join(cwd, server.kubeconfig));
    transport = createNodeTransport({ access, clock: systemClock });
    const { signal } = new AbortController();
    const env = { clock: systemClock, random: systemRandom, log: silentLog, signal };
    kube = createKube({ transport: asBuilder(transport), env, fieldManager: 'test' });
  });
  afterAll(async () => {
    transport.close();
    await server.stop();
    rmSync(cwd, { recursive: true });
  });

  const run = (line: string) => runCli(line.split(' '), { cwd });

  it('says that no pool builds its image', async () => {
    expect(await run('builds')).toEqual({
      exitCode: 0,
      stdout: 'no MachineOSConfigs: no pool builds its OS image\n',
      stderr: '',
    });
  });

  it.each([
    ['builds infra', 'no MachineOSConfig for pool infra; pools with one: none'],
    ['builds --follow -o json', '--follow prints a log: it cannot be combined with -o json'],
  ])('rejects `%s` with one line', async (line, message) => {
    expect(await run(line)).toEqual({ exitCode: 2, stdout: '', stderr: `millwright: ${message}\n` });
  });

  it('shows a build and follows it to its outcome', async () => {
    await kube.create(machineOSConfig, {
      apiVersion: API_VERSION,
      kind: 'MachineOSConfig',
      metadata: { name: 'infra', annotations: { [annotations.currentMachineOSBuild]: NAME } },
      spec: {
        machineConfigPool: { name: 'infra' },
        imageBuilder: { imageBuilderType: 'Job' },
        renderedImagePushSecret: { name: 'push' },
        renderedImagePushSpec: 'quay.io/example/os:latest',
      },
    });
    await kube.create(machineOSBuild, {
      apiVersion: API_VERSION,
      kind: 'MachineOSBuild',
      metadata: { name: NAME, annotations: { [annotations.imageSize]: '412345678' } },
      spec: {
        machineConfig: { name: 'rendered-infra-1' },
        machineOSConfig: { name: 'infra' },
        renderedImagePushSpec: `quay.io/example/os:${NAME}`,
      },
    });
    expect((await run('builds infra')).stdout).toMatch(
      new RegExp(`^infra  no image yet\\n.*BUILD.*\\n  \\* ${NAME}   New     [0-9]+s    -      412 MB\\n$`),
    );
    const following = run('builds infra --follow');
    await report('Failed', `Build Failed: ${WHY}`);
    expect(await following).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `MachineOSBuild ${NAME}\nmillwright: MachineOSBuild ${NAME} failed: ${WHY}\n`,
    });
    const { configs } = JSON.parse((await run('builds -o json')).stdout);
    expect(configs[0]).toMatchObject({ pool: 'infra', builds: [{ name: NAME, state: 'Failed', why: WHY }] });
  });

  it('ends with success where the build does', async () => {
    await kube.delete(machineOSBuild, { name: NAME });
    await kube.create(machineOSBuild, {
      apiVersion: API_VERSION,
      kind: 'MachineOSBuild',
      metadata: { name: NAME },
      spec: {
        machineConfig: { name: 'rendered-infra-1' },
        machineOSConfig: { name: 'infra' },
        renderedImagePushSpec: `quay.io/example/os:${NAME}`,
      },
    });
    await report('Succeeded', 'Build Ready', { digestedImagePushSpec: IMAGE });
    expect(await run('builds --follow')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: `MachineOSBuild ${NAME}\nMachineOSBuild ${NAME} succeeded: ${IMAGE}\n`,
    });
  });

  it('reports a build that is deleted while it is followed', async () => {
    await kube.delete(machineOSBuild, { name: NAME });
    expect(await run('builds --follow')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'millwright: there is no build to follow\n',
    });
  });

  async function report(type: string, message: string, status: object = {}): Promise<void> {
    const time = '2026-01-01T00:00:00Z';
    const condition = { type, status: 'True', reason: type, message, lastTransitionTime: time };
    const body = { status: { conditions: [condition], buildStart: time, ...status } };
    await kube.patch(machineOSBuild, { name: NAME }, { type: 'merge', body }, { subresource: 'status' });
  }
});
