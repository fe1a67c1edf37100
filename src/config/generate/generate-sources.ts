/**
 * Generates the MachineConfigs that follow from the declared objects of a cluster.
 */
import {
  annotations,
  type ContainerRuntimeConfig,
  containerRuntimeConfig as containerRuntimeConfigKind,
  type KubeletConfig,
  kubeletConfig as kubeletConfigKind,
  type MachineConfig,
  type MachineConfigPool,
} from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import {
  containerdFindings,
  decideRegistriesConfig,
  type Finding,
  hasRegistriesConfig,
  type RegistryObjects,
  readBaseFiles,
  readRegistries,
  registriesConfigName,
} from '../registries/index.ts';
import { type Base, isRendered } from '../render/index.ts';
import {
  containerRuntimeSettings,
  decideSettings,
  type GeneratingObject,
  isConfigName,
  kubeletSettings,
  type SettingsDecision,
  type SettingsKind,
  suffixText,
} from '../settings/index.ts';

/** What the controllers read. */
type Declared = {
  readonly pools: readonly MachineConfigPool[];
  /** All of the cluster: generated ones, which are decided anew, and rendered ones, which are ignored. */
  readonly machineConfigs: readonly MachineConfig[];
  readonly kubeletConfigs: readonly KubeletConfig[];
  readonly containerRuntimeConfigs: readonly ContainerRuntimeConfig[];
  readonly registries: RegistryObjects;
  readonly base: Base;
  /** The base MachineConfigs of a pool; undefined where they cannot be generated. */
  readonly baseOf: (pool: string) => readonly MachineConfig[] | undefined;
  /** Whether a node of one of these pools runs containerd; of any node where none is given. */
  readonly hasContainerd: (pools?: readonly MachineConfigPool[]) => boolean;
  readonly controllerVersion: string;
};

/** An object that is not accepted: what was generated from it before stays. */
export type GenerationRefusal = {
  readonly kind: string;
  readonly name: string;
  readonly message: string;
  /** It is refused for this alone: manifests may be without the pool that it is for. */
  readonly selectsNoPool?: true;
};

/** Settings without an effect, and problems of objects about registries. */
export type GenerationWarning = GenerationRefusal & { readonly namespace?: string };

type Sources = {
  /** By name. */
  readonly machineConfigs: readonly MachineConfig[];
  readonly refusals: readonly GenerationRefusal[];
  readonly warnings: readonly GenerationWarning[];
};

export function generateSources(declared: Declared): Sources {
  const settings = [
    generateSettings(declared, kubeletSettings(declared.base), declared.kubeletConfigs),
    generateSettings(declared, containerRuntimeSettings, declared.containerRuntimeConfigs),
  ];
  const registries = generateRegistries(declared);
  const generated = [...settings, registries].flatMap(({ machineConfigs }) => machineConfigs);
  const kept = declared.machineConfigs.filter((one) => !isRendered(one.metadata) && !isGenerated(one));
  return {
    machineConfigs: [...kept, ...generated].toSorted((a, b) =>
      compareBytes(a.metadata.name, b.metadata.name),
    ),
    refusals: settings.flatMap(({ refusals }) => refusals),
    warnings: [...settings, registries].flatMap(({ warnings }) => warnings),
  };
}

const SETTINGS_KINDS: readonly string[] = [kubeletConfigKind.kind, containerRuntimeConfigKind.kind];

/** By what the controllers mark theirs with. Base configs belong to the ControllerConfig. */
export function isGenerated({ metadata }: MachineConfig): boolean {
  const isOfSettings = (metadata.ownerReferences ?? []).some(({ kind }) => SETTINGS_KINDS.includes(kind));
  return isOfSettings || isOfRegistries(metadata);
}

function isOfRegistries({ name, annotations: marks }: MachineConfig['metadata']): boolean {
  const pool = /^99-(.+)-generated-registries$/.exec(name)?.[1];
  return pool !== undefined && marks?.[annotations.generatedByControllerVersion] !== undefined;
}

function generateSettings<T extends GeneratingObject>(
  declared: Declared,
  kind: SettingsKind<T>,
  objects: readonly T[],
): Sources {
  const present = objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  // The first pass assigns the numbers that order the files of several objects; controllers record them on the objects.
  const first = present.map((object) => ({ object, decision: decide(declared, kind, object, present) }));
  const numbered = first.map(({ object, decision }) => withNumber(object, decision));
  const machineConfigs: MachineConfig[] = [];
  const refusals: GenerationRefusal[] = [];
  const warnings: GenerationWarning[] = [];
  for (const object of numbered) {
    const decision = decide(declared, kind, object, numbered);
    const subject = { kind: kind.resource.kind, name: object.metadata.name };
    warnings.push(...decision.warnings.map(({ message }) => ({ ...subject, message })));
    if (decision.kind === 'accepted') machineConfigs.push(...decision.configs);
    else {
      const { message, selectsNoPool } = decision;
      refusals.push({ ...subject, message, ...(selectsNoPool && { selectsNoPool }) });
      machineConfigs.push(...generatedBefore(declared, kind, object));
    }
  }
  return { machineConfigs, refusals, warnings };
}

function decide<T extends GeneratingObject>(
  declared: Declared,
  kind: SettingsKind<T>,
  object: T,
  all: readonly T[],
): SettingsDecision {
  return decideSettings(kind, {
    object,
    others: all.filter((one) => one !== object),
    pools: declared.pools,
    baseOf: (pool) => declared.baseOf(pool) ?? [],
    hasContainerd: declared.hasContainerd,
    controllerVersion: declared.controllerVersion,
  });
}

function withNumber<T extends GeneratingObject>(object: T, decision: SettingsDecision): T {
  if (decision.kind === 'refused') return object;
  const marks = { ...object.metadata.annotations, [annotations.mcNameSuffix]: suffixText(decision.suffix) };
  return { ...object, metadata: { ...object.metadata, annotations: marks } };
}

function generatedBefore<T extends GeneratingObject>(
  { machineConfigs }: Declared,
  { generatedKind }: SettingsKind<T>,
  { metadata }: T,
): readonly MachineConfig[] {
  return machineConfigs.filter(
    (one) =>
      isConfigName(generatedKind, one.metadata.name) &&
      (one.metadata.ownerReferences ?? []).some(({ uid }) => uid === metadata.uid),
  );
}

function generateRegistries(declared: Declared): Sources {
  const registries = readRegistries(declared.registries);
  const limits = declared.hasContainerd() ? containerdFindings(declared.registries, registries) : [];
  const machineConfigs: MachineConfig[] = [];
  for (const pool of declared.pools.filter(hasRegistriesConfig)) {
    const { name } = pool.metadata;
    const existing = declared.machineConfigs.find(
      ({ metadata }) => metadata.name === registriesConfigName(name),
    );
    const base = declared.baseOf(name);
    if (base === undefined) {
      if (existing !== undefined) machineConfigs.push(existing);
      continue;
    }
    const decision = decideRegistriesConfig(registries, {
      ...{ pool: name, base: readBaseFiles(base), existing, isOptional: declared.base === 'none' },
      controllerVersion: declared.controllerVersion,
    });
    if (decision.kind === 'config') machineConfigs.push(decision.config);
  }
  return { machineConfigs, refusals: [], warnings: [...registries.findings, ...limits].map(warningOf) };
}

function warningOf({ about, message }: Finding): GenerationWarning {
  const { kind, name, namespace } = about;
  return { kind, name, message, ...(namespace === undefined ? {} : { namespace }) };
}
