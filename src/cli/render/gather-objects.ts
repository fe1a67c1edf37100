/**
 * The objects of an input by purpose, with the base configs and built-in pools if requested, and with the MachineConfigs that
 * are generated from settings and mirror sets.
 */
import {
  builtInPool,
  type ContainerRuntimeConfig,
  type ControllerConfig,
  type Image,
  type KubeletConfig,
  type MachineConfig,
  type MachineConfigPool,
  type MachineConfiguration,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  OS_IMAGE_CONFIG_MAP,
  type OSImageStream,
} from '../../api/index.ts';
import type { Problem } from '../../base/errors.ts';
import { compareBytes } from '../../base/json.ts';
import { type GenerationRefusal, generateSources, generationOf } from '../../config/generate/index.ts';
import {
  baseConfigs,
  isRendered,
  type SettingsObjects,
  type TemplateTree,
} from '../../config/render/index.ts';
import type { Finding } from './finding.ts';
import { findingIn, type Manifest } from './manifests.ts';

export type GatheredObjects = {
  /** The valid ones of the input and the base configs. */
  readonly machineConfigs: readonly MachineConfig[];
  /** The valid ones of the input and the built-in ones, in order of their names. */
  readonly pools: readonly MachineConfigPool[];
  readonly settings: SettingsObjects;
  /** The manifest of an object; undefined for added ones. */
  readonly manifestOf: (kind: 'MachineConfig' | 'MachineConfigPool', name: string) => Manifest | undefined;
  readonly problems: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly notes: readonly string[];
};

/** The templates of the base configs, the version that generates, and whether base configs and built-in pools are added. */
export type BaseSource = {
  readonly templates: TemplateTree;
  readonly version: string;
  readonly withBase: boolean;
};

export function gatherObjects(
  manifests: readonly Manifest[],
  { templates, version, withBase }: BaseSource,
): GatheredObjects {
  const byKey = new Map(manifests.map((manifest) => [`${manifest.kind}/${manifest.name}`, manifest]));
  // Valid manifests have been validated against the schema of their kind.
  const all = <T>(kind: string) =>
    manifests.filter((one) => one.kind === kind && one.isValid).map(({ object }) => object as unknown as T);
  const one = <T>(kind: string, name: string) => {
    const manifest = byKey.get(`${kind}/${name}`);
    return manifest?.isValid ? (manifest.object as unknown as T) : undefined;
  };

  const controllerConfig = one<ControllerConfig>('ControllerConfig', 'machine-config-controller');
  const added = withBase ? addBase({ templates, version, withBase }, controllerConfig, byKey) : NOTHING_ADDED;
  const pools = [...all<MachineConfigPool>(machineConfigPoolKind.kind), ...added.pools].toSorted((a, b) =>
    compareBytes(a.metadata.name, b.metadata.name),
  );
  const osImageConfigMap = one<{ readonly data?: { readonly [key: string]: string } }>(
    'ConfigMap',
    OS_IMAGE_CONFIG_MAP,
  );
  const osImageStream = one<OSImageStream>('OSImageStream', 'cluster');
  const machineConfiguration = one<MachineConfiguration>('MachineConfiguration', 'cluster');
  const declared = [...all<MachineConfig>(machineConfigKind.kind), ...added.machineConfigs];
  const generated = generateFrom({ all, one, byKey }, declared, {
    pools,
    ...generationOf(declared, { controllerConfig, templates, version }),
  });
  return {
    machineConfigs: generated.machineConfigs,
    pools,
    settings: {
      pools,
      ...(controllerConfig !== undefined && { controllerConfig }),
      ...(osImageConfigMap !== undefined && { osImageConfigMap }),
      ...(osImageStream !== undefined && { osImageStream }),
      ...(machineConfiguration !== undefined && { machineConfiguration }),
    },
    manifestOf: (kind, name) => byKey.get(`${kind}/${name}`),
    problems: [...added.problems, ...generated.problems],
    warnings: [...added.warnings, ...generated.warnings],
    notes: added.notes,
  };
}

type Lookups = {
  readonly all: <T>(kind: string) => readonly T[];
  readonly one: <T>(kind: string, name: string) => T | undefined;
  readonly byKey: ReadonlyMap<string, Manifest>;
};

