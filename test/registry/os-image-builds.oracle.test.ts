/** Builds on the OS image with real `buildah`: steps run in it, and a sandbox machine boots what was pushed. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MachineConfig, MachineOSConfig } from '../../src/api/index.ts';
import { createMemoryDisk, createOsPuller, createSandboxMachine } from '../../src/embedded/sandbox/index.ts';
import { findShell } from '../../src/embedded/sandbox/shell-node.ts';
import { composeContainerfile } from '../../src/images/builds/containerfile.ts';
import {
  CONFIG_ARCHIVE,
  CONFIG_FILE,
  configArchive,
  failureLine,
  pushImage,
} from '../../src/images/index.ts';
import { virtualEnv } from '../support/virtual-env.ts';
import { osImage } from './base-os.ts';
import { client, type RunningRegistry, startOurs } from './registries.ts';
import { lacks, ok, run } from './tools.ts';

// Without root, a build takes a user namespace, which not every machine allows.
const isRoot = process.getuid?.() === 0;

describe.skipIf(lacks('buildah', 'busybox') || !isRoot)('a build on the OS image', () => {
  let registry: RunningRegistry;
  let folder: string;
  let base: string;
  const storage = () => [
    '--root',
    join(folder, 'root'),
    '--runroot',
    join(folder, 'run'),
    '--storage-driver',
    'vfs',
  ];
  const build = async (...lines: readonly string[]) => {
    const containerfile = join(folder, 'Containerfile');
    await writeFile(containerfile, `${lines.join('\n')}\n`);
    const flags = ['--isolation', 'chroot', '--tls-verify=false', '--arch', 'amd64', '--tag', 'built'];
    return await run('buildah', [...storage(), 'bud', ...flags, '--file', containerfile, folder]);
  };
  const push = async (name: string) => {
    const target = `${registry.host}/os/${name}:latest`;
    await ok('buildah', [...storage(), 'push', '-q', '--tls-verify=false', 'built', `docker://${target}`]);
    return target;
  };

  beforeAll(async () => {
    registry = await startOurs();
    folder = await mkdtemp(join(tmpdir(), 'millwright-os-builds-'));
    base = `${registry.host}/os/base:v1`;
    const image = await osImage({ shell: await findShell(process.env.PATH) });
    await pushImage(client(), { host: registry.host, repository: 'os/base', tag: 'v1' }, image);
  });
  afterAll(async () => {
    await registry.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const provisioned = async () => {
    const env = virtualEnv();
    const machine = createSandboxMachine({
      disk: createMemoryDisk(),
      clock: env.clock,
      random: env.random,
      pullImage: createOsPuller(async () => client(), { os: 'linux', architecture: 'amd64' }),
      durations: { bootMs: 0, shutDownMs: 0, pullMs: 0, stageMs: 0 },
    });
    await machine.provision({ image: base });
    await machine.boot();
    return { env, machine };
  };

  it('installs packages, and the node that boots the image has their files', async () => {
    const { code, stdout, stderr } = await build(
      `FROM ${base} AS extract`,
      'RUN mkdir -p /etc/machine-config-daemon && echo e30= | base64 -d > /etc/machine-config-daemon/currentconfig',
      `FROM ${base} AS configs`,
      'COPY --from=extract /etc/machine-config-daemon/currentconfig /etc/machine-config-daemon/currentconfig',
      'RUN ostree container commit',
      'FROM configs AS final',
      'RUN dnf install -y yq && printf "a:\\n- b: found\\n" | yq .a[0].b && ostree container commit',
      'RUN rpm-ostree install tree cowsay && cowsay moo > /etc/motd && touch /tmp/left /var/tmp/left && ostree container commit',
      'RUN rm /etc/chrony.conf && systemctl enable crio && systemctl mask chronyd && bash -c "echo $0" > /etc/shell',
      'LABEL machineconfig=rendered-infra-1',
    );
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('Installed:\n  yq-4.47.1-1.noarch\n\nComplete!\nfound\n');
    const image = await push('built');
    const { env, machine } = await provisioned();
    await machine.host.os.rebase(image);
    expect(await machine.host.os.status()).toMatch(/Diff: 3 added\n/);
    await machine.host.reboot('to the built image');
    await env.clock.advance(1_000);
    const { os, files, units } = machine.host;
    expect((await files.stat('/usr/bin/yq'))?.mode).toBe(0o755);
    expect(new TextDecoder().decode(await files.read('/etc/motd'))).toContain('< moo >');
    expect(await files.read('/etc/chrony.conf')).toBeUndefined();
    expect(await units.isEnabled('crio.service')).toBe('enabled');
    expect(await units.isEnabled('chronyd.service')).toBe('masked');
    expect(await os.installed(['yq', 'tree', 'jq'])).toEqual(['yq', 'tree']);
    expect(await os.release()).toMatchObject({ isImageBased: true, isCoreOs: true });
    expect(await os.status()).toMatch(
      new RegExp(
        `^\\* ostree-unverified-registry:${image}\\n +Digest: sha256:[0-9a-f]{64}\\n +Version: 1\\.20260101\\.0 \\(20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ\\)$`,
        'm',
      ),
    );
    env.stop();
  });

  it('fails for a package that does not exist, with the messages of dnf and of rpm-ostree', async () => {
    const dnf = await build(`FROM ${base}`, 'RUN dnf install -y yq nosuch');
    expect(dnf.code).not.toBe(0);
    expect(dnf.stdout + dnf.stderr).toContain('No match for argument: nosuch\n');
    expect(dnf.stderr).toContain('Error: Unable to find a match: nosuch\n');
    const ostree = await build(`FROM ${base}`, 'RUN rpm-ostree install nosuch other');
    expect(ostree.code).not.toBe(0);
    expect(ostree.stderr).toContain('error: Packages not found: nosuch, other\n');
  });

  it('fails for an installation that nobody confirmed, as dnf does', async () => {
    const { code, stdout } = await build(`FROM ${base}`, 'RUN dnf install yq');
    expect(code).not.toBe(0);
    expect(stdout).toContain('Is this ok [y/N]: Operation aborted.\n');
  });

  it('installs an RPM file of a local repository, and refuses a file that is none', async () => {
    const repository = 'printf "[local]\\nbaseurl=/rpms\\n" > /etc/yum.repos.d/local.repo && mkdir -p /rpms';
    const header = '\\216\\255\\350\\001\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0';
    const { code, stdout, stderr } = await build(
      `FROM ${base}`,
      `RUN ${repository} && mkdir -p /content/usr/bin && cp /usr/bin/bash /content/usr/bin/hello`,
      // Lead, signature and header without entries, then the archive.
      `RUN cd /content && { printf "\\355\\253\\356\\333"; head -c 92 /dev/zero; printf "${header}${header}"; find . -type f | cpio -o -H newc | gzip; } > /rpms/hello-1.0-1.noarch.rpm`,
      'RUN dnf -y install hello && hello -c "echo it runs" && dnf list installed | grep hello && /usr/bin/rpm -ql hello',
    );
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('it runs\nhello-1.0-1.noarch\nusr/bin/hello\n');
    const wrong = await build(
      `FROM ${base}`,
      `RUN ${repository} && echo text > /rpms/hello-1.0-1.noarch.rpm && dnf -y install hello`,
    );
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toContain('Error: /rpms/hello-1.0-1.noarch.rpm is not a package\n');
  });

  it('takes extensions and another kernel from the image for them', async () => {
    const names = [
      'usbguard',
      'kernel-rt-core',
      'kernel-rt-modules',
      'kernel-rt-modules-extra',
      'kernel-rt-kvm',
    ];
    const made = await build(
      `FROM ${base}`,
      `RUN for name in ${names.join(' ')}; do to=/usr/share/rpm-ostree/extensions/$name-5.14-1.x86_64/files/usr/share/$name; mkdir -p $to && touch $to/file; done`,
    );
    expect(made.code, made.stderr).toBe(0);
    const composed = composeContainerfile({
      config: {
        metadata: { name: 'infra' },
        spec: { machineConfigPool: { name: 'infra' }, containerFile: [{ content: 'FROM configs AS final' }] },
      } as unknown as MachineOSConfig,
      rendered: {
        metadata: { name: 'rendered-infra-1' },
        spec: {
          osImageURL: base,
          baseOSExtensionsContainerImage: await push('extensions'),
          extensions: ['usbguard'],
          kernelType: 'realtime',
        },
      } as unknown as MachineConfig,
      architectures: ['amd64'],
      hasTrustBundle: false,
    });
    if (composed.kind === 'invalid') throw new Error(JSON.stringify(composed.problems));
    await mkdir(join(folder, 'machineconfig'), { recursive: true });
    await writeFile(
      join(folder, CONFIG_FILE),
      Buffer.from(gzipSync(new TextEncoder().encode('{}'))).toString('base64'),
    );
    await writeFile(join(folder, CONFIG_ARCHIVE), configArchive({ spec: {} } as MachineConfig));
    const { code, stdout, stderr } = await build(composed.value);
    expect(code, stdout + stderr).toBe(0);
    const { env, machine } = await provisioned();
    await machine.host.os.rebase(await push('extended'));
    await machine.host.reboot('to the built image');
    await env.clock.advance(1_000);
    const { os, files } = machine.host;
    expect(await os.installed(['usbguard', 'kernel-rt-core', 'kernel-core', 'kernel'])).toEqual([
      'usbguard',
      'kernel-rt-core',
    ]);
    expect(await files.stat('/usr/share/usbguard/file')).toBeDefined();
    expect(await files.stat('/etc/yum.repos.d/coreos-extensions.repo')).toBeUndefined();
    env.stop();
  });

  it('on the image without a shell fails with the name of the package that brings one', async () => {
    const place = { host: registry.host, repository: 'os/shell-less', tag: 'v1' };
    await pushImage(client(), place, await osImage());
    const { code, stdout, stderr } = await build(`FROM ${registry.host}/os/shell-less:v1`, 'RUN true');
    expect(code).not.toBe(0);
    const lines = `${stdout}${stderr}`.split('\n');
    expect(failureLine('building', lines)).toMatch(/^STEP 2\/2: RUN true: .*Debian package busybox-static/);
  });

  it('removes packages, and whiteouts take their files off the node', async () => {
    const first = await build(`FROM ${base}`, 'RUN dnf -y install tree cowsay');
    expect(first.code, first.stderr).toBe(0);
    const intermediate = await push('intermediate');
    const { code, stderr } = await build(
      `FROM ${intermediate}`,
      'RUN dnf -y remove tree && dnf list installed',
    );
    expect(code, stderr).toBe(0);
    const image = await push('smaller');
    const { env, machine } = await provisioned();
    await machine.host.os.rebase(image);
    await machine.host.reboot('to the built image');
    await env.clock.advance(1_000);
    expect(await machine.host.files.stat('/usr/bin/tree')).toBeUndefined();
    expect(await machine.host.files.stat('/usr/bin/cowsay')).toBeDefined();
    expect(await machine.host.os.installed(['tree', 'cowsay'])).toEqual(['cowsay']);
    env.stop();
  });
});
