/**
 * Is one MachineConfig fit to be merged?
 *
 * Everything that is wrong with it is told at once: what its kind does not allow, and what stands in it. A
 * cluster has checked the former already; a folder of files has not.
 */
import { annotations, type MachineConfig, machineConfig as machineConfigKind } from '../api/index.ts';
import { joinPath, type Outcome, type Problem } from '../errors.ts';
import {
  fileContents,
  formatMode,
  type IgnitionConfig,
  MAX_PLAIN_MODE,
  parseFailureText,
  parseIgnition,
} from '../ignition/index.ts';
import { isObject, own } from '../json.ts';
import type { SourceProblem } from './rendering.ts';
import { nameOf, stored } from './stored.ts';

export const KERNEL_TYPES: ReadonlySet<string> = new Set(['', 'default', 'realtime', '64k-pages']);

/** What the OS image can be extended with. */
export const SUPPORTED_EXTENSIONS: ReadonlySet<string> = new Set([
  'two-node-ha',
  'ipsec',
  'usbguard',
  'kerberos',
  'kernel-devel',
  'sandboxed-containers',
  'sysstat',
]);

/** A MachineConfig that may be merged, with its config in the one version that we merge in. */
export type CheckedSource = { readonly machineConfig: MachineConfig; readonly config?: IgnitionConfig };

export type SourceCheck = {
  /** The object as a server would store it. Absent when it is not what its kind says. */
  readonly machineConfig?: MachineConfig;
  readonly config?: IgnitionConfig;
  /** What its kind does not allow. */
  readonly kindProblems: readonly SourceProblem[];
  /** What is wrong with what stands in it; also told when its kind is not kept. */
  readonly contentProblems: readonly SourceProblem[];
  readonly warnings: readonly SourceProblem[];
};

const checks = new WeakMap<object, SourceCheck>();

/**
 * Objects of the API do not change once they are read, so each is looked at once, however many pools it
 * belongs to and however often these are rendered.
 */
export function checkSource(source: unknown): SourceCheck {
  const known = isObject(source) ? checks.get(source) : undefined;
  if (known !== undefined) return known;
  const check = look(source);
  if (isObject(source)) checks.set(source, check);
  return check;
}

function look(source: unknown): SourceCheck {
  const object = stored<MachineConfig>(machineConfigKind, source);
  const spec = isObject(source) ? (own(source, 'spec') ?? {}) : {};
  const config = configOf(spec);
  const name = nameOf(source);
  const from = (problem: SourceProblem): SourceProblem => ({ ...problem, ...(name && { source: name }) });
  const contentProblems = [
    ...kernelTypeProblems(spec),
    ...extensionProblems(spec),
    ...configProblems(spec, config),
  ];
  return {
    ...(object.kind === 'ok' && { machineConfig: object.value }),
    ...(config?.kind === 'ok' && { config: config.value }),
    kindProblems: object.kind === 'ok' ? [] : object.problems.map(from),
    contentProblems: contentProblems.map(from),
    warnings: [
      ...(object.kind === 'ok' ? imageWarnings(object.value) : []),
      ...(config?.kind === 'ok' ? [...config.warnings, ...packingWarnings(config.value)].map(inConfig) : []),
    ].map(from),
  };
}

/** Generated MachineConfigs have no say in the OS image; the others are users'. */
export function isGenerated({ metadata }: MachineConfig): boolean {
  return (metadata.annotations?.[annotations.generatedByControllerVersion] ?? '') !== '';
}

function imageWarnings(machineConfig: MachineConfig): readonly Problem[] {
  const image = machineConfig.spec?.osImageURL ?? '';
  if (image === '' || image.includes('sha256:') || isGenerated(machineConfig)) return [];
  const message = `OS image ${image} is not named by digest (@sha256:…): its content may change without a rollout`;
  return [{ path: 'spec.osImageURL', message }];
}

/** Contents that say they are gzip and are not: the node would refuse them at first boot. */
function packingWarnings({ storage }: IgnitionConfig): readonly Problem[] {
  return (storage?.files ?? []).flatMap(({ contents }, index) => {
    if (contents?.compression !== 'gzip' || !contents.source?.startsWith('data:')) return [];
    const unpacked = fileContents(contents);
    if (unpacked.kind === 'ok') return [];
    return unpacked.problems.map(({ message }) => ({
      path: `storage.files[${index}].contents.source`,
      message,
    }));
  });
}

/** What also depends on who renders, and for whom. */
export function selectionProblems(
  { metadata }: MachineConfig,
  controllerVersion: string | undefined,
): readonly SourceProblem[] {
  const { name } = metadata;
  const problems: SourceProblem[] = [];
  if (Object.keys(metadata.labels ?? {}).length === 0) {
    const message = `cannot find label in MachineConfig ${name}`;
    problems.push({ path: 'metadata.labels', message, source: name });
  }
  const version = metadata.annotations?.[annotations.generatedByControllerVersion] ?? '';
  if (controllerVersion !== undefined && version !== '' && version !== controllerVersion) {
    const message = `ignoring MC ${name} generated by older version ${version} (my version: ${controllerVersion})`;
    problems.push({ path: 'metadata.annotations', message, source: name });
  }
  return problems;
}

function configOf(spec: object): Outcome<IgnitionConfig> | undefined {
  const config = fieldOf(spec, 'config');
  return config === undefined || config === null ? undefined : parseIgnition(config);
}

function fieldOf(spec: unknown, field: string): unknown {
  return isObject(spec) ? own(spec, field) : undefined;
}

function kernelTypeProblems(spec: object): readonly SourceProblem[] {
  const kernelType = fieldOf(spec, 'kernelType');
  // What is no text at all has been said of its kind.
  if (typeof kernelType !== 'string' || KERNEL_TYPES.has(kernelType)) return [];
  const text = `kernelType=${kernelType} is invalid`;
  return [{ path: 'spec.kernelType', message: `${text}: use default, realtime or 64k-pages`, text }];
}

function extensionProblems(spec: object): readonly SourceProblem[] {
  const extensions = fieldOf(spec, 'extensions');
  const given = Array.isArray(extensions) ? extensions.filter((one) => typeof one === 'string') : [];
  const unknown = given.filter((extension) => !SUPPORTED_EXTENSIONS.has(extension));
  if (unknown.length === 0) return [];
  const text = `invalid extensions found: [${unknown.join(' ')}]`;
  const message = `${text}: there are ${[...SUPPORTED_EXTENSIONS].sort().join(', ')}`;
  return [{ path: 'spec.extensions', message, text }];
}

function configProblems(spec: object, config: Outcome<IgnitionConfig> | undefined): readonly SourceProblem[] {
  if (config === undefined) return [];
  if (config.kind === 'invalid') {
    const text = parseFailureText(fieldOf(spec, 'config'), config.problems);
    return config.problems.map((problem) => ({ ...inConfig(problem), text }));
  }
  return (config.value.storage?.files ?? []).flatMap(({ path, mode = 0 }, index) => {
    if (mode <= MAX_PLAIN_MODE) return [];
    const text = `invalid mode ${formatMode(mode)} for ${path}, cannot exceed 0777`;
    // 644 without its zero is the number 01204: the commonest way to get here.
    const digits = String(mode);
    const message = /^[0-7]{3}$/.test(digits) ? `${text}; did you mean 0${digits}?` : text;
    return [{ ...inConfig({ path: `storage.files[${index}].mode`, message }), text }];
  });
}

function inConfig(problem: Problem): Problem {
  return { ...problem, path: joinPath('spec.config', problem.path) };
}
