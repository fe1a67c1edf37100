/**
 * A rendered MachineConfig as a node reads it.
 *
 * In image mode another image stands in for the config's own. While an update runs, copies of a MachineConfig may carry it
 * within themselves (`embedImage`); what the disk keeps is the original, with the image beside it (`extractImage`).
 */
import { annotations, type MachineConfig } from '../api/index.ts';
import { invalid, type Outcome, ok, type Problem } from '../errors.ts';
import { emptyConfig } from '../ignition/index.ts';
import { checkSource } from '../render/index.ts';
import type { NodeConfig } from './plan-types.ts';

/**
 * Takes any value. A `layeredImage` that is empty counts as none. What this refuses, no node can follow; what it lets through
 * may still be unfit for this one, see `reconcileError` and `osChanges`.
 */
export function readNodeConfig(value: unknown, layeredImage?: string): Outcome<NodeConfig> {
  const check = checkSource(value);
  const { machineConfig: stored, config } = check;
  if (stored === undefined) return invalid(check.kindProblems);
  const problems = configProblems(check.contentProblems);
  if (config === undefined && problems.length > 0) return invalid(problems);
  const extracted = extractImage(stored);
  const image = layeredImage || extracted.layeredImage;
  const { metadata, spec } = extracted.machineConfig;
  const nodeConfig: NodeConfig = {
    name: metadata.name,
    machineConfig: extracted.machineConfig,
    ignition: config ?? emptyConfig,
    osImage: image ?? spec?.osImageURL ?? '',
    ...(image !== undefined && { layeredImage: image }),
    extensionsImage: spec?.baseOSExtensionsContainerImage ?? '',
    kernelArguments: spec?.kernelArguments ?? [],
    kernelType: spec?.kernelType || DEFAULT_KERNEL,
    extensions: spec?.extensions ?? [],
    isFips: spec?.fips ?? false,
  };
  return ok(nodeConfig, check.warnings);
}

/** How a config says that it wants no particular kernel; so does an empty text. */
export const DEFAULT_KERNEL = 'default';

/** The name of the config that a machine has before it was given one. */
export const EMPTY_CONFIG_NAME = 'mco-empty-mc';

/** What a machine is before its first boot is completed: from here its first update starts. */
export function emptyNodeConfig(machine: {
  readonly osImage: string;
  readonly kernelArguments: readonly string[];
  readonly isFips: boolean;
}): NodeConfig {
  const { osImage, kernelArguments, isFips } = machine;
  return {
    name: EMPTY_CONFIG_NAME,
    machineConfig: {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfig',
      metadata: { name: EMPTY_CONFIG_NAME },
      spec: { osImageURL: osImage, kernelArguments: [...kernelArguments], fips: isFips },
    },
    ignition: emptyConfig,
    osImage,
    extensionsImage: '',
    kernelArguments,
    kernelType: DEFAULT_KERNEL,
    extensions: [],
    isFips,
  };
}

/** A copy whose OS image is the given one, and which remembers its own. */
export function embedImage(machineConfig: MachineConfig, layeredImage: string): MachineConfig {
  if (layeredImage === '') return machineConfig;
  const plain = extractImage(machineConfig).machineConfig;
  return {
    ...plain,
    metadata: {
      ...plain.metadata,
      annotations: {
        ...plain.metadata.annotations,
        [annotations.originalOSImageURL]: plain.spec?.osImageURL ?? '',
        [annotations.oclOSImageURL]: layeredImage,
      },
    },
    spec: { ...plain.spec, osImageURL: layeredImage },
  };
}

export type ExtractedImage = { readonly machineConfig: MachineConfig; readonly layeredImage?: string };

/** The reverse: the config as the cluster has it, and the image that stood in. */
export function extractImage(machineConfig: MachineConfig): ExtractedImage {
  const {
    [annotations.originalOSImageURL]: original,
    [annotations.oclOSImageURL]: layeredImage,
    ...others
  } = machineConfig.metadata.annotations ?? {};
  if (!layeredImage) return { machineConfig };
  const { annotations: _, ...metadata } = machineConfig.metadata;
  const { osImageURL: __, ...spec } = machineConfig.spec ?? {};
  return {
    machineConfig: {
      ...machineConfig,
      metadata: { ...metadata, ...(Object.keys(others).length > 0 && { annotations: others }) },
      spec: { ...spec, ...(original && { osImageURL: original }) },
    },
    layeredImage,
  };
}

/** What concerns the kernel type or the extensions is judged where they are changed. */
function configProblems(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(({ path }) => path.startsWith('spec.config'));
}
