/**
 * The port to the program that manages the OS (`rpm-ostree` or `bootc`), and what its implementations share.
 */
import type { Random } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { type Commands, unsupported } from './command-runner.ts';
import type {
  BootArgumentChange,
  Deployment,
  HostFiles,
  KernelArgumentChange,
  PackageChange,
  StatusOptions,
} from './host.ts';
import { linkCredentials } from './machine-files.ts';

export type LinuxOsOptions = {
  readonly files: HostFiles;
  readonly commands: Commands;
  readonly random: Random;
};

/** The program that manages the OS. */
export interface OsTool {
  /** Where it reads credentials. */
  readonly credentials: string;
  readonly name: string;
  deployments(): Promise<readonly Deployment[]>;
  status(options?: StatusOptions): Promise<string>;
  /** The folder of the staged deployment; `undefined` where there is none, or it is unknown. */
  stagedRoot(): Promise<string | undefined>;
  kernelArguments(): Promise<readonly string[]>;
  fetch(image: string, signal: AbortSignal): Promise<void>;
  dropFetched(): Promise<void>;
  rebase(image: string): Promise<void>;
  changeKernelArguments(change: KernelArgumentChange): Promise<void>;
  kernelArgumentsProblem(wanted: readonly string[]): Promise<string | undefined>;
  setKernelArguments(change: BootArgumentChange): Promise<void>;
  changePackages(change: PackageChange): Promise<void>;
  dropPending(): Promise<void>;
  dropRollback(): Promise<void>;
}

/** For systems that are images: their kernel arguments belong to a deployment, see `changeKernelArguments`. */
export async function refuseToSetKernelArguments(): Promise<never> {
  throw unsupported('the kernel arguments of this system are those of its deployments');
}

/** Links the credentials where the tool reads them. An image may need none, so a failure is only logged. */
export async function linkToolCredentials(
  { files, commands }: LinuxOsOptions,
  { credentials, name }: Pick<OsTool, 'credentials' | 'name'>,
): Promise<void> {
  try {
    commands.log(`Linking ${name} authfile to ${await linkCredentials(files, credentials)}`);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'cancelled') throw error;
    commands.log(error.message);
  }
}

/** The arguments of `systemd-run` for podman in a unit of its own, with the proxy settings of the cluster. */
export function podmanUnit(unit: string, args: readonly string[]): readonly string[] {
  const properties = ['--unit', unit, '-p', 'EnvironmentFile=-/etc/mco/proxy.env'];
  return [...properties, '--collect', '--wait', '--', 'podman', ...args];
}

/** The arguments of podman that run a command from an image on the host, whose root is at `/run/host`. */
export function runOnHost(image: string, command: readonly string[]): readonly string[] {
  const access = ['--privileged', '--pid=host', '--net=host', '--rm', '-v', '/:/run/host'];
  return ['run', '--env-file', '/etc/mco/proxy.env', ...access, image, ...command];
}
