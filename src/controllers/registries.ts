/**
 * Registries: where nodes may pull images from. Mirror sets, the Image `cluster` and signature policies become one
 * MachineConfig for each built-in pool; custom pools inherit that of the worker pool.
 *
 *     ITMS, IDMS, ICSP, Image, (Cluster)ImagePolicies ──> readRegistries() ──> MachineConfig 99-<pool>-generated-registries
 *                                                                     └──> events about problems, conditions of policies
 *
 * With the base `none` there is no such MachineConfig until something is configured.
 *
 * Changes are not collected here: the render controller does that. A problem of one object affects no other, and never
 * removes settings from nodes.
 */
import {
  CONTROLLER_CONFIG_NAME,
  type ControllerConfig,
  controllerConfig as controllerConfigKind,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
} from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import {
  type BaseFiles,
  CONTAINERD,
  containerdFindings,
  containerRuntimeOf,
  decideRegistriesConfig,
  hasRegistriesConfig,
  isRegistriesConfigName,
  type Registries,
  type RegistryObjects,
  readBaseFiles,
  readRegistries,
  registriesConfigName,
} from '../config/registries/index.ts';
import type { RoleBase } from '../config/settings/index.ts';
import {
  type AnyObject,
  after,
  type Cache,
  type Controller,
  done,
  type Next,
} from '../kubernetes/client/index.ts';
import type { Context } from './context.ts';
import { hasDrifted, writeGenerated } from './generated-config.ts';
import { nodesOf } from './node-cache.ts';
import { RegistryWarnings, writeConditions } from './registry-findings.ts';
import { registryInputs } from './registry-inputs.ts';
import { WARNING_REPEAT_MS } from './warning-events.ts';

/** Everything is computed together: there is one key. */
const KEY = 'registries';
const FIELD_MANAGER = 'machine-config-controller-registries';
const CLUSTER = 'cluster';
const COMPONENT = 'machineconfigcontroller-containerruntimeconfigcontroller';

export function createRegistriesController(context: Context, baseOf: RoleBase): Controller {
  const sources = cachesOf(context);
  const { pools, machineConfigs, controllerConfigs, nodes, ...inputs } = sources;
  const warnings = new RegistryWarnings(context, COMPONENT);
  return {
    name: 'registries',
    workers: 1,
    caches: Object.values(sources),
    watch(enqueue) {
      for (const cache of Object.values<Cache<AnyObject>>(inputs)) cache.onChange(() => enqueue(KEY));
      pools.onChange(({ before, after: now }) => {
        if (!jsonEqual(before?.metadata.labels, now?.metadata.labels)) enqueue(KEY);
      });
      nodes.onChange(({ before, after: now }) => {
        if (containerRuntimeOf(before) !== containerRuntimeOf(now)) enqueue(KEY);
      });
      controllerConfigs.onChange(({ before, after: now }) => {
        if (!jsonEqual(before?.spec, now?.spec)) enqueue(KEY);
      });
      machineConfigs.onChange(({ before, after: now }) => {
        const { name = '' } = (now ?? before)?.metadata ?? {};
        if (isRegistriesConfigName(name) && hasDrifted(before, now)) enqueue(KEY);
      });
      enqueue(KEY);
    },
    async reconcile(): Promise<Next> {
      const controllerConfig = controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME });
      if (controllerConfig === undefined) return done;
      const objects = observe(sources, controllerConfig);
      const registries = readRegistries(objects);
      const { findings } = registries;
      const limits = hasContainerd(sources) ? containerdFindings(objects, registries) : [];
      // Before anything is written: problems are reported even if the writes fail.
      warnings.report([...findings, ...limits]);
      for (const pool of pools.all()) {
        const base = hasRegistriesConfig(pool) ? baseOf(controllerConfig, pool.metadata.name) : undefined;
        // Without base configs there is nothing to merge with; the ControllerConfig reports that.
        if (base === undefined) continue;
        await writeConfig(context, sources, { pool, registries, base: readBaseFiles(base) });
      }
      await writeConditions(context, findings, sources);
      return findings.length + limits.length === 0
        ? done
        : after(WARNING_REPEAT_MS, 'warnings are recorded again');
    },
  };
}

type RegistrySources = ReturnType<typeof cachesOf>;

function cachesOf({ caches }: Context) {
  const { images, digestMirrorSets, tagMirrorSets, contentSourcePolicies, ...policies } =
    registryInputs(caches);
  return {
    pools: caches.of(machineConfigPoolKind),
    machineConfigs: caches.of(machineConfigKind),
    controllerConfigs: caches.of(controllerConfigKind),
    nodes: nodesOf(caches),
    images: images.cache,
    digestMirrorSets: digestMirrorSets.cache,
    tagMirrorSets: tagMirrorSets.cache,
    contentSourcePolicies: contentSourcePolicies.cache,
    clusterImagePolicies: policies.clusterImagePolicies.cache,
    imagePolicies: policies.imagePolicies.cache,
  };
}

function hasContainerd({ nodes }: RegistrySources): boolean {
  for (const node of nodes.all()) if (containerRuntimeOf(node) === CONTAINERD) return true;
  return false;
}

function observe(sources: RegistrySources, { spec }: ControllerConfig): RegistryObjects {
  const image = sources.images.get({ name: CLUSTER });
  const payload = spec.releaseImage;
  return {
    digestMirrorSets: [...sources.digestMirrorSets.all()],
    tagMirrorSets: [...sources.tagMirrorSets.all()],
    contentSourcePolicies: [...sources.contentSourcePolicies.all()],
    clusterImagePolicies: [...sources.clusterImagePolicies.all()],
    imagePolicies: [...sources.imagePolicies.all()],
    ...(image === undefined ? {} : { image }),
    ...(payload === '' ? {} : { payload }),
  };
}

type Target = {
  readonly pool: MachineConfigPool;
  readonly registries: Registries;
  readonly base: BaseFiles;
};

async function writeConfig(
  { kube, env, release, settings }: Context,
  { machineConfigs }: RegistrySources,
  { pool, registries, base }: Target,
): Promise<void> {
  const role = pool.metadata.name;
  const name = registriesConfigName(role);
  const existing = machineConfigs.get({ name });
  const decision = decideRegistriesConfig(registries, {
    ...{ pool: role, base, existing, isOptional: settings.base === 'none' },
    controllerVersion: release.controllerVersion,
  });
  if (decision.kind === 'none') return;
  if (decision.kind === 'removed') {
    const uid = existing?.metadata.uid;
    await kube.delete(machineConfigKind, { name }, uid === undefined ? {} : { uid });
    env.log.info('registries config removed', { pool: role, config: name });
    return;
  }
  const isWritten = await writeGenerated(kube, decision.config, { existing, fieldManager: FIELD_MANAGER });
  if (isWritten) env.log.info('registries config updated', { pool: role, config: name });
}
