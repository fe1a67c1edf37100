/**
 * The OS of every host, as `rpm-ostree` has it, and its accounts.
 */
import { expect, it } from 'vitest';
import {
  file,
  MISSING_IMAGE,
  NEW_IMAGE,
  OLD_IMAGE,
  OTHER_IMAGE,
  problem,
  sceneFor,
} from '../../../test/host/contract-fixtures.ts';
import type { HostScene } from './contract.ts';

const never = new AbortController().signal;

export function osContract(create: () => Promise<HostScene>): void {
  const at = sceneFor(create);
  const images = async () =>
    (await at.host.os.deployments()).map(
      ({ image, isBooted, isStaged }) => `${image}${isBooted ? ' booted' : ''}${isStaged ? ' staged' : ''}`,
    );

  it('reports its release', async () => {
    const { os } = at.host;
    expect(await os.release()).toEqual({
      id: 'scos',
      variant: 'coreos',
      version: '9.6.1',
      isCoreOs: true,
      isImageBased: true,
      isEnterpriseLinux: true,
    });
    expect(await images()).toEqual([`${OLD_IMAGE} booted`]);
    expect(await os.status()).toMatch(
      /^State: idle\nDeployments:\n\* ostree-unverified-registry:registry\.example\/os:old\n {19}Digest: sha256:a+\n {18}Version: 9\.6\.1 \(.*Z\)\n$/,
    );
    expect(await os.status({ isUtf8: true })).toBe((await os.status()).replace('\n* ', '\n● '));
    expect(await os.isFips()).toBe(false);
    expect(await os.finalizeFailure()).toBeUndefined();
    expect(await os.isLocal(NEW_IMAGE)).toBe(false);
    expect(await os.installed(['glibc', 'usbguard'])).toEqual(['glibc']);
  });

  it('fails to rebase to a missing image', async () => {
    const digest = `sha256:${'c'.repeat(64)}`;
    const why = `failed to invoke method OpenImage: reading manifest ${digest} in registry.example/os: manifest unknown`;
    expect(await problem(at.host.os.rebase(MISSING_IMAGE))).toBe(
      `error running rpm-ostree rebase --experimental ostree-unverified-registry:${MISSING_IMAGE}: ` +
        `error: Creating importer: failed to invoke method OpenImage: ${why}: exit status 1`,
    );
    expect(await images()).toEqual([`${OLD_IMAGE} booted`]);
  });

  it('is downloaded without a deployment: a reboot boots the OS as it was', async () => {
    await at.host.os.fetch(NEW_IMAGE, never);
    await at.host.os.fetch(NEW_IMAGE, never);
    expect(await images()).toEqual([`${OLD_IMAGE} booted`]);
    expect(await at.host.os.stagedRelease()).toBeUndefined();
    await at.host.reboot('by hand');
    await at.scene.rebooted();
    expect(await images()).toEqual([`${OLD_IMAGE} booted`]);
  });

  it('is rebased to a downloaded image without the registry, also after the staged deployment was dropped', async () => {
    await at.host.os.fetch(NEW_IMAGE, never);
    await at.host.os.dropPending();
    await at.scene.closeRegistry();
    await at.host.os.rebase(NEW_IMAGE);
    expect(await images()).toEqual([`${NEW_IMAGE} staged`, `${OLD_IMAGE} booted`]);
    await at.host.reboot('into the new OS');
    await at.scene.rebooted();
    expect(await images()).toEqual([`${NEW_IMAGE} booted`, OLD_IMAGE]);
  });

  it('knows the files of images that are downloaded or deployed', async () => {
    const { os } = at.host;
    const isIn = (image: string, path: string) => os.isInImage({ image, path });
    expect(await isIn(NEW_IMAGE, '/usr/lib/os-release')).toBeUndefined();
    await os.fetch(NEW_IMAGE, never);
    for (const image of [OLD_IMAGE, NEW_IMAGE]) {
      expect([image, await isIn(image, '/usr/lib/os-release')]).toEqual([image, true]);
      expect([image, await isIn(image, '/usr/lib/none')]).toEqual([image, false]);
    }
  });

  it('has nothing left of a download that is dropped', async () => {
    await at.host.os.fetch(NEW_IMAGE, never);
    await at.host.os.dropFetched();
    await at.host.os.dropFetched();
    await at.scene.closeRegistry();
    expect(await problem(at.host.os.rebase(NEW_IMAGE))).toMatch(/manifest unknown/);
    expect(await images()).toEqual([`${OLD_IMAGE} booted`]);
  });

  it('does not download what it runs', async () => {
    await at.scene.closeRegistry();
    await at.host.os.fetch(OLD_IMAGE, never);
  });

  it('fails to download a missing image, with the message of a rebase', async () => {
    const digest = `sha256:${'c'.repeat(64)}`;
    const why = `failed to invoke method OpenImage: reading manifest ${digest} in registry.example/os: manifest unknown`;
    expect(await problem(at.host.os.fetch(MISSING_IMAGE, never))).toBe(
      `error running rpm-ostree rebase --experimental ostree-unverified-registry:${MISSING_IMAGE} --download-only: ` +
        `error: Creating importer: failed to invoke method OpenImage: ${why}: exit status 1`,
    );
  });

  it('is rebased with the next boot, and keeps a rollback until that is dropped', async () => {
    const bootId = await at.host.bootId();
    await at.host.os.rebase(NEW_IMAGE);
    expect(await images()).toEqual([`${NEW_IMAGE} staged`, `${OLD_IMAGE} booted`]);
    await at.host.reboot('into the new OS');
    await at.scene.rebooted();
    expect(await images()).toEqual([`${NEW_IMAGE} booted`, OLD_IMAGE]);
    expect(await at.host.bootId()).not.toBe(bootId);
    await at.host.os.dropRollback();
    await at.host.os.dropRollback();
    expect(await images()).toEqual([`${NEW_IMAGE} booted`]);
  });

  it('knows the release of what is staged before it is booted', async () => {
    const { os } = at.host;
    expect(await os.stagedRelease()).toBeUndefined();
    await os.rebase(NEW_IMAGE);
    expect(await os.stagedRelease()).toMatchObject({ id: 'scos', variant: 'coreos', isCoreOs: true });
    await os.dropPending();
    await os.rebase(OTHER_IMAGE);
    expect(await os.stagedRelease()).toMatchObject({ id: 'fedora', variant: 'iot', isCoreOs: false });
    expect(await os.release()).toMatchObject({ id: 'scos', isCoreOs: true });
  });

  it('is unchanged after the staged deployment is dropped', async () => {
    await at.host.os.rebase(NEW_IMAGE);
    await at.host.os.changeKernelArguments({ remove: [], append: ['nosmt'] });
    await at.host.os.dropPending();
    await at.host.os.dropPending();
    expect(await images()).toEqual([`${OLD_IMAGE} booted`]);
    expect(await at.host.os.kernelArguments()).toEqual(['rw']);
  });

  it('keeps the order and the duplicates of kernel arguments', async () => {
    const pages = ['hugepagesz=1G', 'hugepages=4', 'hugepagesz=2M', 'hugepages=4'];
    await at.host.os.changeKernelArguments({ remove: ['absent'], append: pages });
    expect(await at.host.os.kernelArguments()).toEqual(['rw', ...pages]);
    await at.host.os.changeKernelArguments({ remove: pages.slice(0, 2), append: ['nosmt'] });
    expect(await at.host.os.kernelArguments()).toEqual(['rw', 'hugepagesz=2M', 'hugepages=4', 'nosmt']);
  });

  it('pulls with valid credentials, linked to where its tool reads them', async () => {
    const { os, files } = at.host;
    const target = async () => (await files.stat('/run/ostree/auth.json'))?.target;
    await os.fetch(NEW_IMAGE, never);
    expect(await target()).toBe('/var/lib/kubelet/config.json');
    await files.write('/etc/mco/internal-registry-pull-secret.json', file('{"auths":{}}'));
    await os.fetch(NEW_IMAGE, never);
    expect(await target()).toBe('/etc/mco/internal-registry-pull-secret.json');
    await files.write('/etc/mco/internal-registry-pull-secret.json', file('{"auths'));
    await os.fetch(NEW_IMAGE, never);
    expect(await target()).toBe('/var/lib/kubelet/config.json');
  });

  it('writes notes to the journal', async () => {
    expect(await at.host.note('Validated on-disk state')).toBeUndefined();
  });
}

