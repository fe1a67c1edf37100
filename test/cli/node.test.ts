/** `millwright node` against a real API server, with a sandbox node, another node, and one that is down. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import { Failure } from '../../src/base/errors.ts';
import type { Kubelet } from '../../src/embedded/apiserver/index.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/up/embedded-server-node.ts';
import { connect, type HttpClient } from '../contract/http-client.ts';
import { readKubeconfig } from '../kubernetes/kubeconfig.ts';
import { NEXT_OS_IMAGE, OS_IMAGE, type SandboxNodeScene, sandboxNode } from '../support/sandbox-node.ts';
import { type CliRun, packageRoot, runCli, transcript } from './run-cli.ts';

let cwd: string;
let scene: SandboxNodeScene;
let server: EmbeddedServer;
let client: HttpClient;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'millwright-node-'));
  scene = await sandboxNode('worker-0');
  const env = {
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    signal: new AbortController().signal,
  };
  const dataDir = join(cwd, 'cluster');
  server = await startEmbeddedServer({ env, dataDir, port: 0, tokenUsers: [], packageRoot, kubelet });
  const { url, caPem, admin } = await readKubeconfig(join(dataDir, 'kubeconfig'));
  client = connect({ url, ca: caPem, admin });
  for (const name of ['worker-0', 'real-0', 'down-0']) {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
    const status = { addresses: [{ type: 'Hostname', address: name }] };
    await client.request('POST', '/api/v1/nodes', { body: node });
    await client.request('PUT', `/api/v1/nodes/${name}/status`, { body: { ...node, status } });
  }
});

afterAll(async () => {
  client.close();
  await server.stop();
  scene.env.stop();
  rmSync(cwd, { recursive: true });
});

const kubelet: Kubelet = {
  containerLog: () => Promise.reject(new Failure('transient', 'NodeUnreachable', 'no logs here')),
  async proxy(request) {
    if (request.node === 'worker-0') return await scene.routes(request);
    if (request.node === 'real-0') return { status: 404, headers: [], body: notFound() };
    throw new Failure('transient', 'NodeUnreachable', `node ${request.node} is down`);
  },
};

async function* notFound() {
  yield new TextEncoder().encode('404 page not found\n');
}

const TERMINAL = { columns: 80, rows: 24 };

function node(...args: readonly string[]): Promise<CliRun> {
  return runCli(['node', '--data-dir', 'cluster', ...args], { cwd });
}

describe('`millwright node` fails with one line', () => {
  // biome-ignore format: a table.
  it.each<[string, number, string]>([
    ['', 2, "missing required argument 'NAME'"],
    ['worker-0', 2, "missing required argument 'ACTION'"],
    ['worker-0 exec', 2, "command-argument value 'exec' is invalid for argument 'ACTION'. Allowed choices are status, ls, cat, touch, pull, pivot, reboot."],
    ['worker-0 ls', 2, 'missing PATH: millwright node NAME ls PATH'],
    ['worker-0 cat etc/hosts', 2, 'etc/hosts is not an absolute path'],
    ['worker-0 pull', 2, 'missing IMAGE: millwright node NAME pull IMAGE'],
    ['worker-0 pivot', 2, 'missing IMAGE: millwright node NAME pivot IMAGE'],
    ['worker-0 status /etc', 2, 'status takes no argument: /etc'],
    ['worker-0 status --dry-run', 2, '--dry-run is valid with touch and reboot only'],
    ['add --dry-run', 2, '--dry-run is valid with touch and reboot only'],
    ['remove worker-0 --dry-run', 2, '--dry-run is valid with touch and reboot only'],
    ['worker-00 status', 2, 'no such node: worker-00 (did you mean worker-0?); nodes: down-0, real-0, worker-0'],
    ['real-0 status', 2, 'node real-0 is not a sandbox of `millwright up`: use `oc debug node/real-0` or `kubectl debug node/real-0`'],
    ['real-0 reboot', 2, 'node real-0 is not a sandbox of `millwright up`: use `oc debug node/real-0` or `kubectl debug node/real-0`'],
    ['real-0 reboot --dry-run', 2, 'node real-0 is not a sandbox of `millwright up`: use `oc debug node/real-0` or `kubectl debug node/real-0`'],
    ['down-0 status', 2, 'error trying to reach service: node down-0 is down'],
    ['worker-0 cat /none', 1, 'worker-0: open /none: no such file or directory'],
    ['worker-0 cat /etc', 1, 'worker-0: read /etc: is a directory'],
    ['worker-0 ls /none', 1, 'worker-0: stat /none: no such file or directory'],
    ['worker-0 touch /none/x', 1, 'worker-0: touch /none/x: no such file or directory'],
    ['worker-0 touch --dry-run /none/x', 1, 'worker-0: stat /none/: no such file or directory'],
    ['worker-0 pull Upper.io/X', 1, 'pulling image "Upper.io/X": "Upper.io/X": invalid reference format: repository name must be lowercase'],
  ])('for node %s', async (line, exitCode, message) => {
    const run = await node(...line.split(' ').filter((word) => word !== ''));
    expect(run).toEqual({ exitCode, stdout: '', stderr: `millwright: ${message}\n` });
  });

  it('if there is no cluster', async () => {
    const run = await runCli(['node', 'worker-0', 'status'], { cwd });
    expect(run).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('there is no cluster in .millwright'),
    });
  });
});

it.each([
  ['in a UTF-8 locale', { LANG: 'en_US.UTF-8' }, undefined, '●'],
  ['in a UTF-8 locale of LC_ALL', { LANG: 'C', LC_ALL: 'de_DE.utf8' }, undefined, '●'],
  ['in another locale', { LANG: 'C' }, TERMINAL, '*'],
  ['on a terminal without a locale', {}, TERMINAL, '●'],
  ['in a pipe without a locale', {}, undefined, '*'],
])(
  '`node status` marks the booted deployment as rpm-ostree does %s',
  async (_, environment, terminal, mark) => {
    const ports = { cwd, environment, ...(terminal === undefined ? {} : { terminal }) };
    const { stdout } = await runCli(['node', '--data-dir', 'cluster', 'worker-0', 'status'], ports);
    expect(stdout.split('\n')[2]).toBe(`${mark} ostree-unverified-registry:${OS_IMAGE}`);
  },
);

it('`node status` prints the output of rpm-ostree status', async () => {
  expect(await node('worker-0', 'status')).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: `State: idle
Deployments:
* ostree-unverified-registry:${OS_IMAGE}
                   Digest: sha256:${'a'.repeat(64)}
                  Version: 9.6.1 (2026-01-02T03:04:05Z)
`,
  });
});

it('`node ls` prints the output of ls -l without times', async () => {
  const { files } = scene.host;
  await files.makeFolder('/etc/listed/folder', { mode: 0o750, owner: { uid: 0, gid: 1000 } });
  await scene.write('/etc/listed/file', '12345678901234567890');
  await files.link('/etc/listed/link', '/etc/hosts');
  const { stdout } = await node('worker-0', 'ls', '/etc/listed');
  const columns = stdout.split('\n').map((line) => line.split(/ +/).filter((_, index) => index !== 3));
  expect(columns).toEqual([
    ['-rw-r--r--', 'root', 'root', 'file'],
    ['drwxr-x---', 'root', 'core', 'folder'],
    ['lrwxrwxrwx', 'root', 'root', 'link', '->', '/etc/hosts'],
    [''],
  ]);
  expect(await node('worker-0', 'ls', '/etc/listed/file')).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: '-rw-r--r-- root root 20 /etc/listed/file\n',
  });
});

it('`node cat` prints raw bytes', async () => {
  const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256);
  await scene.host.files.write('/etc/bytes', { bytes, mode: 0o600 });
  const { exitCode, stdout } = await node('worker-0', 'cat', '/etc/bytes');
  expect([exitCode, Buffer.from(stdout, 'latin1').equals(bytes)]).toEqual([0, true]);
});

it('`node touch` creates the force file once', async () => {
  const path = '/run/machine-config-daemon-force';
  const printed = async (...args: readonly string[]) =>
    (await node('worker-0', 'touch', path, ...args)).stdout;
  expect(await printed('--dry-run')).toBe(`${path} would be created (dry run)\n`);
  expect(await scene.host.files.stat(path)).toBeUndefined();
  expect(await printed()).toBe(`${path} created\n`);
  expect(await scene.host.files.stat(path)).toMatchObject({ kind: 'file', mode: 0o644, sizeBytes: 0 });
  expect(await printed()).toBe(`${path} already exists\n`);
  expect(await printed('--dry-run')).toBe(`${path} already exists (dry run)\n`);
});

it('`node pull` uses the mirrors of the node and prints the result like crictl', async () => {
  await scene.write(
    '/etc/containers/registries.conf',
    'unqualified-search-registries = ["docker.io"]\n[[registry]]\nlocation = "docker.io"\n[[registry.mirror]]\nlocation = "mirror.example/docker-hub"\n',
  );
  const failed = await node('worker-0', 'pull', 'nginx:1.25');
  expect([failed.exitCode, failed.stdout, failed.stderr.split('\n').at(-2)]).toEqual([
    1,
    '',
    'millwright: pulling image "nginx:1.25": (Mirrors also failed: [mirror.example/docker-hub/library/nginx:1.25: reading manifest 1.25 in mirror.example/docker-hub/library/nginx: manifest unknown]): docker.io/library/nginx:1.25: reading manifest 1.25 in docker.io/library/nginx: manifest unknown',
  ]);
  const digest = await scene.push('mirror.example/docker-hub/library/nginx:1.25');
  const { exitCode, stdout, stderr } = await node('worker-0', 'pull', 'nginx:1.25');
  expect([exitCode, stdout]).toEqual([0, `Image is up to date for docker.io/library/nginx@${digest}\n`]);
  expect(stderr.split('\n').slice(0, 2)).toEqual([
    'Resolving "nginx" using unqualified-search registries (/etc/containers/registries.conf)',
    'Trying to pull mirror.example/docker-hub/library/nginx:1.25...',
  ]);
});

describe('`node pivot`', () => {
  const withoutHeader = (stderr: string) =>
    stderr.replaceAll(/^I\d{4} [\d:.]+ +\d+ rpm-ostree\.go:\d+\] /gm, '');

  it('stages an image above the booted one, and prints what machine-config-daemon pivot prints', async () => {
    const { exitCode, stdout, stderr } = await node('worker-0', 'pivot', NEXT_OS_IMAGE);
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(withoutHeader(stderr).trimEnd().split('\n')).toEqual([
      `Previous pivot: ${OS_IMAGE}`,
      'Running captured: rpm-ostree --version',
      expect.stringMatching(/^Linking rpm-ostree authfile to /),
      `Executing rebase to ${NEXT_OS_IMAGE}`,
      `Running: rpm-ostree rebase --experimental ostree-unverified-registry:${NEXT_OS_IMAGE}`,
      `Pulling manifest: ostree-unverified-registry:${NEXT_OS_IMAGE}`,
      'Staging deployment...done',
      expect.stringMatching(/^Pivoting to: 9\.6\.2 \([0-9a-f]{64}\)$/),
      'the new OS takes effect at the next boot: millwright node worker-0 reboot',
    ]);
    const deployments = await scene.host.os.deployments();
    expect(deployments.map(({ image, isBooted }) => [image, isBooted])).toEqual([
      [NEXT_OS_IMAGE, false],
      [OS_IMAGE, true],
    ]);
    await scene.host.os.dropPending();
  });

  it('fails with the message of the registry, and stages nothing', async () => {
    const { exitCode, stderr } = await node('worker-0', 'pivot', 'registry.example/os:none');
    expect(exitCode).toBe(1);
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(
      'millwright: error running rpm-ostree rebase --experimental ostree-unverified-registry:registry.example/os:none: error: Creating importer: failed to invoke method OpenImage: failed to invoke method OpenImage: reading manifest none in registry.example/os: manifest unknown: exit status 1',
    );
    expect(await scene.host.os.deployments()).toHaveLength(1);
  });
});

it('`node reboot` reboots the node unless it is a dry run', async () => {
  const before = await scene.host.bootId();
  expect((await node('worker-0', 'reboot', '--dry-run')).stdout).toBe(
    'node/worker-0 would reboot (dry run)\n',
  );
  await scene.env.clock.advance(5_000);
  expect(await scene.host.bootId()).toBe(before);
  expect((await node('worker-0', 'reboot')).stdout).toBe('node/worker-0 reboots\n');
  await scene.env.clock.advance(1_500);
  expect(await node('worker-0', 'status')).toMatchObject({
    exitCode: 2,
    stderr: 'millwright: node worker-0 is down: it is rebooting or switched off; try again once it is up\n',
  });
  await scene.env.clock.advance(5_000);
  expect(await scene.host.bootId()).not.toBe(before);
});

it('`node --help` matches the golden file', async () => {
  const args = ['help', 'node'];
  await expect(transcript(args, await runCli(args))).toMatchFileSnapshot('../golden/cli/help-node.txt');
});
