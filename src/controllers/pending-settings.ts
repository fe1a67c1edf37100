/**
 * Settings for which no MachineConfig is generated yet. A pool without a configuration is rendered at once, without the
 * window in which changes are collected; if it were rendered before them, its nodes would be updated twice.
 */
import {
  containerRuntimeConfig as containerRuntimeConfigKind,
  kubeletConfig as kubeletConfigKind,
  labels,
  type MachineConfig,
  type MachineConfigPool,
} from '../api/index.ts';
import { parseTimestamp } from '../base/text/index.ts';
import { registriesConfigName } from '../config/registries/index.ts';
import { type GeneratingObject, isSynced, selectedPools } from '../config/settings/index.ts';
import type { Cache, Caches } from '../kubernetes/client/index.ts';

export type SettingsCaches = {
  readonly kubeletConfigs: Cache<GeneratingObject>;
  readonly containerRuntimeConfigs: Cache<GeneratingObject>;
};

export function settingsCaches(caches: Caches): SettingsCaches {
  return {
    kubeletConfigs: caches.of(kubeletConfigKind),
    containerRuntimeConfigs: caches.of(containerRuntimeConfigKind),
  };
}

/** Nodes do not wait longer for settings that are not processed. */
const MAX_WAIT_MS = 30_000;

type MachineConfigs = { readonly machineConfigs: Cache<MachineConfig> };

/** Whether a pool without a configuration should wait for its settings. Refused settings count as processed. */
export function waitsForSettings(
  { kubeletConfigs, containerRuntimeConfigs, machineConfigs }: SettingsCaches & MachineConfigs,
  pool: MachineConfigPool,
  nowMs: number,
): boolean {
  if ((pool.spec.configuration?.name ?? '') !== '') return false;
  const createdMs = parseTimestamp(pool.metadata.creationTimestamp);
  const isNew = createdMs !== undefined && nowMs - createdMs < MAX_WAIT_MS;
  if (!isNew) return false;
  const isBuiltIn = pool.metadata.labels?.[labels.mcoBuiltIn] === '';
  const registries = { name: registriesConfigName(pool.metadata.name) };
  if (isBuiltIn && machineConfigs.get(registries) === undefined) return true;
  return [...kubeletConfigs.all(), ...containerRuntimeConfigs.all()].some(
    (one) =>
      one.metadata.deletionTimestamp === undefined && !isSynced(one) && selectedPools(one, [pool]).length > 0,
  );
}
