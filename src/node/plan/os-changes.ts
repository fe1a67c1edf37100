/**
 * The changes of the next deployment, as operations that a host executes one by one.
 *
 * Nothing takes effect before a boot, so the undo of any of them is `drop-pending`. That is also the first operation, so that a
 * retry starts from the booted deployment.
 */
import { EMPTY_CONFIG_NAME } from '../../api/index.ts';
import { quoted } from '../../base/text/index.ts';
import { extensionChange, extensionPackages, unknownExtensions } from './extensions.ts';
import { type KernelArgumentChange, kernelArgumentChange, splitKernelArguments } from './kernel-arguments.ts';
import {
  hasKernel,
  kernelReset,
  kernelSwitch,
  kernelTypeProblem,
  type Layers,
  type PackageChange,
} from './kernel-type.ts';
import { DEFAULT_KERNEL } from './node-config.ts';
import type { MachineOs } from './os-support.ts';
import type { ConfigChange, NodeConfig } from './plan-types.ts';

/** Each is one call of `HostOs`; `log` is logged before it. */
export type OsOperation =
  /** Open until all operations have ended or failed. */
  | { readonly kind: 'open-extensions'; readonly image: string }
  | { readonly kind: 'drop-pending' }
  /** A failure is only a warning. */
  | { readonly kind: 'update-bootloader'; readonly image: string; readonly log: string }
  | { readonly kind: 'rebase'; readonly image: string }
  /** Checks what is staged: see `refusedImage`. */
  | { readonly kind: 'check-image'; readonly image: string }
  | { readonly kind: 'change-kernel-arguments'; readonly change: KernelArgumentChange; readonly log: string }
  /** Where the OS is not an image: exactly these, in addition to the machine's own. */
  | {
      readonly kind: 'set-kernel-arguments';
      readonly wanted: readonly string[];
      readonly previous: readonly string[];
      readonly log: string;
    }
  | { readonly kind: 'change-packages'; readonly change: PackageChange; readonly log: string }
  /** Checks that the staged deployment has them: see `missingFromStaged`. */
  | { readonly kind: 'check-staged'; readonly packages: readonly string[] };

type OsChanges =
  | {
      readonly kind: 'operations';
      readonly operations: readonly OsOperation[];
      /** Whether another image than the booted one is staged. */
      readonly isRebase: boolean;
      readonly log: readonly string[];
    }
  | { readonly kind: 'refused'; readonly error: string };

export type OsInput = {
  readonly from: NodeConfig;
  readonly to: NodeConfig;
  readonly change: ConfigChange;
  /** In the order of the host. */
  readonly deployments: readonly (Layers & { readonly isBooted: boolean; readonly image: string })[];
  readonly release: { readonly isImageBased: boolean; readonly isEnterpriseLinux: boolean };
  /** In the machine's notation (arm64 or aarch64, …); absent where it is unknown. */
  readonly architecture?: string;
};

export function osChanges(input: OsInput): OsChanges {
  const { from, to, change, release } = input;
  if (!release.isImageBased) {
    return setsBootArguments(change, to)
      ? bootArgumentChanges(input)
      : nothing('updating the OS on non-CoreOS nodes is not supported');
  }
  const booted = input.deployments.find(({ isBooted }) => isBooted);
  if (booted === undefined) return { kind: 'refused', error: 'no booted deployment found' };
  const packages = packageChanges(input, booted);
  if (packages.kind === 'refused') return packages;

  const isRebase = isRebased(input, booted);
  const isThere = change.osImage && to.osImage !== '' && !isRebase;
  const { reset, later } = packages;
  const mayInstall = isRebase || reset.length + later.length > 0;
  const operations: OsOperation[] = [
    ...(mayInstall && needsExtensions(from, to) ? [openExtensions(to)] : []),
    { kind: 'drop-pending' },
    ...reset,
    ...(isRebase ? rebase(to.osImage) : []),
    ...(change.kernelArguments ? [kernelArguments(from, to)] : []),
    ...later,
  ];
  const log = [...(isThere ? [`Already in desired image ${to.osImage}`] : []), ...packages.log];
  return { kind: 'operations', operations, isRebase, log };
}

/** The first log line of every attempt at another image, whatever builds it: to fetch it, and to stage it. */
export function osUpdateText(image: string): string {
  return `Updating OS to layered image ${quoted(image)}`;
}

