/** The commands of build pods with the real `buildah` and our registry. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock, systemRandom } from '../../src/base/env.ts';
import { createBuildRegistry } from '../../src/images/index.ts';
import { createNodeRegistryTransport } from '../../src/images/transport-node.ts';
import { client, type RunningRegistry, startDebians, startOurs } from '../registry/registries.ts';
import { lacks, ok, programPath } from '../registry/tools.ts';
import { packageRoot, runCli } from './run-cli.ts';

const REPOSITORY = 'example/os';

describe.skipIf(lacks('buildah', 'busybox', 'unshare'))('the commands of a build pod', () => {
  let registry: RunningRegistry;
  let root = '';
  const containers = () => join(root, 'home/build/.local/share/containers');
  beforeAll(async () => {
    registry = await startOurs();
    root = await mkdtemp(join(tmpdir(), 'millwright-build-pod-'));
    await writeVolumes(root);
    await createBaseImage(root, containers());
  });
  afterAll(async () => {
    await registry.stop();
    await rm(root, { recursive: true, force: true });
  });

  /** In a process of its own, as in a pod. */
  const start = async (command: string, ...run: readonly string[]) => {
    if (run.length > 0) {
      const text = ['FROM localhost/base', ...run.map((line) => `RUN ${line}`), ''].join('\n');
      await writeFile(join(root, 'tmp/containerfile/Containerfile'), text);
    }
    const child = spawn(join(packageRoot, 'bin/millwright'), [command, '--stop-with-stdin'], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        MILLWRIGHT_POD_ROOT: root,
        TAG: `${registry.host}/${REPOSITORY}:infra-1`,
        BASE_IMAGE_PULL_CREDS: '/tmp/creds/config.json',
        FINAL_IMAGE_PUSH_CREDS: '/tmp/creds/config.json',
      },
    });
    let stderr = '';
    const waiting: (() => void)[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      for (const check of waiting) check();
    });
    const ended = once(child, 'close').then(([exitCode]) => ({
      exitCode,
      lines: stderr.trimEnd().split('\n'),
    }));
    const until = (line: string) =>
      new Promise<void>((resolve) => {
        const check = () => stderr.split('\n').includes(line) && resolve();
        waiting.push(check);
        check();
      });
    return { child, ended, until };
  };

  it('build and push an image whose RUN steps really run', async () => {
    const built = await (await start('build-image', 'echo made > /made; cat /made')).ended;
    expect(built.exitCode, built.lines.join('\n')).toBe(0);
    expect(built.lines).toContain('made');
    expect(built.lines).toContainEqual(expect.stringMatching(/^\+ buildah bud /));
    const pushed = await (await start('push-image')).ended;
    expect(pushed.exitCode, pushed.lines.join('\n')).toBe(0);
    expect(pushed.lines).toContainEqual(expect.stringMatching(/^\+ buildah push /));
    const digest = (await readFile(join(root, 'tmp/done/digestfile'), 'utf8')).trim();
    const reference = { host: registry.host, repository: REPOSITORY, tag: 'infra-1' };
    expect((await client().resolve(reference)).digest).toBe(digest);
  });

  it('end with the failed step and its last words', async () => {
    const { exitCode, lines } = await (await start('build-image', 'true', 'echo no such package; exit 3'))
      .ended;
    expect(exitCode).toBe(1);
    expect(lines.at(-1)).toBe('STEP 3/3: RUN echo no such package; exit 3: exit status 3: no such package');
  });

  it('leave nothing running that RUN steps have detached', async () => {
    const step = 'setsid sleep 98701 >/dev/null 2>&1 & sleep 1; echo started';
    const { exitCode, lines } = await (await start('build-image', step)).ended;
    expect(exitCode, lines.join('\n')).toBe(0);
    expect(lines).toContain('started');
    expect(await commandLines()).not.toContainEqual(expect.stringContaining('98701'));
  });

  it.each([
    ['their standard input closes', (child: ReturnType<typeof spawn>) => child.stdin?.end()],
    ['they get a SIGTERM', (child: ReturnType<typeof spawn>) => child.kill('SIGTERM')],
  ])('end with all that they have started when %s', async (_, stop) => {
    const step = 'setsid sleep 98702 >/dev/null 2>&1 & echo waiting; sleep 98703';
    const { child, ended, until } = await start('build-image', step);
    await until('waiting');
    stop(child);
    expect(await ended).toMatchObject({ exitCode: 143 });
    const left = (await commandLines()).filter((line) => /9870[23]/.test(line) || line.includes(root));
    expect(left).toEqual([]);
  });

  it('let RUN steps see no processes of this machine', async () => {
    const { exitCode, lines } = await (
      await start('build-image', 'echo see: $(ls /proc | grep -c "^[0-9]*$")')
    ).ended;
    expect(exitCode, lines.join('\n')).toBe(0);
    const seen = lines.find((line) => line.startsWith('see: '));
    const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).length;
    expect(Number(seen?.slice(5))).toBeLessThan(Math.min(all, 20));
  });
});

/** An address of this machine that is not taken for a registry without TLS. */
const address = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

