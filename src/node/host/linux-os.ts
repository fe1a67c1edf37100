/**
 * The OS of a real machine: managed by `rpm-ostree`, else by `bootc`, else not image-based.
 */
import { bootcTool } from './bootc-tool.ts';
import { type Commands, NO_SUCH_COMMAND, unsupported } from './command-runner.ts';
import type { HostOs } from './host.ts';
import { updateBootloader } from './linux-bootloader.ts';
import { openExtensions } from './linux-extensions.ts';
import { bootArguments, bootArgumentsProblem, setBootArguments } from './linux-grub.ts';
import { localImages } from './local-images.ts';
import { readFips } from './machine-files.ts';
import { readDeployedRelease, readOsRelease } from './os-release.ts';
import type { LinuxOsOptions, OsTool } from './os-tool.ts';
import { isInOstreeImage } from './ostree-image-files.ts';
import { ostreeTool } from './ostree-tool.ts';

export function createLinuxOs(options: LinuxOsOptions): HostOs {
  const { files, commands } = options;
  let found: Promise<OsTool> | undefined;
  // The installed programs change only with a reboot, which ends this process.
  const tool = (): Promise<OsTool> => {
    found ??= findTool(options);
    return found;
  };
  return {
    async release() {
      const release = await readOsRelease(files);
      return { ...release, isImageBased: release.isImageBased || (await tool()).name === 'bootc' };
    },
    deployments: async () => await (await tool()).deployments(),
    async stagedRelease() {
      const root = await (await tool()).stagedRoot();
      return root === undefined ? undefined : await readDeployedRelease(files, root);
    },
    status: async (options) => await (await tool()).status(options),
    kernelArguments: async () => await (await tool()).kernelArguments(),
    isLocal: async (image) => (await localImages(commands, image)).length > 0,
    async isInImage(file) {
      const { deployments } = await tool();
      return await isInOstreeImage(commands, { ...file, deployments: await deployments() });
    },
    async fetch(image, signal) {
      const { deployments, fetch } = await tool();
      // Its layers are in the repository. Tools refuse an image that is deployed already.
      if ((await deployments()).some((deployment) => deployment.image === image)) return;
      if ((await localImages(commands, image)).length === 0) await fetch(image, signal);
    },
    dropFetched: async () => await (await tool()).dropFetched(),
    rebase: async (image) => await (await tool()).rebase(image),
    changeKernelArguments: async (change) => await (await tool()).changeKernelArguments(change),
    kernelArgumentsProblem: async (wanted) => await (await tool()).kernelArgumentsProblem(wanted),
    setKernelArguments: async (change) => await (await tool()).setKernelArguments(change),
    changePackages: async (change) => await (await tool()).changePackages(change),
    openExtensions: (image) => openExtensions(options, image),
    installed: (packages) => installed(commands, packages),
    dropPending: async () => await (await tool()).dropPending(),
    dropRollback: async () => await (await tool()).dropRollback(),
    updateBootloader: async (image) => await updateBootloader(options, image),
    isFips: () => readFips(files),
    finalizeFailure: () => finalizeFailure(commands),
  };
}

async function findTool(options: LinuxOsOptions): Promise<OsTool> {
  const { commands } = options;
  const isThere = async (name: string) =>
    (await commands.try(name, ['--version'])).exitCode !== NO_SUCH_COMMAND;
  if (await isThere('rpm-ostree')) return ostreeTool(options);
  return (await isThere('bootc')) ? bootcTool(options) : noTool(options);
}

const refuse = async (): Promise<never> => {
  throw unsupported('updating the OS on non-CoreOS nodes is not supported');
};

/** The OS is installed from packages. Its kernel arguments are those of its boot loader. */
function noTool(options: LinuxOsOptions): OsTool {
  return {
    credentials: '/run/ostree/auth.json',
    name: 'rpm-ostree',
    deployments: async () => [],
    stagedRoot: async () => undefined,
    status: async () => '',
    kernelArguments: () => bootArguments(options),
    fetch: refuse,
    dropFetched: async () => undefined,
    rebase: refuse,
    changeKernelArguments: refuse,
    kernelArgumentsProblem: (wanted) => bootArgumentsProblem(options, wanted),
    setKernelArguments: (change) => setBootArguments(options, change),
    changePackages: refuse,
    dropPending: async () => undefined,
    dropRollback: async () => undefined,
  };
}

async function installed(commands: Commands, packages: readonly string[]): Promise<readonly string[]> {
  const there: string[] = [];
  for (const name of packages) {
    if ((await commands.try('rpm', ['-q', name])).exitCode === 0) there.push(name);
  }
  return there;
}

async function finalizeFailure(commands: Commands): Promise<string | undefined> {
  const args = ['-b', '-1', '-o', 'cat', '_UID=0', '-u', 'ostree-finalize-staged.service'];
  const { stdout, exitCode } = await commands.try('journalctl', args);
  // At the first boot there is no previous one.
  if (exitCode !== 0) return undefined;
  return stdout.split('\n').find((line) => line.startsWith('error:'));
}
