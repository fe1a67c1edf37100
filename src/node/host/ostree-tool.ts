/**
 * `rpm-ostree` on a real machine.
 */
import type { Commands } from './command-runner.ts';
import { rebaseFromStorage } from './linux-local-image.ts';
import { localImages } from './local-images.ts';
import { type LinuxOsOptions, type OsTool, podmanUnit, runOnHost } from './os-tool.ts';
import { kernelArgumentsArgs, packagesArgs } from './ostree-commands.ts';
import { parseOstreeStatus, stagedRoot } from './ostree-status.ts';

export function ostreeTool(options: LinuxOsOptions): OsTool {
  const { commands } = options;
  const run = (...args: readonly string[]) => commands.run('rpm-ostree', args);
  const statusJson = () => commands.capture('rpm-ostree', ['status', '--json']);
  return {
    credentials: '/run/ostree/auth.json',
    name: 'rpm-ostree',
    deployments: async () => parseOstreeStatus(await statusJson()),
    stagedRoot: async () => stagedRoot(await statusJson()),
    status: ({ isUtf8 = false } = {}) =>
      commands.capture('rpm-ostree', ['status'], isUtf8 ? { env: { LC_ALL: 'C.UTF-8' } } : {}),
    kernelArguments: async () =>
      (await commands.capture('rpm-ostree', ['kargs']))
        .trim()
        .split(' ')
        .filter((one) => one !== ''),
    rebase: (image) => rebase(options, image),
    async changeKernelArguments(change) {
      const args = kernelArgumentsArgs(change);
      if (args.length > 0) await run('kargs', ...args);
    },
    changePackages: (change) => run(...packagesArgs(change)),
    dropPending: () => run('cleanup', '-p'),
    dropRollback: () => run('cleanup', '-r'),
  };
}

async function rebase(options: LinuxOsOptions, image: string): Promise<void> {
  const { commands } = options;
  if (!(await canPullContainers(commands))) return await updateViaContainer(commands, image);
  const [local] = await localImages(commands, image);
  if (local !== undefined) return await rebaseFromStorage(options, { image, local });
  commands.log(`Executing rebase to ${image}`);
  await commands.run('rpm-ostree', ['rebase', '--experimental', `ostree-unverified-registry:${image}`]);
}

async function canPullContainers(commands: Commands): Promise<boolean> {
  const version = await commands.capture('rpm-ostree', ['--version']);
  return /^\s*-\s*container\s*$/m.test(version);
}

const VIA_CONTAINER = 'machine-config-daemon-update-rpmostree-via-container';

/** For an rpm-ostree without support for images: the new one runs from within the image. */
async function updateViaContainer(commands: Commands, image: string): Promise<void> {
  const { stdout } = await commands.try('getenforce', []);
  const isEnforcing = stdout.trim() === 'Enforcing';
  if (isEnforcing) await commands.run('setenforce', ['0']);
  try {
    const pull = ['pull', '--authfile', '/var/lib/kubelet/config.json', image];
    await commands.run('systemd-run', podmanUnit(VIA_CONTAINER, pull));
    const deploy = runOnHost(image, ['rpm-ostree', 'ex', 'deploy-from-self', '/run/host']);
    await commands.run('systemd-run', podmanUnit(VIA_CONTAINER, deploy));
  } finally {
    if (isEnforcing) await commands.run('setenforce', ['1']);
  }
}
