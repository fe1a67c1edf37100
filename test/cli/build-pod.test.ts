/** The commands that run in build pods, without `buildah`; `build-pod.oracle.test.ts` runs the real one. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect, type HttpClient } from '../contract/http-client.ts';
import { readKubeconfig } from '../kubernetes/kubeconfig.ts';
import { packageRoot, runCli, transcript } from './run-cli.ts';
import { type RunningApiserver, startApiserver } from './start-apiserver.ts';

const COMMANDS = ['build-image', 'push-image', 'create-digest-configmap'] as const;
const DIGEST = `sha256:${'a'.repeat(64)}`;

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'millwright-build-pod-'));
});
afterEach(() => rm(root, { recursive: true }));

const environment = () => ({
  MILLWRIGHT_POD_ROOT: root,
  TAG: 'quay.io/example/os:infra-1',
  BASE_IMAGE_PULL_CREDS: '/tmp/base-image-pull-creds/config.json',
  FINAL_IMAGE_PUSH_CREDS: '/tmp/final-image-push-creds/config.json',
  DIGEST_CONFIGMAP_NAME: 'digest-infra-1',
  DIGEST_CONFIGMAP_LABELS: 'a.example/b=c,d=',
  JOB_UID: 'uid-1',
});

describe.each(COMMANDS)('millwright %s', (name) => {
  it('--help matches the golden file', async () => {
    const args = ['help', name];
    const golden = join(packageRoot, `test/golden/cli/help-${name}.txt`);
    await expect(transcript(args, await runCli(args))).toMatchFileSnapshot(golden);
  });

  it('is not in the help of the program', async () => {
    expect((await runCli(['help'])).stdout).not.toContain(name);
  });
});

it.each(['build-image', 'push-image'])('%s outside of a build pod says so in one line', async (name) => {
  const { TAG: _, ...rest } = environment();
  await writeInputs();
  expect(await runCli([name], { environment: rest })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'millwright: environment variable TAG is not set: this runs in a build pod\n',
  });
});

it('push-image without buildah fails with the name of the package as its last line', async () => {
  // They would run it in a namespace, and say something else.
  for (const name of ['unshare', 'true']) await symlink(`/usr/bin/${name}`, join(root, name));
  const { exitCode, stdout, stderr } = await runCli(['push-image'], {
    environment: { ...environment(), PATH: root },
  });
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr.split('\n').at(-2)).toBe(
    "buildah is not installed on this machine: OS images are built with it (Debian's and Fedora's package is called buildah)",
  );
});

describe('create-digest-configmap', () => {
  let server: RunningApiserver;
  let client: HttpClient;
  let cwd = '';
  const path = '/api/v1/namespaces/openshift-machine-config-operator/configmaps';
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'millwright-build-pod-server-'));
    server = await startApiserver(['--port', '0'], cwd);
    const { url, caPem, admin } = await readKubeconfig(join(cwd, server.kubeconfig));
    client = connect({ url, ca: caPem, admin });
  });
  beforeEach(() => client.request('DELETE', `${path}/digest-infra-1`));
  afterAll(async () => {
    client.close();
    await server.stop();
    await rm(cwd, { recursive: true });
  });

  const run = async (digestfile?: string, more: object = {}) => {
    await mkdir(join(root, 'tmp/done'), { recursive: true });
    if (digestfile !== undefined) await writeFile(join(root, 'tmp/done/digestfile'), digestfile);
    const args = ['create-digest-configmap', '--kubeconfig', server.kubeconfig];
    return await runCli(args, { cwd, environment: { ...environment(), ...more } });
  };
  const found = async () => {
    const { json } = await client.request('GET', `${path}/digest-infra-1`);
    const { metadata, data } = json as unknown as {
      metadata?: { labels?: object; annotations?: object };
      data?: object;
    };
    return { labels: metadata?.labels, annotations: metadata?.annotations, data };
  };
  const JOB = { 'machineconfiguration.openshift.io/job-uid': 'uid-1' };

  it('adds the digest to the record that the builder has created', async () => {
    const record = { metadata: { name: 'digest-infra-1' }, data: { repository: 'x', former: 'y' } };
    await client.request('POST', path, { body: { apiVersion: 'v1', kind: 'ConfigMap', ...record } });
    expect(await run(`${DIGEST}\n`)).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: `ConfigMap digest-infra-1 has the digest ${DIGEST}\n`,
    });
    expect(await found()).toMatchObject({
      annotations: JOB,
      data: { repository: 'x', former: 'y', digest: DIGEST },
    });
  });

  it('creates a record that is gone again, so that its image is not forgotten', async () => {
    expect(await run(DIGEST)).toMatchObject({ exitCode: 0 });
    expect(await found()).toEqual({
      labels: { 'a.example/b': 'c', d: '' },
      annotations: JOB,
      data: { repository: 'quay.io/example/os', digest: DIGEST },
    });
  });

  it.each([
    ['', {}, 1, 'digestfile "/tmp/done/digestfile" is empty'],
    ['sha256:1', {}, 1, 'digestfile "/tmp/done/digestfile" has no digest'],
    [undefined, {}, 1, 'read digestfile: ENOENT'],
    [DIGEST, { DIGEST_CONFIGMAP_LABELS: 'a' }, 2, 'parse labels: "a" is not KEY=VALUE'],
    [DIGEST, { JOB_UID: '' }, 2, 'environment variable JOB_UID is not set'],
  ])('reports a digest of %j with %j in one line', async (digestfile, more, exitCode, line) => {
    const ran = await run(digestfile, more);
    expect(ran.exitCode).toBe(exitCode);
    expect(ran.stderr).toContain(line);
    expect(ran.stderr.split('\n')).toHaveLength(2);
  });

  it('without a token says what is missing', async () => {
    const ran = await runCli(['create-digest-configmap'], { environment: environment() });
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('give a kubeconfig') });
  });
});

async function writeInputs(): Promise<void> {
  const { gzipSync } = await import('node:zlib');
  await mkdir(join(root, 'tmp/containerfile'), { recursive: true });
  await mkdir(join(root, 'tmp/machineconfig'), { recursive: true });
  await writeFile(join(root, 'tmp/containerfile/Containerfile'), 'FROM scratch\n');
  const rendered = {
    metadata: { name: 'rendered-infra-1' },
    spec: { config: { ignition: { version: '3.4.0' } } },
  };
  const packed = gzipSync(JSON.stringify(rendered)).toString('base64');
  await writeFile(join(root, 'tmp/machineconfig/machineconfig.json.gz'), packed);
}
