/**
 * An OS that is installed from packages, with GRUB: only the kernel arguments can be changed. The tests of hosts with a scripted and
 * with Debian's own `grub-mkconfig` run it.
 */
import { expect, it } from 'vitest';
import { file, NEW_IMAGE, problem, sceneFor, textAt } from '../../../test/host/contract-fixtures.ts';
import type { HostScene } from './contract.ts';

const DROPIN = '/etc/default/grub.d/99-millwright.cfg';
const GRUB = '/boot/grub/grub.cfg';
const UNSUPPORTED = 'updating the OS on non-CoreOS nodes is not supported';

/** The scene has `mitigations=auto` in /etc/default/grub, and a generated grub.cfg. */
export function packagesOsContract(create: () => Promise<HostScene>): void {
  const at = sceneFor(create);
  const ours = async () => {
    const all = await at.host.os.kernelArguments();
    const first = all.indexOf('mitigations=auto');
    expect(first).toBeGreaterThanOrEqual(0);
    return all.slice(first + 1).filter((argument) => argument !== 'quiet');
  };

  it('reports its release, and no deployments', async () => {
    const { os } = at.host;
    expect(await os.release()).toMatchObject({ id: 'debian', isCoreOs: false, isImageBased: false });
    expect(await os.deployments()).toEqual([]);
    expect(await os.stagedRelease()).toBeUndefined();
    await os.dropPending();
  });

  it('refuses images and packages', async () => {
    const { os } = at.host;
    expect(await problem(os.rebase(NEW_IMAGE))).toBe(UNSUPPORTED);
    expect(await problem(os.changePackages({ install: ['usbguard'] }))).toBe(UNSUPPORTED);
    expect(await problem(os.changeKernelArguments({ remove: [], append: ['a'] }))).toBe(UNSUPPORTED);
  });

  it('adds kernel arguments to its own, in their order, with duplicates and quotes', async () => {
    const { os } = at.host;
    const wanted = ['hugepagesz=1G', 'hugepages=4', 'hugepagesz=2M', 'hugepages=4', 'x="a b"'];
    expect(await os.kernelArgumentsProblem(wanted)).toBeUndefined();
    await os.setKernelArguments({ wanted, previous: [] });
    expect(await ours()).toEqual(wanted);
    expect(await textAt(at.host, DROPIN)).toBe(
      `# Kernel arguments of this node's MachineConfig. Written by the machine config daemon.\nGRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX "'hugepagesz=1G hugepages=4 hugepagesz=2M hugepages=4 x="a b"'\n`,
    );
  });

  it('has exactly the kernel arguments that were set last, and its own again without any', async () => {
    const { os, files } = at.host;
    const before = await textAt(at.host, GRUB);
    await os.setKernelArguments({ wanted: ['nosmt'], previous: [] });
    await os.setKernelArguments({ wanted: ['nosmt'], previous: [] });
    expect(await ours()).toEqual(['nosmt']);
    await os.setKernelArguments({ wanted: ['audit=1', 'nosmt=force'], previous: [] });
    expect(await ours()).toEqual(['audit=1', 'nosmt=force']);
    await os.setKernelArguments({ wanted: [], previous: ['audit=1', 'nosmt=force'] });
    expect(await ours()).toEqual([]);
    expect(await files.stat(DROPIN)).toBeUndefined();
    expect(await textAt(at.host, GRUB)).toBe(before);
    expect(await files.list('/boot/grub')).toEqual(['grub.cfg']);
  });

  it('completes what a power cut left after the drop-in', async () => {
    const { os, files } = at.host;
    await files.write(DROPIN, file(`GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX "'nosmt'\n`));
    expect(await ours()).toEqual([]);
    await os.setKernelArguments({ wanted: ['nosmt'], previous: [] });
    expect(await ours()).toEqual(['nosmt']);
  });

  it('completes what a power cut left after the drop-in was removed', async () => {
    const { os, files } = at.host;
    await os.setKernelArguments({ wanted: ['nosmt'], previous: [] });
    await files.remove(DROPIN);
    await os.setKernelArguments({ wanted: [], previous: ['nosmt'] });
    expect(await ours()).toEqual([]);
  });

  it('keeps the configuration that it boots from where the arguments would have no effect', async () => {
    const { os, files } = at.host;
    const before = await textAt(at.host, GRUB);
    await files.write('/etc/default/grub.d/zz.cfg', file('GRUB_CMDLINE_LINUX=mitigations=auto\n'));
    expect(await problem(os.setKernelArguments({ wanted: ['nosmt'], previous: [] }))).toMatch(
      /^\/usr\/sbin\/grub-mkconfig did not add the kernel arguments \[nosmt\]: does .* set GRUB_CMDLINE_LINUX\?$/,
    );
    expect(await textAt(at.host, GRUB)).toBe(before);
    expect(await files.list('/boot/grub')).toEqual(['grub.cfg']);
    expect(await files.stat(DROPIN)).toBeUndefined();
    // There is nothing to undo, and it does not need the generator.
    await files.remove('/usr/sbin/grub-mkconfig');
    await files.write('/proc/cmdline', file('mitigations=auto quiet\n'));
    await os.setKernelArguments({ wanted: [], previous: ['nosmt'] });
  });

  it.each(['$(reboot)', 'a;b', "a'b", 'a"b', 'a\\b', '`id`', 'a{b}', '#a', 'a&b', '"$x"'])(
    'refuses an argument that GRUB or a shell would read as something else: %s',
    async (argument) => {
      const { os } = at.host;
      const why = `GRUB would not pass on ${argument} as it is`;
      expect(await os.kernelArgumentsProblem(['ok', argument])).toBe(why);
      expect(await problem(os.setKernelArguments({ wanted: ['ok', argument], previous: [] }))).toBe(
        `cannot change kernel arguments: ${why}`,
      );
      expect(await ours()).toEqual([]);
    },
  );

  it('refuses kernel arguments where they would have no effect', async () => {
    const { os, files } = at.host;
    const why = async () => await os.kernelArgumentsProblem(['a']);
    await files.write('/etc/default/grub', file('GRUB_ENABLE_BLSCFG=true\n'));
    expect(await why()).toMatch(/^its boot entries are files of the Boot Loader Specification/);
    await files.write('/etc/default/grub', file('GRUB_ENABLE_BLSCFG=false\n'));
    expect(await why()).toBeUndefined();
    const generator = await textAt(at.host, '/usr/sbin/grub-mkconfig');
    await files.write('/usr/sbin/grub-mkconfig', file('#!/bin/sh\n. /etc/default/grub\n'));
    expect(await why()).toBe('/usr/sbin/grub-mkconfig does not read /etc/default/grub.d');
    await files.write('/usr/sbin/grub-mkconfig', file(generator ?? ''));
    await files.write(GRUB, file('insmod blscfg\nblscfg\n'));
    expect(await why()).toMatch(/^its boot entries are files of the Boot Loader Specification/);
    await files.remove(GRUB);
    expect(await why()).toBe('there is no /boot/grub/grub.cfg and no /boot/grub2/grub.cfg');
    await files.remove('/usr/sbin/grub-mkconfig');
    expect(await why()).toBe('neither grub-mkconfig nor grub2-mkconfig is installed');
    expect(await problem(os.setKernelArguments({ wanted: ['a'], previous: [] }))).toBe(
      'cannot change kernel arguments: neither grub-mkconfig nor grub2-mkconfig is installed',
    );
    // Then the running kernel is all that is known.
    expect(await os.kernelArguments()).toEqual(['rw', 'quiet']);
  });
}
