/**
 * What the OS of a machine can be changed to, and what not. A node never claims to have a config whose OS it does not run.
 */
import { quoted } from '../../base/text/index.ts';
import { missingKernelArguments } from './kernel-arguments.ts';
import { DEFAULT_KERNEL } from './node-config.ts';
import type { NodeConfig } from './plan-types.ts';

/** The OS of a machine. */
export type MachineOs = {
  readonly isImageBased: boolean;
  /** The only one with kernel types and extensions. */
  readonly isEnterpriseLinux: boolean;
  readonly kernelArguments: readonly string[];
  /** Why kernel arguments that the config asks for cannot be set; absent where they can. */
  readonly kernelArgumentsProblem?: string;
};

/** Why this machine cannot have the OS of the config; undefined where it can. */
export function unsupportedOs(to: NodeConfig, machine: MachineOs): string | undefined {
  const packages = packageDemands(to);
  const missing = unsettableArguments(to, machine);
  if (!machine.isImageBased) {
    const images = [...(to.osImage === '' ? [] : [`OS image ${to.osImage}`]), ...packages];
    const refusal = demand('updating the OS on non-CoreOS nodes is not supported', to, [
      ...images,
      ...missing,
    ]);
    const remedies = [
      ...(images.length === 0 ? [] : [BY_PACKAGES]),
      ...(missing.length === 0 ? [] : [BY_HAND]),
    ];
    return refusal === undefined ? undefined : [refusal, ...remedies].join('. ');
  }
  const demands = [...(machine.isEnterpriseLinux ? [] : packages), ...missing];
  const what =
    missing.length === demands.length
      ? 'updating kernel arguments is not supported'
      : 'kernel types and extensions are only supported on Enterprise Linux CoreOS';
  return demand(what, to, demands);
}

const BY_PACKAGES =
  'Update this node with its package manager, and have it in a pool whose MachineConfigs do not ask for that';
const BY_HAND =
  'Add the arguments to the boot loader by hand and reboot: what the running kernel has is accepted';

/** What the machine boots with anyway need not be set. */
function unsettableArguments(to: NodeConfig, machine: MachineOs): readonly string[] {
  const { kernelArgumentsProblem: why } = machine;
  const missing = missingKernelArguments(to.kernelArguments, machine.kernelArguments);
  if (missing.length === 0 || why === undefined) return [];
  return [`kernel arguments [${missing.join(' ')}] (${why})`];
}

/** An image of image mode includes its kernel and its extensions. */
function packageDemands({ kernelType, extensions, layeredImage }: NodeConfig): readonly string[] {
  if (layeredImage !== undefined) return [];
  return [
    ...(kernelType === DEFAULT_KERNEL ? [] : [`kernel type ${kernelType}`]),
    ...(extensions.length === 0 ? [] : [`extensions [${extensions.join(' ')}]`]),
  ];
}

function demand(what: string, { name }: NodeConfig, demands: readonly string[]): string | undefined {
  return demands.length === 0 ? undefined : `${what}: ${name} asks for ${demands.join(', ')}`;
}

type Release = { readonly id: string; readonly variant: string; readonly isCoreOs: boolean };

/**
 * Why an image must not be booted; undefined where it may. What runs on nodes expects CoreOS: other systems lack the tools, and
 * upstream's daemon would not update such a node again. An unknown release is not refused.
 */
export function refusedImage(
  image: string,
  booted: Release,
  staged: Release | undefined,
): string | undefined {
  if (staged === undefined || staged.isCoreOs || !booted.isCoreOs) return undefined;
  const found = `its os-release has ID=${quoted(staged.id)} and VARIANT_ID=${quoted(staged.variant)}`;
  return `refusing OS image ${image}: ${found}, and a node that runs CoreOS is only updated to CoreOS (VARIANT_ID="coreos")`;
}