type Generating = Pick<
  Parameters<typeof generateSources>[0],
  'pools' | 'base' | 'baseOf' | 'controllerVersion'
>;

/** The declared MachineConfigs, and those that follow from settings, mirror sets and image policies. */
function generateFrom(
  { all, one, byKey }: Lookups,
  declared: readonly MachineConfig[],
  generating: Generating,
): Pick<GatheredObjects, 'machineConfigs' | 'problems' | 'warnings'> {
  const image = one<Image>('Image', 'cluster');
  const { machineConfigs, refusals, warnings } = generateSources({
    ...generating,
    machineConfigs: declared,
    kubeletConfigs: all<KubeletConfig>('KubeletConfig'),
    containerRuntimeConfigs: all<ContainerRuntimeConfig>('ContainerRuntimeConfig'),
    registries: {
      digestMirrorSets: all('ImageDigestMirrorSet'),
      tagMirrorSets: all('ImageTagMirrorSet'),
      contentSourcePolicies: all('ImageContentSourcePolicy'),
      clusterImagePolicies: all('ClusterImagePolicy'),
      imagePolicies: all('ImagePolicy'),
      ...(image === undefined ? {} : { image }),
    },
    // What runs on nodes is not in manifests.
    hasContainerd: () => false,
  });
  const about = ({ kind, name, message }: GenerationRefusal): Finding => {
    const problem = { path: '', message: message.replace(/^Error: /, '') };
    const manifest = byKey.get(`${kind}/${name}`);
    return manifest === undefined ? { subject: `${kind}/${name}`, ...problem } : findingIn(manifest, problem);
  };
  const problems = refusals.filter(({ selectsNoPool }) => selectsNoPool !== true).map(about);
  const isRefused = ({ subject, message }: Finding) =>
    problems.some((problem) => problem.subject === subject && problem.message === message);
  const unselected = refusals.filter(({ selectsNoPool }) => selectsNoPool === true);
  return {
    machineConfigs: [...machineConfigs, ...declared.filter(({ metadata }) => isRendered(metadata))],
    problems,
    warnings: [...unselected, ...warnings].map(about).filter((one) => !isRefused(one)),
  };
}

type Added = Pick<GatheredObjects, 'machineConfigs' | 'pools' | 'problems' | 'warnings' | 'notes'>;

const NOTHING_ADDED: Added = { machineConfigs: [], pools: [], problems: [], warnings: [], notes: [] };

/** Objects of the input override added ones of the same name. */
function addBase(
  { templates, version }: BaseSource,
  controllerConfig: ControllerConfig | undefined,
  given: ReadonlyMap<string, Manifest>,
): Added {
  const hasArbiter = controllerConfig?.spec.infra?.status?.controlPlaneTopology === 'HighlyAvailableArbiter';
  const roles = ['master', ...(hasArbiter ? (['arbiter'] as const) : []), 'worker'] as const;
  const pools = roles.filter((role) => !given.has(`MachineConfigPool/${role}`)).map(builtInPool);
  const outcome = baseConfigs(templates, {
    roles,
    controllerVersion: version,
    ...(controllerConfig !== undefined && { controllerConfig: controllerConfig.spec }),
  });
  const settings = given.get('ControllerConfig/machine-config-controller');
  const findings = (problems: readonly Problem[]) =>
    problems.map((problem): Finding => {
      const path = problem.path.replace(/^controllerConfig\b/, 'spec');
      if (settings !== undefined && path !== problem.path) return findingIn(settings, { ...problem, path });
      return { subject: 'base configs', path: problem.path, message: problem.message };
    });
  if (outcome.kind === 'invalid') return { ...NOTHING_ADDED, pools, problems: findings(outcome.problems) };
  const isGiven = ({ metadata }: MachineConfig) => given.has(`MachineConfig/${metadata.name}`);
  const replaced = outcome.value.filter(isGiven).map(({ metadata }) => metadata.name);
  return {
    pools,
    machineConfigs: outcome.value.filter((machineConfig) => !isGiven(machineConfig)),
    problems: [],
    warnings: findings(outcome.warnings),
    notes: replaced.length === 0 ? [] : [`base configs replaced by the input: ${replaced.join(', ')}`],
  };
}
