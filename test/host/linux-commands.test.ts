/**
 * The exact command lines on a real machine.
 */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandResult } from '../../src/node/host/command-runner.ts';
import { createLinuxHost } from '../../src/node/host/index.ts';
import { createLinuxDisk } from '../../src/node/host/linux-node.ts';
import { seededRandom } from '../support/virtual-env.ts';
import { file, NEW_IMAGE, OLD_IMAGE, problem, textAt } from './contract-fixtures.ts';
import { type LinuxScene, linuxScene } from './linux-scene.ts';

let scene: LinuxScene;
beforeEach(async () => {
  scene = await linuxScene();
});
afterEach(async () => await scene.close());

const asked = async (act: () => Promise<unknown>): Promise<readonly string[]> => {
  const before = (await scene.calls()).length;
  await act();
  return (await scene.calls()).slice(before);
};

const never = new AbortController().signal;
const settle = () => new Promise((resolve) => setTimeout(resolve, 10));

describe('a reboot', () => {
  it('waits until the staged OS can be finalized', async () => {
    const [call] = (await asked(() => scene.host.reboot('Node will reboot into config x'))).slice(-1);
    expect(call).toBe(
      'systemd-run --unit machine-config-daemon-reboot --description machine-config-daemon: Node will reboot into config x' +
        ' -p Requires=ostree-finalize-staged.service -p After=ostree-finalize-staged.service /bin/sh -c systemctl reboot',
    );
  });

  it('that is refused throws', async () => {
    await scene.change({ isRebootRefused: true });
    expect(await problem(scene.host.reboot('x'))).toBe('reboot command failed, something is seriously wrong');
  });
});

describe('sshd', () => {
  const verdict = async (result: CommandResult) => {
    const calls: string[] = [];
    const run = async (command: string, args: readonly string[]) => {
      calls.push([command, ...args].join(' '));
      return result;
    };
    const disk = createLinuxDisk(scene.root);
    const host = createLinuxHost({ disk, runner: { run }, random: seededRandom(1), processId: 1 });
    const answer = await host.checkSshd('/run/x');
    expect(calls).toEqual(['/usr/sbin/sshd -t -f /run/x']);
    return answer;
  };

  it('says what it thinks of a configuration, in its first line', async () => {
    expect(await verdict({ exitCode: 0, stdout: '', stderr: 'Deprecated option\n' })).toEqual({});
    expect(await verdict({ exitCode: 255, stdout: '', stderr: '\n/run/x: line 1: Bad\r\nmore\n' })).toEqual({
      problem: '/run/x: line 1: Bad',
    });
    expect(await verdict({ exitCode: 1, stdout: '', stderr: '' })).toEqual({ problem: 'exit status 1' });
    expect(await verdict({ exitCode: 127, stdout: '', stderr: 'not found' })).toBeUndefined();
  });
});