describe.skipIf(lacks('buildah', 'docker-registry', 'openssl') || address === undefined)(
  'push-image to a registry with a CA of its own',
  () => {
    let registry: RunningRegistry;
    let root = '';
    let pem = '';
    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), 'millwright-build-pod-'));
      const [key, certificate] = [join(root, 'key.pem'), join(root, 'cert.pem')];
      const names = ['-subj', '/CN=test', '-addext', `subjectAltName=IP:${address}`];
      const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-days', '2'];
      await ok('openssl', [...request, ...names, '-out', certificate]);
      pem = await readFile(certificate, 'utf8');
      registry = await startDebians({ tls: { address: address ?? '', certificate, key } });
      await writeVolumes(root);
      const storage = join(root, 'home/build/.local/share/containers');
      await writeFile(join(root, 'Containerfile'), 'FROM scratch\nLABEL a=b\n');
      const place = ['--root', join(storage, 'storage'), '--runroot', join(storage, 'run')];
      const tag = `${registry.host}/${REPOSITORY}:infra-1`;
      const build = ['bud', '-q', '-t', tag, '-f', join(root, 'Containerfile'), root];
      await ok('buildah', [...place, '--storage-driver', 'vfs', ...build]);
    });
    afterAll(async () => {
      await registry.stop();
      await rm(root, { recursive: true, force: true });
    });

    const push = async (bundles: { readonly [key: string]: string }) => {
      const folder = join(root, 'tmp/additionaltrustbundle');
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
      for (const [key, text] of Object.entries(bundles)) await writeFile(join(folder, key), text);
      const environment = {
        PATH: process.env.PATH,
        MILLWRIGHT_POD_ROOT: root,
        TAG: `${registry.host}/${REPOSITORY}:infra-1`,
        FINAL_IMAGE_PUSH_CREDS: '/tmp/creds/config.json',
      };
      return await runCli(['push-image'], { environment });
    };
    const registryKey = () => `registry-ca-${registry.host.replace(':', '..')}`;

    it('fails without that CA, and with the CA of another registry', async () => {
      const { exitCode, stderr } = await push({ 'registry-ca-registry.example': pem });
      expect(exitCode).toBe(1);
      expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^pushing the image: .*x509: /);
    });

    it('works with the CA of the registry', async () => {
      const { exitCode, stderr } = await push({ [registryKey()]: pem });
      expect(exitCode, stderr).toBe(0);
    });

    it('works with a CA of the cluster', async () => {
      const { exitCode, stderr } = await push({ 'openshift-config-user-ca-bundle.crt': pem });
      expect(exitCode, stderr).toBe(0);
    });

    it('is announced by the builder, which trusts the same CAs', async () => {
      const env = { clock: systemClock, random: systemRandom, signal: new AbortController().signal };
      const transport = createNodeRegistryTransport({ clock: systemClock });
      const checkPush = (authority: string | undefined) =>
        createBuildRegistry({ transport, env, authoritiesFor: async () => authority }).checkPush(
          `${registry.host}/${REPOSITORY}:infra-2`,
          '{"auths":{}}',
        );
      expect(await checkPush(undefined)).toMatchObject({
        kind: 'error',
        message: expect.stringMatching(/x509/),
      });
      expect(await checkPush(pem)).toEqual({ kind: 'allowed' });
      transport.close();
    });
  },
);

async function writeVolumes(root: string): Promise<void> {
  for (const folder of ['containerfile', 'machineconfig', 'creds']) {
    await mkdir(join(root, 'tmp', folder), { recursive: true });
  }
  const config = { ignition: { version: '3.4.0' } };
  const rendered = { metadata: { name: 'rendered-infra-1' }, spec: { config } };
  const packed = gzipSync(JSON.stringify(rendered)).toString('base64');
  await writeFile(join(root, 'tmp/machineconfig/machineconfig.json.gz'), packed);
  await writeFile(join(root, 'tmp/creds/config.json'), '{"auths":{}}');
}

/** A shell and a few commands, in the storage of the pod. */
async function createBaseImage(root: string, containers: string): Promise<void> {
  const context = join(root, 'base');
  await mkdir(join(context, 'bin'), { recursive: true });
  await copyFile(programPath('busybox') ?? '', join(context, 'bin/busybox'));
  for (const name of ['sh', 'sleep', 'setsid', 'cat', 'ls', 'grep']) {
    await symlink('busybox', join(context, 'bin', name));
  }
  await writeFile(join(root, 'base.Containerfile'), 'FROM scratch\nCOPY . /\nLABEL ostree.bootable=1\n');
  const storage = ['--root', join(containers, 'storage'), '--runroot', join(containers, 'run')];
  const build = ['bud', '-q', '-t', 'localhost/base', '-f', join(root, 'base.Containerfile'), context];
  await ok('buildah', [...storage, '--storage-driver', 'vfs', ...build]);
}

/** Of all processes that have not ended. */
async function commandLines(): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map(async (pid) => {
      const isThere = await readlink(`/proc/${pid}/exe`).then(
        () => true,
        () => false,
      );
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return isThere ? line.replaceAll('\0', ' ') : '';
    }),
  );
  return lines.filter((line) => line !== '');
}
