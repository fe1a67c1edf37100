/**
 * Kernel types as packages: another kernel is layered over the OS while the base kernel is removed.
 */
import { DEFAULT_KERNEL } from './node-config.ts';

/** The input of `HostOs.changePackages`. */
export type PackageChange = {
  readonly install?: readonly string[];
  readonly uninstall?: readonly string[];
  readonly remove?: readonly string[];
  readonly reset?: readonly string[];
};

/** The packages layered over an image, and those removed from it. */
export type Layers = {
  readonly layeredPackages: readonly string[];
  readonly removedPackages: readonly string[];
};

const BASE_KERNEL = [
  'kernel',
  'kernel-core',
  'kernel-modules',
  'kernel-modules-core',
  'kernel-modules-extra',
];

const KERNELS: ReadonlyMap<string, readonly string[]> = new Map([
  ['realtime', ['kernel-rt-core', 'kernel-rt-modules', 'kernel-rt-modules-extra']],
  [
    '64k-pages',
    ['kernel-64k-core', 'kernel-64k-modules', 'kernel-64k-modules-core', 'kernel-64k-modules-extra'],
  ],
]);

/** Removes a layered kernel. Nothing where there is none. */
export function kernelReset({ layeredPackages, removedPackages }: Layers): PackageChange | undefined {
  const removals = removedPackages.filter((name) => name === 'kernel' || name.startsWith('kernel-'));
  const layered = layeredPackages.filter(isOfKernelType);
  if (removals.length === 0 || layered.length === 0) return undefined;
  return { reset: [...removals].sort(), uninstall: [...layered].sort() };
}

/** From the base kernel to another; nothing for the base kernel itself. */
export function kernelSwitch(kernelType: string): PackageChange | undefined {
  const install = KERNELS.get(kernelType);
  return install === undefined ? undefined : { remove: BASE_KERNEL, install };
}

/** Whether the package belongs to a kernel other than that of the OS. */
export function isOfKernelType(name: string): boolean {
  return /^kernel-(rt|64k)-/.test(name);
}

/** Whether this kernel runs already. */
export function hasKernel({ layeredPackages }: Layers, kernelType: string): boolean {
  const wanted = KERNELS.get(kernelType) ?? [];
  const others = [...KERNELS].filter(([type]) => type !== kernelType).flatMap(([, packages]) => packages);
  return (
    wanted.every((name) => layeredPackages.includes(name)) &&
    !others.some((name) => layeredPackages.includes(name))
  );
}

/** `architecture` in the machine's notation; an unknown one is accepted. */
export function kernelTypeProblem(kernelType: string, architecture: string | undefined): string | undefined {
  if (kernelType !== DEFAULT_KERNEL && !KERNELS.has(kernelType)) return `kernelType=${kernelType} is invalid`;
  const isRightMachine = architecture === undefined || ['arm64', 'aarch64'].includes(architecture);
  return kernelType === '64k-pages' && !isRightMachine
    ? '64k-pages is only supported for aarch64 architecture'
    : undefined;
}
