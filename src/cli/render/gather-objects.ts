/**
 * The objects of an input by purpose, with the base configs and built-in pools if requested.
 */
import {
  builtInPool,
  type ControllerConfig,
  type MachineConfig,
  type MachineConfigPool,
  type MachineConfiguration,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  type OSImageStream,
} from '../../api/index.ts';
import type { Problem } from '../../base/errors.ts';
import { compareBytes } from '../../base/json.ts';
import { baseConfigs, type SettingsObjects, type TemplateTree } from '../../config/render/index.ts';
import type { Finding } from './finding.ts';
import { findingIn, type Manifest, OS_IMAGE_CONFIG_MAP } from './manifests.ts';

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

/** The templates of the base configs, and the version that generates them. */
export type BaseSource = { readonly templates: TemplateTree; readonly version: string };

export function gatherObjects(manifests: readonly Manifest[], base: BaseSource | undefined): GatheredObjects {
  const byKey = new Map(manifests.map((manifest) => [`${manifest.kind}/${manifest.name}`, manifest]));
  // Valid manifests have been validated against the schema of their kind.
  const all = <T>(kind: string) =>
    manifests.filter((one) => one.kind === kind && one.isValid).map(({ object }) => object as unknown as T);
  const one = <T>(kind: string, name: string) => {
    const manifest = byKey.get(`${kind}/${name}`);
    return manifest?.isValid ? (manifest.object as unknown as T) : undefined;
  };

  const controllerConfig = one<ControllerConfig>('ControllerConfig', 'machine-config-controller');
  const added = base === undefined ? NOTHING_ADDED : addBase(base, controllerConfig, byKey);
  const pools = [...all<MachineConfigPool>(machineConfigPoolKind.kind), ...added.pools].toSorted((a, b) =>
    compareBytes(a.metadata.name, b.metadata.name),
  );
  const osImageConfigMap = one<{ readonly data?: { readonly [key: string]: string } }>(
    'ConfigMap',
    OS_IMAGE_CONFIG_MAP,
  );
  const osImageStream = one<OSImageStream>('OSImageStream', 'cluster');
  const machineConfiguration = one<MachineConfiguration>('MachineConfiguration', 'cluster');
  return {
    machineConfigs: [...all<MachineConfig>(machineConfigKind.kind), ...added.machineConfigs],
    pools,
    settings: {
      pools,
      ...(controllerConfig !== undefined && { controllerConfig }),
      ...(osImageConfigMap !== undefined && { osImageConfigMap }),
      ...(osImageStream !== undefined && { osImageStream }),
      ...(machineConfiguration !== undefined && { machineConfiguration }),
    },
    manifestOf: (kind, name) => byKey.get(`${kind}/${name}`),
    problems: added.problems,
    warnings: added.warnings,
    notes: added.notes,
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
