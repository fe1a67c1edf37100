/**
 * What the parts of a real machine's OS share: what they are given, and what a program that exchanges the OS does.
 */
import type { Random } from '../../base/env.ts';
import type { Commands } from './command-runner.ts';
import type { Deployment, HostFiles, KernelArgumentChange, PackageChange } from './host.ts';

export type LinuxOsOptions = {
  readonly files: HostFiles;
  readonly commands: Commands;
  readonly random: Random;
};

/** What the program does that exchanges the OS. */
export interface OsTool {
  /** Where it looks for credentials. */
  readonly credentials: string;
  readonly name: string;
  deployments(): Promise<readonly Deployment[]>;
  status(): Promise<string>;
  kernelArguments(): Promise<readonly string[]>;
  rebase(image: string): Promise<void>;
  changeKernelArguments(change: KernelArgumentChange): Promise<void>;
  changePackages(change: PackageChange): Promise<void>;
  dropPending(): Promise<void>;
  dropRollback(): Promise<void>;
}
