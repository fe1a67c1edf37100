/**
 * A Linux host whose OS is installed from packages, over a temporary folder: with a scripted `grub-mkconfig`, or with Debian's own. That
 * one reads fixed paths, so it runs in a mount namespace of its own that has the folder in their place. There is no disk to boot
 * from, so `grub-probe`, which looks for it, is a stand-in.
 */
import { chmod, copyFile, cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ok } from '../registry/tools.ts';
import { COMMANDS, type LinuxScene, linuxScene } from './linux-scene.ts';

const GENERATOR = '/usr/sbin/grub-mkconfig';

export async function packagesScene(generator: 'scripted' | 'real'): Promise<LinuxScene> {
  const scene = await linuxScene([...COMMANDS, 'grub-mkconfig']);
  const { root } = scene;
  const put = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  await put('/etc/os-release', 'ID=debian\nVERSION_ID="12"\n');
  await put('/etc/default/grub', 'GRUB_CMDLINE_LINUX_DEFAULT=quiet\nGRUB_CMDLINE_LINUX=mitigations=auto\n');
  await mkdir(join(root, 'etc/default/grub.d'), { recursive: true });
  await mkdir(join(root, 'boot/grub'), { recursive: true });
  if (generator === 'scripted') {
    await put(GENERATOR, '#!/bin/sh\nfor x in /etc/default/grub.d/*.cfg ; do . "$x" ; done\n');
    const own = "menuentry 'Debian' {\n\tlinux\t/boot/vmlinuz-6.1 root=UUID=1 ro mitigations=auto quiet\n}\n";
    await put('/boot/grub/grub.cfg', own);
    return scene;
  }
  await mkdir(join(root, 'usr/sbin'), { recursive: true });
  await copyFile(GENERATOR, join(root, GENERATOR));
  await cp('/etc/grub.d', join(root, 'etc/grub.d'), { recursive: true });
  await put('/boot/vmlinuz-6.1.0-1-amd64', 'a kernel');
  await put('/boot/initrd.img-6.1.0-1-amd64', 'an initrd');
  const command = await installReal(root);
  await ok(command, ['-o', '/boot/grub/grub.cfg']);
  return scene;
}

/** Returns the command. Mounts of the namespace end with it. */
async function installReal(root: string): Promise<string> {
  const bin = join(dirname(root), 'bin');
  const probe = join(bin, 'grub-probe');
  const values =
    '*--target=device*) echo /dev/vda1 ;; *fs_uuid*) echo 1234 ;; *--target=fs*) echo ext2 ;; *) exit 1 ;;';
  await writeFile(probe, `#!/bin/sh\ncase "$*" in ${values} esac\n`);
  const mounts = [
    ['etc/default', '/etc/default'],
    ['etc/grub.d', '/etc/grub.d'],
    ['boot', '/boot'],
  ].map(([from, to]) => `mount --bind '${root}/${from}' ${to}`);
  const lines = [
    'export PATH=/usr/sbin:/usr/bin:/sbin:/bin',
    ...mounts,
    `mount --bind '${probe}' /usr/sbin/grub-probe`,
    `exec ${GENERATOR} "$@"`,
  ];
  const inner = join(bin, 'grub-mkconfig-inner');
  await writeFile(inner, `#!/bin/sh\nset -e\n${lines.join('\n')}\n`);
  const command = join(bin, 'grub-mkconfig');
  await writeFile(command, `#!/bin/sh\nexec /usr/bin/unshare --mount '${inner}' "$@"\n`);
  for (const path of [probe, inner, command]) await chmod(path, 0o755);
  return command;
}
