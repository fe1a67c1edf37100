/**
 * A rendered MachineConfig as a node reads it.
 *
 * In image mode another image replaces the config's own. During an update, copies of a MachineConfig may contain it
 * (`embedImage`); the disk has the original, with the image beside it (`extractImage`).
 */
import { annotations, EMPTY_CONFIG_NAME, type MachineConfig } from '../../api/index.ts';
import { invalid, type Outcome, ok, type Problem } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import { checkContent } from '../../config/content/index.ts';
import { emptyConfig } from '../../config/ignition/index.ts';
import type { NodeConfig } from './plan-types.ts';

/**
 * Takes any value. An empty `layeredImage` counts as none. No node can apply a config that is rejected here; an accepted one may
 * still be impossible for this node, see `reconcileError` and `osChanges`.
 */
export function readNodeConfig(value: unknown, layeredImage?: string): Outcome<NodeConfig> {
  const shape = readShape(value);
  if (shape.kind === 'invalid') return shape;
  const { config, contentProblems, warnings } = checkContent(value);
  const problems = configProblems(contentProblems);
  if (config === undefined && problems.length > 0) return invalid(problems);
  const extracted = extractImage(shape.value);
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
  return ok(nodeConfig, warnings);
}

const isText = (value: unknown) => typeof value === 'string';
const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText);

const SPEC_SHAPE: readonly (readonly [field: string, type: string, fits: (value: unknown) => boolean])[] = [
  ['osImageURL', 'string', isText],
  ['baseOSExtensionsContainerImage', 'string', isText],
  ['kernelType', 'string', isText],
  ['kernelArguments', 'array of strings', areTexts],
  ['extensions', 'array of strings', areTexts],
  ['fips', 'boolean', (value) => typeof value === 'boolean'],
];

/**
 * Checks what a node relies on. The API server has validated the object; to repeat that would take most of a daemon's memory.
 * But the disk can contain anything.
 */
function readShape(value: unknown): Outcome<MachineConfig> {
  const wrong = (path: string, type: string): Problem => ({
    path,
    message: `Invalid value: must be of type ${type}`,
  });
  if (!isObject(value)) return invalid([wrong('', 'object')]);
  const metadata = own(value, 'metadata');
  const name = isObject(metadata) ? own(metadata, 'name') : undefined;
  const marks = isObject(metadata) ? (own(metadata, 'annotations') ?? {}) : {};
  const spec = own(value, 'spec') ?? {};
  const problems: Problem[] = [];
  if (typeof name !== 'string' || name === '')
    problems.push({ path: 'metadata.name', message: 'Required value' });
  if (!isObject(marks) || !Object.values(marks).every(isText)) {
    problems.push(wrong('metadata.annotations', 'map of strings'));
  }
  if (!isObject(spec)) return invalid([...problems, wrong('spec', 'object')]);
  for (const [field, type, fits] of SPEC_SHAPE) {
    const given = own(spec, field) ?? undefined;
    if (given !== undefined && !fits(given)) problems.push(wrong(`spec.${field}`, type));
  }
  if (problems.length > 0) return invalid(problems);
  // Checked above; `null` means absent.
  const fields = Object.fromEntries(Object.entries(spec).filter(([, field]) => field !== null));
  return ok({ ...value, spec: fields } as unknown as MachineConfig);
}

/** The base kernel; so is an empty text. */
export const DEFAULT_KERNEL = 'default';

/** The config of a machine before its first one: its first update starts from here. */
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

/** A copy with the given OS image, which keeps its own in an annotation. */
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

type ExtractedImage = { readonly machineConfig: MachineConfig; readonly layeredImage?: string };

/** The reverse: the config as in the cluster, and the image that replaced its own. */
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

/** Kernel type and extensions are checked where they are changed. */
function configProblems(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(({ path }) => path.startsWith('spec.config'));
}
