/**
 * `bootc` on a real machine that has no `rpm-ostree`.
 */

import { Failure } from '../../base/errors.ts';
import { objectAt, stringAt } from '../../base/json-fields.ts';
import { type Commands, unsupported } from './command-runner.ts';
import type { Deployment } from './host.ts';
import { readCommandLine } from './machine-files.ts';
import {
  type LinuxOsOptions,
  linkToolCredentials,
  type OsTool,
  refuseToSetKernelArguments,
} from './os-tool.ts';

const NO_ARGUMENTS = 'changing kernel arguments is not supported on a system that bootc manages';
const TOOL = { credentials: '/etc/ostree/auth.json', name: 'bootc' };

export function bootcTool(options: LinuxOsOptions): OsTool {
  const { commands, files } = options;
  const deployments = async () => parseBootcStatus(await commands.capture('bootc', ['status', '--json']));
  const undeploy = async (isMeant: (deployment: Deployment) => boolean) => {
    const index = (await deployments()).findIndex(isMeant);
    if (index >= 0) await commands.run('ostree', ['admin', 'undeploy', String(index)]);
  };
  return {
    ...TOOL,
    deployments,
    status: () => commands.capture('bootc', ['status']),
    // Its images need not be CoreOS.
    stagedRoot: async () => undefined,
    kernelArguments: () => readCommandLine(files),
    fetch: (image, signal) => fetch(options, image, signal),
    dropFetched: async () => {
      if (await hasContainers(commands)) {
        await commands.run('unshare', onWritableSysroot('prune-images', '--sysroot', '/', '--full'));
      }
    },
    async rebase(image) {
      await linkToolCredentials(options, TOOL);
      await commands.run('bootc', ['switch', image]);
    },
    async changeKernelArguments({ remove, append }) {
      if (remove.length + append.length === 0) return;
      throw unsupported(NO_ARGUMENTS);
    },
    kernelArgumentsProblem: async () => NO_ARGUMENTS,
    setKernelArguments: refuseToSetKernelArguments,
    async changePackages() {
      throw unsupported('layering packages is not supported on a system that bootc manages');
    },
    dropPending: () => undeploy(({ isStaged }) => isStaged),
    dropRollback: () => undeploy(({ isStaged, isBooted }) => !isStaged && !isBooted),
  };
}

/** Into the OSTree repository that bootc uses too. It has no command of its own that downloads without staging. */
async function fetch(options: LinuxOsOptions, image: string, signal: AbortSignal): Promise<void> {
  const { commands } = options;
  if (!(await hasContainers(commands))) {
    return commands.log(
      `ostree cannot fetch container images here: ${image} is downloaded when it is staged`,
    );
  }
  await linkToolCredentials(options, TOOL);
  const pull = [
    'pull',
    '--authfile',
    TOOL.credentials,
    '/ostree/repo',
    `ostree-unverified-registry:${image}`,
  ];
  await commands.run('unshare', onWritableSysroot(...pull), { signal });
}

/** `ostree container` is an extension that bootc usually installs. */
async function hasContainers(commands: Commands): Promise<boolean> {
  return (await commands.try('ostree', ['container', '--help'])).exitCode === 0;
}

/** The repository is mounted read-only; a mount namespace of its own makes it writable for this command alone. */
function onWritableSysroot(...args: readonly string[]): readonly string[] {
  const script = 'mount -o remount,rw /sysroot && exec ostree container image "$@"';
  return ['--mount', '/bin/sh', '-c', script, 'ostree', ...args];
}

/** Reads `bootc status --json`: staged, booted and rollback, in boot order. */
export function parseBootcStatus(text: string): readonly Deployment[] {
  const root = parseJson(text);
  return ['staged', 'booted', 'rollback'].flatMap((which) => {
    const entry = objectAt(root, 'status', which);
    if (entry === undefined) return [];
    const digest = stringAt(entry, 'image', 'imageDigest');
    return [
      {
        isBooted: which === 'booted',
        isStaged: which === 'staged',
        image: stringAt(entry, 'image', 'image', 'image'),
        ...(digest === '' ? {} : { digest }),
        version: stringAt(entry, 'image', 'version'),
        commit: stringAt(entry, 'ostree', 'checksum'),
        layeredPackages: [],
        removedPackages: [],
      },
    ];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = 'failed to parse bootc status: it is not JSON';
    throw new Failure('stalled', 'StatusUnreadable', message, error);
  }
}
