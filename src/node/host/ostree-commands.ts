/**
 * The command lines of `rpm-ostree`, as arguments.
 */
import type { KernelArgumentChange, PackageChange } from './host.ts';

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
