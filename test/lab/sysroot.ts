/** The disk of a machine: an OSTree repository, the deployments of it, what they share, and what a boot loader reads. */
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { OS_NAME } from './os-name.ts';
import { DIGEST_KEY, entryArguments, REFERENCE_KEY } from './rpm-ostree/deployments.ts';
import { runTool } from './run-tool.ts';

export type Installation = {
  readonly sysroot: string;
  readonly source: { readonly repository: string; readonly ref: string };
  /** The image of the machine's origin. */
  readonly image: { readonly name: string; readonly digest: string; readonly version: string };
  readonly kernelArguments: readonly string[];
};

export async function installSysroot({
  sysroot,
  source,
  image,
  kernelArguments,
}: Installation): Promise<void> {
  const ostree = (...args: readonly string[]) => runTool(['ostree', ...args]);
  const repo = `--repo=${join(sysroot, 'ostree/repo')}`;
  await mkdir(sysroot, { recursive: true });
  await ostree('admin', 'init-fs', sysroot);
  // Durability is not needed on the computer of the lab.
  await ostree('config', repo, 'set', 'core.fsync', 'false');
  await ostree('admin', 'os-init', `--sysroot=${sysroot}`, OS_NAME);
  await ostree('pull-local', repo, source.repository, source.ref);
  const commit = await ostree(
    ...[
      'commit',
      repo,
      '--orphan',
      `--tree=ref=${source.ref}`,
      `--add-metadata-string=version=${image.version}`,
    ],
    `--add-metadata-string=${REFERENCE_KEY}=ostree-unverified-registry:${image.name}`,
    `--add-metadata-string=${DIGEST_KEY}=${image.digest}`,
  );
  const flags = kernelArguments.map((argument) => `--karg=${argument}`);
  await ostree('admin', 'deploy', `--sysroot=${sysroot}`, `--os=${OS_NAME}`, ...flags, commit.trim());
  await ostree('refs', repo, '--delete', source.ref);
  // With it the journal outlives boots, the first one too.
  await mkdir(join(varFolder(sysroot), 'log/journal'), { recursive: true });
}

export type Boot = {
  /** The folder that becomes the root. */
  readonly deployment: string;
  readonly kernelArguments: readonly string[];
};

/** What a boot loader would start. */
export async function nextBoot(sysroot: string): Promise<Boot> {
  const kernelArguments = entryArguments(join(sysroot, 'boot/loader/entries'));
  const place = kernelArguments.find((argument) => argument.startsWith('ostree='));
  if (place === undefined) throw new Error(`no deployment is named in ${kernelArguments.join(' ')}`);
  return { deployment: await realpath(join(sysroot, place.slice('ostree='.length))), kernelArguments };
}

/** `/var` of the machine: the same in all deployments. */
export function varFolder(sysroot: string): string {
  return join(sysroot, 'ostree/deploy', OS_NAME, 'var');
}

/** `ostree` makes deployments immutable, also for root. */
export async function removeSysroot(sysroot: string): Promise<void> {
  const free =
    'for one in "$1"/ostree/deploy/*/deploy/*/; do [ ! -d "$one" ] || chattr -i "$one"; done; rm -rf "$1"';
  await runTool(['sh', '-ec', free, 'remove', sysroot]);
}
