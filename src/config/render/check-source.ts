/**
 * Validates one MachineConfig before it is merged.
 *
 * All problems are reported at once: violations of the schema and invalid content. A cluster has validated the schema
 * already; a folder of files has not.
 */
import {
  annotations,
  type MachineConfig,
  machineConfig as machineConfigKind,
  unknownSkippedChecks,
} from '../../api/index.ts';
import type { Problem } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { valueAt } from '../../base/json-fields.ts';
import {
  type ContentCheck,
  checkContent,
  givenPath,
  packingWarnings,
  type SourceProblem,
  sourceOf,
} from '../content/index.ts';
import { emptyConfig, type IgnitionConfig, resourcesOf, wrongHash } from '../ignition/index.ts';
import { validatedObject } from './validate-object.ts';

/** A valid MachineConfig with its Ignition config translated to the version that we merge. */
export type CheckedSource = { readonly machineConfig: MachineConfig; readonly config?: IgnitionConfig };

export type SourceCheck = ContentCheck & {
  /** The object as the API server would store it. Absent when it violates its schema. */
  readonly machineConfig?: MachineConfig;
  /** Violations of the schema. */
  readonly kindProblems: readonly SourceProblem[];
};

const checks = new WeakMap<object, SourceCheck>();

/**
 * Objects from the API are immutable, so each is checked once, however many pools it belongs to and however often
 * these are rendered.
 */
export function checkSource(source: unknown): SourceCheck {
  const known = isObject(source) ? checks.get(source) : undefined;
  if (known !== undefined) return known;
  const check = look(source);
  if (isObject(source)) checks.set(source, check);
  return check;
}

function look(source: unknown): SourceCheck {
  const object = validatedObject<MachineConfig>(machineConfigKind, source);
  const content = checkContent(source);
  const { config } = content;
  const from = sourceOf(source);
  const inSource = (problem: SourceProblem): SourceProblem => {
    const path = givenPath(valueAt(source, 'spec', 'config'), config ?? emptyConfig, problem.path);
    return from({ ...problem, path: `spec.config.${path}` });
  };
  // The contents of a config that is refused may be too large to be unpacked.
  const unpackable = content.contentProblems.length === 0 ? config : undefined;
  return {
    ...content,
    ...(object.kind === 'ok' && { machineConfig: object.value }),
    kindProblems: object.kind === 'ok' ? [] : object.problems.map(from),
    contentProblems: [
      ...content.contentProblems,
      ...(config === undefined ? [] : hashProblems(config).map(inSource)),
    ],
    warnings: [
      ...(object.kind === 'ok' ? objectWarnings(object.value).map(from) : []),
      ...content.warnings,
      ...(config === undefined ? [] : accountWarnings(config).map(inSource)),
      ...(unpackable === undefined ? [] : packingWarnings(unpackable).map(inSource)),
    ],
  };
}

/** A node would write the contents all the same; a new one would refuse to boot with them. */
function hashProblems(config: IgnitionConfig): readonly SourceProblem[] {
  return resourcesOf(config).flatMap(({ path, name, resource }) => {
    const calculated = wrongHash(resource);
    if (calculated === undefined) return [];
    const text = `hash verification failed for ${name}: verification.hash is not the hash of the contents`;
    // Conditions and events are public, and a hash may give short contents away.
    return [{ path: `${path}.verification.hash`, message: `${text}, which is ${calculated}`, text }];
  });
}

/** Other programs change them too: packages add accounts, users change passwords. */
const ACCOUNT_FILES: ReadonlySet<string> = new Set([
  '/etc/passwd',
  '/etc/shadow',
  '/etc/group',
  '/etc/gshadow',
]);

function accountWarnings({ storage }: IgnitionConfig): readonly Problem[] {
  return (storage?.files ?? []).flatMap(({ path }, index) => {
    if (!ACCOUNT_FILES.has(path)) return [];
    const message = `${path} replaces all accounts of the OS on every node, and any change of an account on a node is then reported as drift; use passwd.users for keys and passwords`;
    return [{ path: `storage.files[${index}].path`, message }];
  });
}

/** Generated MachineConfigs cannot set the OS image; the others belong to users. */
export function isGenerated({ metadata }: MachineConfig): boolean {
  return (metadata.annotations?.[annotations.generatedByControllerVersion] ?? '') !== '';
}

function objectWarnings(machineConfig: MachineConfig): readonly Problem[] {
  const skipped = machineConfig.metadata.annotations?.[annotations.skipPreflight];
  const unknown = unknownSkippedChecks(skipped).map((message) => ({ path: 'metadata.annotations', message }));
  return [...imageWarnings(machineConfig), ...unknown];
}

function imageWarnings(machineConfig: MachineConfig): readonly Problem[] {
  const image = machineConfig.spec?.osImageURL ?? '';
  if (image === '' || image.includes('sha256:') || isGenerated(machineConfig)) return [];
  const message = `OS image ${image} is not named by digest (@sha256:…): its content may change without a rollout`;
  return [{ path: 'spec.osImageURL', message }];
}

/** Checks that depend on the rendering version and the pool. */
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
