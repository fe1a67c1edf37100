/**
 * Extensions: names for sets of packages that can be layered over the OS.
 */
import { quoted } from '../../base/text/index.ts';
import { isOfKernelType, type PackageChange } from './kernel-type.ts';

/** The alternative package sets of each extension. The first is installed; any is accepted. */
const PACKAGE_SETS: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ['two-node-ha', [['pacemaker', 'pcs', 'fence-agents-all']]],
  [
    'ipsec',
    [
      ['NetworkManager-libreswan', 'libreswan', 'openvswitch3.5-ipsec'],
      ['NetworkManager-libreswan', 'libreswan'],
    ],
  ],
  ['usbguard', [['usbguard']]],
  ['kerberos', [['krb5-workstation', 'libkadm5']]],
  ['kernel-devel', [['kernel-devel', 'kernel-headers']]],
  ['sandboxed-containers', [['kata-containers']]],
  ['sysstat', [['sysstat']]],
]);

/** The packages of these extensions, sorted. Unknown extensions have none; see `unknownExtensions`. */
export function extensionPackages(extensions: readonly string[]): readonly string[] {
  return [...new Set(extensions.flatMap((name) => PACKAGE_SETS.get(name)?.[0] ?? []))].sort();
}

/** The error for unknown extensions. */
export function unknownExtensions(extensions: readonly string[]): string | undefined {
  const unknown = extensions.filter((name) => !PACKAGE_SETS.has(name));
  return unknown.length === 0 ? undefined : `invalid extensions found: [${unknown.join(' ')}]`;
}

/** What to install and uninstall, given the layered packages. Packages of no extension are ignored. */
export function extensionChange(
  extensions: readonly string[],
  layeredPackages: readonly string[],
): PackageChange | undefined {
  const wanted = extensionPackages(extensions);
  const known = new Set(extensionPackages([...PACKAGE_SETS.keys()]));
  const install = wanted.filter((name) => !layeredPackages.includes(name));
  const uninstall = layeredPackages.filter((name) => known.has(name) && !wanted.includes(name)).sort();
  if (install.length === 0 && uninstall.length === 0) return undefined;
  return { ...(install.length > 0 && { install }), ...(uninstall.length > 0 && { uninstall }) };
}

type Packages = {
  readonly layeredPackages: readonly string[];
  readonly localPackages?: readonly string[];
};

/** What somebody has added to the OS of a machine that is neither of an extension nor of a kernel type. */
export function unsupportedPackages({ layeredPackages, localPackages = [] }: Packages): readonly string[] {
  const known = new Set(packagesToVerify([...PACKAGE_SETS.keys()]));
  return [...layeredPackages.filter((name) => !known.has(name) && !isOfKernelType(name)), ...localPackages];
}

type Staged = { readonly isStaged: boolean; readonly layeredPackages: readonly string[] };

/** The error for packages that are missing from the staged deployment. */
export function missingFromStaged(
  packages: readonly string[],
  deployments: readonly Staged[],
): string | undefined {
  const layered = deployments.find(({ isStaged }) => isStaged)?.layeredPackages ?? [];
  const missing = packages.filter((name) => !layered.includes(name));
  if (missing.length === 0) return undefined;
  return `the following extension packages are missing from the staged deployment: [${missing.join(' ')}]`;
}

/** Every package that `extensionProblem` needs. */
export function packagesToVerify(extensions: readonly string[]): readonly string[] {
  return [...new Set(extensions.flatMap((name) => PACKAGE_SETS.get(name)?.flat() ?? []))].sort();
}

/** On an updated node one set of each extension must be installed in full. */
export function extensionProblem(
  extensions: readonly string[],
  installed: readonly string[],
): string | undefined {
  for (const name of extensions) {
    const sets = PACKAGE_SETS.get(name) ?? [];
    if (sets.some((packages) => packages.every((one) => installed.includes(one)))) continue;
    const missing = (sets[0] ?? []).filter((one) => !installed.includes(one));
    return `extension package verification failed: extension ${quoted(name)} verification failed: no valid package set is fully installed. Missing packages: [${missing.join(' ')}]`;
  }
  return undefined;
}
