/**
 * The command lines of `rpm-ostree`, as arguments.
 */
import type { KernelArgumentChange, PackageChange } from './host.ts';

export function rebaseArgs(reference: string): readonly string[] {
  return ['rebase', '--experimental', reference];
}

/** The image is downloaded, and neither staged nor deployed. Begins with the command of the rebase, which people search for. */
export function fetchArgs(reference: string): readonly string[] {
  return [...rebaseArgs(reference), '--download-only'];
}

/** Begins with the line that is logged before a rebase. */
export function fetchText(image: string): string {
  return `Executing rebase to ${image}: download only, while the node still serves`;
}

/** Of `rpm-ostree kargs`: removals first, then all arguments that are kept or added, in order. */
export function kernelArgumentsArgs({ remove, append }: KernelArgumentChange): readonly string[] {
  return [
    ...remove.map((argument) => `--delete-if-present=${argument}`),
    ...append.map((argument) => `--append=${argument}`),
  ];
}

/** Base packages are removed and reset with `override`; layered packages are changed with `update`. */
export function packagesArgs(change: PackageChange): readonly string[] {
  const { install = [], uninstall = [], remove = [], reset = [] } = change;
  const flags = [
    ...install.flatMap((name) => ['--install', name]),
    ...uninstall.flatMap((name) => ['--uninstall', name]),
  ];
  if (reset.length > 0) return ['override', 'reset', ...reset, ...flags];
  if (remove.length > 0) return ['override', 'remove', ...remove, ...flags];
  return ['update', ...flags];
}
