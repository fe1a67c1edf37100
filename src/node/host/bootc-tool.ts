/**
 * `bootc` on a real machine that has no `rpm-ostree`.
 */

import { Failure } from '../../base/errors.ts';
import { objectAt, stringAt } from '../../base/json-fields.ts';
import { unsupported } from './command-runner.ts';
import type { Deployment } from './host.ts';
import { readCommandLine } from './machine-files.ts';
import type { LinuxOsOptions, OsTool } from './os-tool.ts';

export function bootcTool({ commands, files }: LinuxOsOptions): OsTool {
  const deployments = async () => parseBootcStatus(await commands.capture('bootc', ['status', '--json']));
  const undeploy = async (isMeant: (deployment: Deployment) => boolean) => {
    const index = (await deployments()).findIndex(isMeant);
    if (index >= 0) await commands.run('ostree', ['admin', 'undeploy', String(index)]);
  };
  return {
    credentials: '/etc/ostree/auth.json',
    name: 'bootc',
    deployments,
    status: () => commands.capture('bootc', ['status']),
    // Its images need not be CoreOS.
    stagedRoot: async () => undefined,
    kernelArguments: () => readCommandLine(files),
    rebase: (image) => commands.run('bootc', ['switch', image]),
    async changeKernelArguments({ remove, append }) {
      if (remove.length + append.length === 0) return;
      throw unsupported('changing kernel arguments is not supported on a system that bootc manages');
    },
    async changePackages() {
      throw unsupported('layering packages is not supported on a system that bootc manages');
    },
    dropPending: () => undeploy(({ isStaged }) => isStaged),
    dropRollback: () => undeploy(({ isStaged, isBooted }) => !isStaged && !isBooted),
  };
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
