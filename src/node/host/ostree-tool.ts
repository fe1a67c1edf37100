/**
 * `rpm-ostree` on a real machine.
 */
import type { Commands } from './command-runner.ts';
import { rebaseFromStorage } from './linux-local-image.ts';
import { localImages } from './local-images.ts';
import {
  type LinuxOsOptions,
  linkToolCredentials,
  type OsTool,
  podmanUnit,
  refuseToSetKernelArguments,
  runOnHost,
} from './os-tool.ts';
import { fetchArgs, fetchText, kernelArgumentsArgs, packagesArgs, rebaseArgs } from './ostree-commands.ts';
import { parseOstreeStatus, stagedRoot } from './ostree-status.ts';

const TOOL = { credentials: '/run/ostree/auth.json', name: 'rpm-ostree' };

export function ostreeTool(options: LinuxOsOptions): OsTool {
  const { commands } = options;
  const run = (...args: readonly string[]) => commands.run('rpm-ostree', args);
  const statusJson = () => commands.capture('rpm-ostree', ['status', '--json']);
  const deployments = async () => parseOstreeStatus(await statusJson());
  return {
    ...TOOL,
    deployments,
    stagedRoot: async () => stagedRoot(await statusJson()),
    status: ({ isUtf8 = false } = {}) =>
      commands.capture('rpm-ostree', ['status'], isUtf8 ? { env: { LC_ALL: 'C.UTF-8' } } : {}),
    kernelArguments: async () =>
      (await commands.capture('rpm-ostree', ['kargs']))
        .trim()
        .split(' ')
        .filter((one) => one !== ''),
    fetch: (image, signal) => fetch(options, image, signal),
    dropFetched: () => run('cleanup', '-b'),
    rebase: (image) => rebase(options, image),
    async changeKernelArguments(change) {
      const args = kernelArgumentsArgs(change);
      if (args.length > 0) await run('kargs', ...args);
    },
    kernelArgumentsProblem: async () => undefined,
    setKernelArguments: refuseToSetKernelArguments,
    changePackages: (change) => run(...packagesArgs(change)),
    async dropPending() {
      // Every cleanup also removes images of no deployment, and so what was fetched.
      if ((await deployments()).some(({ isStaged }) => isStaged)) await run('cleanup', '-p');
    },
    dropRollback: () => run('cleanup', '-r'),
  };
}

async function rebase(options: LinuxOsOptions, image: string): Promise<void> {
  const { commands } = options;
  if (!(await canPullContainers(commands))) return await updateViaContainer(commands, image);
  const [local] = await localImages(commands, image);
  if (local !== undefined) return await rebaseFromStorage(options, { image, local });
  await linkToolCredentials(options, TOOL);
  commands.log(`Executing rebase to ${image}`);
  await commands.run('rpm-ostree', rebaseArgs(inRegistry(image)));
}

/** Into the OSTree repository, where a rebase to the image finds all of its layers. */
async function fetch(options: LinuxOsOptions, image: string, signal: AbortSignal): Promise<void> {
  const { commands } = options;
  if (!(await canPullContainers(commands))) {
    // It is deployed from podman's storage; see `updateViaContainer`.
    return await commands.run('systemd-run', podmanUnit(VIA_CONTAINER, pullArgs(image)), { signal });
  }
  await linkToolCredentials(options, TOOL);
  await cancelFetchOfBefore(commands);
  commands.log(fetchText(image));
  try {
    await commands.run('rpm-ostree', fetchArgs(inRegistry(image)), { signal });
  } catch (error) {
    // The client is killed; the transaction runs in rpm-ostree's own daemon.
    if (signal.aborted) await commands.try('rpm-ostree', ['cancel']).catch(() => undefined);
    throw error;
  }
}

/** Of a daemon that was killed: rpm-ostree runs one transaction at a time, and others than ours are left alone. */
async function cancelFetchOfBefore(commands: Commands): Promise<void> {
  const { stdout } = await commands.try('rpm-ostree', ['status']);
  if (/^\s*Transaction: .*--download-only/m.test(stdout)) await commands.run('rpm-ostree', ['cancel']);
}

function inRegistry(image: string): string {
  return `ostree-unverified-registry:${image}`;
}

async function canPullContainers(commands: Commands): Promise<boolean> {
  const version = await commands.capture('rpm-ostree', ['--version']);
  return /^\s*-\s*container\s*$/m.test(version);
}

const VIA_CONTAINER = 'machine-config-daemon-update-rpmostree-via-container';

function pullArgs(image: string): readonly string[] {
  return ['pull', '--authfile', '/var/lib/kubelet/config.json', image];
}

/** For an rpm-ostree without support for images: the new one runs from within the image. */
async function updateViaContainer(commands: Commands, image: string): Promise<void> {
  const { stdout } = await commands.try('getenforce', []);
  const isEnforcing = stdout.trim() === 'Enforcing';
  if (isEnforcing) await commands.run('setenforce', ['0']);
  try {
    await commands.run('systemd-run', podmanUnit(VIA_CONTAINER, pullArgs(image)));
    const deploy = runOnHost(image, ['rpm-ostree', 'ex', 'deploy-from-self', '/run/host']);
    await commands.run('systemd-run', podmanUnit(VIA_CONTAINER, deploy));
  } finally {
    if (isEnforcing) await commands.run('setenforce', ['1']);
  }
}
