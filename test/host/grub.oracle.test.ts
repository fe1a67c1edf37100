/**
 * Debian's `grub-mkconfig` generates the configuration of the boot loader. No kernel is booted with it here: that GRUB hands the arguments of
 * its entries to the kernel is not part of these tests.
 */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { describe, expect, it } from 'vitest';
import { packagesOsContract } from '../../src/node/host/packages-os-contract.ts';
import { lacks, ok } from '../registry/tools.ts';
import { packagesScene } from './packages-scene.ts';

const canMount = getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0;

describe.skipIf(lacks('grub-mkconfig', 'grub-script-check', 'unshare') || !canMount)(
  "an OS of packages with Debian's own GRUB",
  () => {
    packagesOsContract(() => packagesScene('real'));

    it('has the arguments in every entry, also in that of the recovery mode, and GRUB can read them', async () => {
      const scene = await packagesScene('real');
      try {
        await scene.host.os.setKernelArguments({ wanted: ['nosmt', 'x="a b"'], previous: [] });
        const path = join(scene.root, 'boot/grub/grub.cfg');
        const lines = (await readFile(path, 'utf8')).match(/^\s*linux\s.*$/gm) ?? [];
        expect(lines.length).toBeGreaterThanOrEqual(2);
        for (const line of lines) expect(line).toContain('mitigations=auto nosmt x="a b"');
        await ok('grub-script-check', [path]);
      } finally {
        await scene.close();
      }
    });
  },
);