describe('the OS', () => {
  it('is rebased from a registry', async () => {
    expect(await asked(() => scene.host.os.rebase(NEW_IMAGE))).toEqual([
      'rpm-ostree --version',
      'rpm-ostree --version',
      `podman images --format=json --filter reference=${NEW_IMAGE}`,
      `rpm-ostree rebase --experimental ostree-unverified-registry:${NEW_IMAGE}`,
    ]);
    expect(scene.logged).toEqual([
      'Running captured: rpm-ostree --version',
      'Linking rpm-ostree authfile to /var/lib/kubelet/config.json',
      `Executing rebase to ${NEW_IMAGE}`,
      `Running: rpm-ostree rebase --experimental ostree-unverified-registry:${NEW_IMAGE}`,
    ]);
  });

  it('is downloaded by a rebase that only downloads, and nothing is cleaned up that was not staged', async () => {
    expect(await asked(() => scene.host.os.fetch(NEW_IMAGE, never))).toEqual([
      'rpm-ostree --version',
      'rpm-ostree status --json',
      `podman images --format=json --filter reference=${NEW_IMAGE}`,
      'rpm-ostree --version',
      'rpm-ostree status',
      `rpm-ostree rebase --experimental ostree-unverified-registry:${NEW_IMAGE} --download-only`,
    ]);
    // A cleanup removes images of no deployment.
    expect(await asked(() => scene.host.os.dropPending())).toEqual(['rpm-ostree status --json']);
    expect(await asked(() => scene.host.os.dropFetched())).toEqual(['rpm-ostree cleanup -b']);
  });

  it('is downloaded anew where a daemon that was killed has left its download to rpm-ostree', async () => {
    await scene.change({ transaction: `rebase --experimental ostree-unverified-registry:x --download-only` });
    const calls = await asked(() => scene.host.os.fetch(NEW_IMAGE, never));
    expect(calls.slice(-2)).toEqual([
      'rpm-ostree cancel',
      `rpm-ostree rebase --experimental ostree-unverified-registry:${NEW_IMAGE} --download-only`,
    ]);
  });

  it('is not taken from a transaction of somebody else', async () => {
    await scene.change({ transaction: 'install vim' });
    const calls = await asked(() => scene.host.os.fetch(NEW_IMAGE, never));
    expect(calls).not.toContain('rpm-ostree cancel');
  });

  it('is no longer downloaded once that is cancelled', async () => {
    await scene.change({ isDownloadSlow: true });
    const ending = new AbortController();
    const calls = await asked(async () => {
      const fetch = problem(scene.host.os.fetch(NEW_IMAGE, ending.signal));
      while (!(await scene.calls()).some((call) => call.endsWith('--download-only'))) await settle();
      ending.abort();
      expect(await fetch).toBe('rpm-ostree was stopped');
    });
    expect(calls.at(-1)).toBe('rpm-ostree cancel');
  });

  it('is rebased from local storage, with an exception from the signature policy', async () => {
    await scene.change({ localImages: [{ Id: 'abc', RepoDigests: ['x', NEW_IMAGE] }] });
    await scene.host.files.write('/etc/containers/policy.json', file('{"default":[{"type":"reject"}]}'));
    const calls = await asked(() => scene.host.os.rebase(NEW_IMAGE).catch(() => undefined));
    expect(calls.slice(-6)).toEqual([
      'podman system info --format=json',
      'systemctl daemon-reload',
      'systemctl try-restart rpm-ostreed',
      `rpm-ostree rebase --experimental ostree-unverified-image:containers-storage:${NEW_IMAGE}`,
      'systemctl daemon-reload',
      'systemctl try-restart rpm-ostreed',
    ]);
    expect(await scene.host.files.stat('/run/tmp-rpm-ostree-policy.json')).toBeUndefined();
  });

  it('changes kernel arguments, removals first', async () => {
    const change = { remove: ['a=1', 'b'], append: ['c="x y"', 'd'] };
    expect((await asked(() => scene.host.os.changeKernelArguments(change))).at(-1)).toBe(
      'rpm-ostree kargs --delete-if-present=a=1 --delete-if-present=b --append=c="x y" --append=d',
    );
    expect(await asked(() => scene.host.os.changeKernelArguments({ remove: [], append: [] }))).toEqual([]);
  });

  it.each([
    [
      { remove: ['kernel', 'kernel-core'], install: ['kernel-rt-core', 'kernel-rt-modules'] },
      'rpm-ostree override remove kernel kernel-core --install kernel-rt-core --install kernel-rt-modules',
    ],
    [
      { reset: ['kernel'], uninstall: ['kernel-rt-core', 'kernel-rt-modules'] },
      'rpm-ostree override reset kernel --uninstall kernel-rt-core --uninstall kernel-rt-modules',
    ],
    [
      { install: ['usbguard'], uninstall: ['sysstat'] },
      'rpm-ostree update --install usbguard --uninstall sysstat',
    ],
  ])('changes packages %j', async (change, line) => {
    expect((await asked(() => scene.host.os.changePackages(change))).at(-1)).toBe(line);
  });

  it('drops the staged and the rollback deployment', async () => {
    await scene.host.os.changeKernelArguments({ remove: [], append: ['a'] });
    expect((await asked(() => scene.host.os.dropPending())).at(-1)).toBe('rpm-ostree cleanup -p');
    expect((await asked(() => scene.host.os.dropRollback())).at(-1)).toBe('rpm-ostree cleanup -r');
  });

  it('unpacks extensions below /run, and removes everything afterwards', async () => {
    await scene.host.files.write('/var/lib/kubelet/config.json', file('{}'));
    let close: (() => Promise<void>) | undefined;
    const calls = await asked(async () => {
      close = await scene.host.os.openExtensions('registry.example/ext:1');
    });
    const folder = /^chcon -R -t var_run_t (.*)$/.exec(
      calls.find((call) => call.startsWith('chcon')) ?? '',
    )?.[1];
    expect(folder).toMatch(/^\/run\/mco-extensions\/os-extensions-content-\d+$/);
    const name = /--name (\S+)/.exec(calls.join('\n'))?.[1];
    expect(name).toMatch(/^ostree-container-pivot-[0-9a-f-]{36}$/);
    expect(calls).toEqual([
      'podman images --format=json --filter reference=registry.example/ext:1',
      'nice -- ionice -c 3 podman pull -q --authfile /var/lib/kubelet/config.json registry.example/ext:1',
      `podman create --net=none --annotation=org.openshift.machineconfigoperator.pivot=true --name ${name} registry.example/ext:1`,
      `nice -- ionice -c 3 podman cp c0ffee:/ ${folder}`,
      `chcon -R -t var_run_t ${folder}`,
      'podman kill c0ffee',
      'podman rm -f c0ffee',
    ]);
    expect(await textAt(scene.host, '/etc/yum.repos.d/coreos-extensions.repo')).toBe(
      `[coreos-extensions]\nenabled=1\nmetadata_expire=1m\nbaseurl=${folder}/usr/share/rpm-ostree/extensions/\ngpgcheck=0\nskip_if_unavailable=False\n`,
    );
    await close?.();
    expect(await scene.host.files.list('/run/mco-extensions')).toEqual([]);
    expect(await scene.host.files.stat('/etc/yum.repos.d/coreos-extensions.repo')).toBeUndefined();
  });

  it('updates the boot loader only with secure boot', async () => {
    expect(await asked(() => scene.host.os.updateBootloader(NEW_IMAGE))).toEqual(['mokutil --sb-state']);
    await scene.change({ isSecure: true });
    const calls = await asked(() => scene.host.os.updateBootloader(NEW_IMAGE));
    expect(calls[1]).toBe('systemctl start bootloader-update.service');
    expect(calls.at(-1)).toMatch(
      /^systemd-run --unit machine-config-daemon-bootupd-update .* podman run .* bootupctl update$/,
    );
  });

  it('reports the failure of the last shutdown', async () => {
    await scene.change({ journal: 'Finalizing\nerror: opendir: no space\nerror: more\n' });
    expect(await scene.host.os.finalizeFailure()).toBe('error: opendir: no space');
    expect((await scene.calls()).at(-1)).toBe(
      'journalctl -b -1 -o cat _UID=0 -u ostree-finalize-staged.service',
    );
  });
});