export function accountsContract(create: () => Promise<HostScene>): void {
  const at = sceneFor(create);

  it('are found by name', async () => {
    const { accounts } = at.host;
    expect(await accounts.user('core')).toEqual({ uid: 1000, gid: 1000 });
    expect(await accounts.group('core')).toBe(1000);
    for (const name of ['none', '', '-x', '1000', 'a:b', 'core\n']) {
      expect([name, await accounts.user(name)]).toEqual([name, undefined]);
      expect([name, await accounts.group(name)]).toEqual([name, undefined]);
      expect([name, await accounts.passwordHash(name)]).toEqual([name, undefined]);
    }
  });

  it('get password hashes', async () => {
    const { accounts } = at.host;
    expect(await accounts.passwordHash('core')).toBe('*');
    await accounts.setPasswordHash('core', '$6$salt$hash');
    expect(await accounts.passwordHash('core')).toBe('$6$salt$hash');
    expect(await accounts.passwordHash('root')).toBe('*');
    await accounts.setPasswordHash('core', '');
    expect(await accounts.passwordHash('core')).toBe('');
    expect(await problem(accounts.setPasswordHash('none', 'x'))).toMatch(
      /^error running usermod -p <hidden> none: usermod: user 'none' does not exist: exit status 6$/,
    );
  });
}