/**
 * The image to fetch before the node is drained; undefined where the update has none, and where the same config changes how
 * images are pulled: mirrors, signatures, CAs, proxy, credentials. They take effect with its files, so it may be pulled only then.
 */
export function imageToFetch(change: ConfigChange, { osImage }: NodeConfig): string | undefined {
  return change.osImage && osImage !== '' && !changesPulls(change) ? osImage : undefined;
}

function changesPulls({ changedFiles, changedUnits }: ConfigChange): boolean {
  return (
    changedFiles.some((path) => PULL_SETTINGS.some((start) => path.startsWith(start))) ||
    changedUnits.includes('rpm-ostreed.service')
  );
}

/** Folders and files that rpm-ostree and container tools read when they pull. */
const PULL_SETTINGS = [
  '/etc/containers/',
  '/etc/docker/',
  '/etc/mco/',
  '/etc/pki/',
  '/var/lib/kubelet/config.json',
] as const;

/**
 * The reasons for an OS change, as in events and plans. Empty where there is none. Of an OS that is not an image only the kernel
 * arguments can be changed, where the machine lets us.
 */
export function osReasons(change: ConfigChange, to: NodeConfig, machine: ReasonsFor): readonly string[] {
  if (machine.isImageBased) return imageReasons(change, to);
  const isSet = machine.kernelArgumentsProblem === undefined && setsBootArguments(change, to);
  return isSet ? [CHANGING_ARGUMENTS] : [];
}

type ReasonsFor = Pick<MachineOs, 'isImageBased' | 'kernelArgumentsProblem'>;

const CHANGING_ARGUMENTS = 'Changing kernel arguments';

function imageReasons(change: ConfigChange, to: NodeConfig): readonly string[] {
  const takesPackages = to.layeredImage === undefined;
  const isNewHere = (isChanged: boolean, isWanted: boolean) =>
    takesPackages && (isChanged || (change.leavesImageMode && isWanted));
  const reasons: readonly [boolean, string][] = [
    [change.osImage && to.osImage !== '', 'Upgrading OS'],
    [isNewHere(change.extensions, to.extensions.length > 0), 'Installing extensions'],
    [isNewHere(change.kernelType, to.kernelType !== DEFAULT_KERNEL), 'Changing kernel type'],
    [change.kernelArguments, CHANGING_ARGUMENTS],
  ];
  return reasons.filter(([isSo]) => isSo).map(([, text]) => text);
}

/** The config names an image, and it is not the booted one. */
function isRebased({ to, change }: OsInput, booted: { readonly image: string }): boolean {
  return change.osImage && to.osImage !== '' && booted.image !== to.osImage;
}

function nothing(why: string): OsChanges {
  return { kind: 'operations', operations: [], isRebase: false, log: [why] };
}

/** Also where everything is written again. */
function setsBootArguments({ kernelArguments, osImage }: ConfigChange, to: NodeConfig): boolean {
  return kernelArguments || (osImage && to.kernelArguments.length > 0);
}

/** An OS of packages is updated by its package manager; only its boot loader is configured. */
function bootArgumentChanges({ from, to }: OsInput): OsChanges {
  const wanted = ownKernelArguments(to);
  const log = `Setting kernel arguments [${wanted.join(' ')}] in the configuration of the boot loader`;
  const operation: OsOperation = {
    kind: 'set-kernel-arguments',
    wanted,
    previous: ownKernelArguments(from),
    log,
  };
  return { kind: 'operations', operations: [operation], isRebase: false, log: [] };
}

/** Those that a machine whose OS is not an image gets from the config. Before its first one it has only its own. */
function ownKernelArguments({ name, kernelArguments }: NodeConfig): readonly string[] {
  return name === EMPTY_CONFIG_NAME ? [] : splitKernelArguments(kernelArguments);
}

function rebase(image: string): readonly OsOperation[] {
  return [
    { kind: 'update-bootloader', image, log: osUpdateText(image) },
    { kind: 'rebase', image },
    { kind: 'check-image', image },
  ];
}

function kernelArguments(from: NodeConfig, to: NodeConfig): OsOperation {
  const change = kernelArgumentChange(from.kernelArguments, to.kernelArguments);
  const flags = [
    ...change.remove.map((one) => `--delete-if-present=${one}`),
    ...change.append.map((one) => `--append=${one}`),
  ];
  const log = `Running rpm-ostree [${['kargs', ...flags].join(' ')}]`;
  return { kind: 'change-kernel-arguments', change, log };
}