describe('a machine without rpm-ostree', () => {
  const others = ['systemctl', 'systemd-run', 'rpm', 'podman', 'logger'];

  it('is rebased by bootc where that exists', async () => {
    await scene.close();
    scene = await linuxScene([...others, 'bootc', 'ostree', 'unshare']);
    expect(await scene.host.os.release()).toMatchObject({ isImageBased: true });
    const calls = await asked(() => scene.host.os.fetch(NEW_IMAGE, never));
    expect(calls.slice(-2)).toEqual([
      'ostree container --help',
      `unshare --mount /bin/sh -c mount -o remount,rw /sysroot && exec ostree container image "$@" ostree pull --authfile /etc/ostree/auth.json /ostree/repo ostree-unverified-registry:${NEW_IMAGE}`,
    ]);
    expect((await asked(() => scene.host.os.dropFetched())).at(-1)).toBe(
      'unshare --mount /bin/sh -c mount -o remount,rw /sysroot && exec ostree container image "$@" ostree prune-images --sysroot / --full',
    );
    expect((await asked(() => scene.host.os.rebase(NEW_IMAGE))).at(-1)).toBe(`bootc switch ${NEW_IMAGE}`);
    expect(await scene.host.os.deployments()).toMatchObject([
      { image: NEW_IMAGE, isStaged: true },
      { image: OLD_IMAGE, isBooted: true, version: '9.6.1' },
    ]);
    expect((await asked(() => scene.host.os.dropPending())).at(-1)).toBe('ostree admin undeploy 0');
    expect(await scene.host.os.kernelArguments()).toEqual(['rw', 'quiet']);
    expect(await problem(scene.host.os.changeKernelArguments({ remove: [], append: ['x'] }))).toBe(
      'changing kernel arguments is not supported on a system that bootc manages',
    );
    expect((await scene.host.files.stat('/etc/ostree/auth.json'))?.target).toBe(
      '/var/lib/kubelet/config.json',
    );
  });

  it('is not changed where that does not exist', async () => {
    await scene.close();
    scene = await linuxScene(others);
    await scene.host.files.write('/etc/os-release', file("ID=debian\nVERSION_ID='12'\n"));
    expect(await scene.host.os.release()).toEqual({
      id: 'debian',
      variant: '',
      version: '12',
      isCoreOs: false,
      isImageBased: false,
      isEnterpriseLinux: false,
    });
    expect(await scene.host.os.deployments()).toEqual([]);
    expect(await scene.host.os.stagedRelease()).toBeUndefined();
    expect(await scene.host.os.kernelArguments()).toEqual(['rw', 'quiet']);
    expect(await problem(scene.host.os.rebase(NEW_IMAGE))).toBe(
      'updating the OS on non-CoreOS nodes is not supported',
    );
    const [call] = (await asked(() => scene.host.reboot('x'))).slice(-1);
    expect(call).toBe(
      'systemd-run --unit machine-config-daemon-reboot --description machine-config-daemon: x /bin/sh -c systemctl reboot',
    );
    await scene.host.os.dropPending();
  });
});

