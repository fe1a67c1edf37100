/**
 * The boot loader, which is not part of the deployment: an old one may reject a kernel with a new signature.
 */
import { pullUnlessLocal } from './linux-extensions.ts';
import { readOsRelease } from './os-release.ts';
import { type LinuxOsOptions, podmanUnit, runOnHost } from './os-tool.ts';

/** From this version on the OS has a service for it. */
const WITH_SERVICE: readonly [number, number] = [9, 6];

export async function updateBootloader({ files, commands }: LinuxOsOptions, image: string): Promise<void> {
  const { stdout, exitCode } = await commands.try('mokutil', ['--sb-state']);
  // An unknown state counts as enabled.
  if (exitCode === 0 && !stdout.includes('SecureBoot enabled')) return;
  const release = await readOsRelease(files);
  if (release.isEnterpriseLinux && isAtLeast(enterpriseVersion(release.version), WITH_SERVICE)) {
    const args = ['start', 'bootloader-update.service'];
    commands.log(`Running: systemctl ${args.join(' ')}`);
    if ((await commands.try('systemctl', args)).exitCode === 0) return;
  }
  await pullUnlessLocal({ files, commands }, image);
  const update = runOnHost(image, ['bootupctl', 'update']);
  await commands.run('systemd-run', podmanUnit('machine-config-daemon-bootupd-update', update));
}

/** Of `9.6.20251013-1`, or of the older form `418.94.202410090804-0`, which is 9.4. */
export function enterpriseVersion(version: string): readonly [number, number] {
  const older = /^\d{3}\.(\d)(\d+)\./.exec(version);
  const [, major = '0', minor = '0'] = older ?? /^(\d+)\.(\d+)/.exec(version) ?? [];
  return [Number(major), Number(minor)];
}

function isAtLeast(version: readonly [number, number], wanted: readonly [number, number]): boolean {
  return version[0] === wanted[0] ? version[1] >= wanted[1] : version[0] > wanted[0];
}