/** Whether packages were, are or will be layered: then the host needs their repository, also for a mere rebase. */
function needsExtensions(from: NodeConfig, to: NodeConfig): boolean {
  const layers = ({ extensions, kernelType }: NodeConfig) =>
    extensions.length > 0 || kernelType !== DEFAULT_KERNEL;
  return to.extensionsImage !== '' && to.layeredImage === undefined && (layers(from) || layers(to));
}

function openExtensions({ extensionsImage }: NodeConfig): OsOperation {
  return { kind: 'open-extensions', image: extensionsImage };
}

type PackageChanges =
  | {
      readonly kind: 'changes';
      readonly reset: readonly OsOperation[];
      readonly later: readonly OsOperation[];
      readonly log: readonly string[];
    }
  | { readonly kind: 'refused'; readonly error: string };

/**
 * An image of image mode includes its kernel and its extensions. What was layered over the OS before would stay requested,
 * and be installed again once an image comes without it.
 */
function packageChanges(input: OsInput, booted: Layers & { readonly image: string }): PackageChanges {
  const { to, change, release, architecture } = input;
  const none: PackageChanges = { kind: 'changes', reset: [], later: [], log: [] };
  if (to.layeredImage !== undefined) {
    return isRebased(input, booted) ? { ...none, reset: layersToDrop(booted) } : none;
  }
  const isAnotherOs = isRebased(input, booted) || change.leavesImageMode;
  const isConcerned = isAnotherOs || change.kernelType || change.extensions;
  if (!isConcerned) return none;
  if (!release.isEnterpriseLinux) {
    const isAsked = to.extensions.length > 0 || to.kernelType !== DEFAULT_KERNEL;
    return isAsked ? { ...none, log: ['extensions and kernel types are not supported on this OS'] } : none;
  }
  const error = kernelTypeProblem(to.kernelType, architecture) ?? unknownExtensions(to.extensions);
  if (error !== undefined) return { kind: 'refused', error };
  const kernel = isAnotherOs || change.kernelType ? kernelChanges(input, booted, isAnotherOs) : none;
  const extensions = isAnotherOs || change.extensions ? extensionChanges(to, booted, isAnotherOs) : [];
  return { ...kernel, later: [...kernel.later, ...extensions] };
}

/** Packages that administrators have layered themselves stay. */
function layersToDrop(booted: Layers): readonly OsOperation[] {
  const changes = [kernelReset(booted), extensionChange([], booted.layeredPackages)];
  return changes.flatMap((change) => {
    if (change === undefined) return [];
    const names = (change.uninstall ?? []).join(' ');
    return [packagesOperation(change, `Removing packages that are part of the image: ${names}`)];
  });
}

function kernelChanges(
  { from, to }: OsInput,
  booted: Layers,
  isAnotherOs: boolean,
): Extract<PackageChanges, { kind: 'changes' }> {
  if (!isAnotherOs && hasKernel(booted, to.kernelType)) {
    return { kind: 'changes', reset: [], later: [], log: [] };
  }
  const reset = kernelReset(booted);
  const change = kernelSwitch(to.kernelType);
  const isSame = from.kernelType === to.kernelType;
  const verb = isSame ? 'Re-applying kernel type' : 'Initiating switch to kernel';
  return {
    kind: 'changes',
    reset:
      reset === undefined ? [] : [packagesOperation(reset, `Initiating switch to kernel ${DEFAULT_KERNEL}`)],
    later: change === undefined ? [] : [packagesOperation(change, `${verb} ${to.kernelType}`)],
    log: [],
  };
}

function extensionChanges(to: NodeConfig, booted: Layers, isAnotherOs: boolean): readonly OsOperation[] {
  const change = extensionChange(to.extensions, booted.layeredPackages);
  const packages = extensionPackages(to.extensions);
  const isChecked = packages.length > 0 && (change !== undefined || isAnotherOs);
  const names = [...(change?.install ?? []), ...(change?.uninstall ?? [])];
  return [
    ...(change === undefined ? [] : [packagesOperation(change, `Applying extensions : ${names.join(' ')}`)]),
    ...(isChecked ? [{ kind: 'check-staged', packages } as const] : []),
  ];
}

function packagesOperation(change: PackageChange, log: string): OsOperation {
  return { kind: 'change-packages', change, log };
}