describe('other commands', () => {
  it('write a line to the journal, quoted', async () => {
    await scene.host.note('Starting update from "a"\nto b');
    expect(await scene.journal()).toBe('machine-config-daemon[42]: "Starting update from \\"a\\"\\nto b"\n');
  });

  it('create folders of users as those users', async () => {
    await scene.host.files.makeFolder('/var/home/core/.ssh', {
      mode: 0o700,
      owner: { uid: 1000, gid: 1000 },
    });
    expect((await scene.calls()).slice(-2)).toEqual([
      'getent passwd 1000',
      'runuser -u core -- mkdir -m 0700 -p /var/home/core/.ssh',
    ]);
    expect(
      await problem(scene.host.files.makeFolder('/x', { mode: 0o700, owner: { uid: 77, gid: 77 } })),
    ).toBe('mkdir /x: there is no user 77');
  });

  it('copy with cp, and report its failure', async () => {
    await scene.host.files.copy('/etc/hosts', '/var/orig/hosts');
    expect((await scene.calls()).at(-1)).toMatch(
      /^cp -a --reflink=auto \/etc\/hosts \/var\/orig\/\.hosts\d{10}$/,
    );
  });

  it('update the trust store directly where there is no service for it', async () => {
    expect(await problem(scene.host.units.restart('coreos-update-ca-trust.service'))).toBe(
      'error running update-ca-trust: exec: "update-ca-trust": executable file not found in $PATH: exit status 127',
    );
  });
});
