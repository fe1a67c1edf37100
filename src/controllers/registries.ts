/**
 * Registries: from where nodes may pull images. Mirror sets, the Image `cluster` and signature policies become one
 * MachineConfig for each built-in pool; custom pools have it through that of the workers.
 *
 *     ITMS, IDMS, ICSP, Image, (Cluster)ImagePolicies ──> readRegistries() ──> MachineConfig 99-<pool>-generated-registries
 *                                                                     └──> events on what is wrong, conditions of policies
 *
 * Nothing waits here: what is applied within a few seconds is gathered by the render controller. What is wrong with one
 * object stops no other, and costs nodes nothing that they have.
 */
import {
  annotations,
  type ControllerConfig,
  clusterImagePolicy as clusterImagePolicyKind,
  controllerConfig as controllerConfigKind,
  imageContentSourcePolicy as imageContentSourcePolicyKind,
  imageDigestMirrorSet as imageDigestMirrorSetKind,
  image as imageKind,
  imagePolicy as imagePolicyKind,
  imageTagMirrorSet as imageTagMirrorSetKind,
  labels,
  type MachineConfig,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
} from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import { encodeIgnition } from '../config/ignition/index.ts';
import {
  type BaseFiles,
  isRegistriesConfigName,
  type Registries,
  readBaseFiles,
  readRegistries,
  registriesConfig,
  registriesConfigName,
} from '../config/registries/index.ts';
import {
  type AnyObject,
  after,
  type Cache,
  type Controller,
  done,
  type Next,
} from '../kubernetes/client/index.ts';
import { apiVersionOf } from '../kubernetes/meta/index.ts';
import type { Context } from './context.ts';
import { CONTROLLER_CONFIG_NAME } from './controller-config-status.ts';
import { isMeddledWith, writeGenerated } from './generated-config.ts';
import { RegistryComplaints, writeConditions } from './registry-findings.ts';
import type { RoleBase } from './role-base.ts';

/** All is computed together: there is one thing to do. */
const KEY = 'registries';
const FIELD_MANAGER = 'machine-config-controller-registries';
const CLUSTER = 'cluster';
/** What is wrong is said again before events are forgotten. */
const LOOK_AGAIN_MS = 30 * 60_000;

export function createRegistriesController(context: Context, baseOf: RoleBase): Controller {
  const seen = cachesOf(context);
  const { pools, machineConfigs, controllerConfigs, ...wishes } = seen;
  const complaints = new RegistryComplaints(context);
  return {
    name: 'registries',
    workers: 1,
    caches: Object.values(seen),
    watch(enqueue) {
      for (const cache of Object.values<Cache<AnyObject>>(wishes)) cache.onChange(() => enqueue(KEY));
      pools.onChange(({ before, after: now }) => {
        if (!jsonEqual(before?.metadata.labels, now?.metadata.labels)) enqueue(KEY);
      });
      controllerConfigs.onChange(({ before, after: now }) => {
        if (!jsonEqual(before?.spec, now?.spec)) enqueue(KEY);
      });
      machineConfigs.onChange(({ before, after: now }) => {
        const { name = '' } = (now ?? before)?.metadata ?? {};
        if (isRegistriesConfigName(name) && isMeddledWith(before, now)) enqueue(KEY);
      });
      enqueue(KEY);
    },
    async reconcile(): Promise<Next> {
      const controllerConfig = controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME });
      if (controllerConfig === undefined) return done;
      const registries = observe(seen, controllerConfig);
      const { findings } = registries;
      // Before anything is written: what is wrong is also said where the server takes nothing.
      complaints.tell(findings);
      for (const pool of pools.all()) {
        const base = isBuiltIn(pool) ? baseOf(controllerConfig, pool.metadata.name) : undefined;
        // Without a base there is nothing to lay it over; of that the ControllerConfig tells.
        if (base === undefined) continue;
        await writeConfig(context, seen, { pool, registries, base: readBaseFiles(base) });
      }
      await writeConditions(context, findings, seen);
      return findings.length === 0 ? done : after(LOOK_AGAIN_MS, 'to say again what is wrong');
    },
  };
}

type Seen = ReturnType<typeof cachesOf>;

function cachesOf({ caches }: Context) {
  return {
    pools: caches.of(machineConfigPoolKind),
    machineConfigs: caches.of(machineConfigKind),
    controllerConfigs: caches.of(controllerConfigKind),
    images: caches.of(imageKind, { fieldSelector: `metadata.name=${CLUSTER}` }),
    digestMirrorSets: caches.of(imageDigestMirrorSetKind),
    tagMirrorSets: caches.of(imageTagMirrorSetKind),
    contentSourcePolicies: caches.of(imageContentSourcePolicyKind),
    clusterImagePolicies: caches.of(clusterImagePolicyKind),
    imagePolicies: caches.of(imagePolicyKind),
  };
}

function observe(seen: Seen, { spec }: ControllerConfig): Registries {
  const image = seen.images.get({ name: CLUSTER });
  const payload = spec.releaseImage;
  return readRegistries({
    digestMirrorSets: [...seen.digestMirrorSets.all()],
    tagMirrorSets: [...seen.tagMirrorSets.all()],
    contentSourcePolicies: [...seen.contentSourcePolicies.all()],
    clusterImagePolicies: [...seen.clusterImagePolicies.all()],
    imagePolicies: [...seen.imagePolicies.all()],
    ...(image === undefined ? {} : { image }),
    ...(payload === '' ? {} : { payload }),
  });
}

function isBuiltIn({ metadata }: MachineConfigPool): boolean {
  return metadata.labels?.[labels.mcoBuiltIn] === '';
}

type Target = {
  readonly pool: MachineConfigPool;
  readonly registries: Registries;
  readonly base: BaseFiles;
};

async function writeConfig(
  { kube, env, release }: Context,
  { machineConfigs }: Seen,
  { pool, registries, base }: Target,
): Promise<void> {
  const role = pool.metadata.name;
  const name = registriesConfigName(role);
  const existing = machineConfigs.get({ name });
  const config = registriesConfig(registries, { base, last: existing });
  const wanted: MachineConfig = {
    apiVersion: apiVersionOf(machineConfigKind),
    kind: machineConfigKind.kind,
    metadata: {
      name,
      labels: { [labels.role]: role },
      annotations: { [annotations.generatedByControllerVersion]: release.controllerVersion },
    },
    spec: { config: encodeIgnition(config) },
  };
  const isWritten = await writeGenerated(kube, wanted, { existing, fieldManager: FIELD_MANAGER });
  if (isWritten) env.log.info('registries of a pool were written', { pool: role, config: name });
}
