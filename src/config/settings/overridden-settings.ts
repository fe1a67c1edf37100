/**
 * Warnings about settings without effect, because another object of the kind sets them too and its MachineConfig
 * comes later.
 */
import type { ContainerRuntimeConfig } from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';

type Override = {
  readonly pool: string;
  /** The object whose settings are in effect. */
  readonly winner: string;
};

/** A pool has one kubelet.conf: that of the last object. */
export function overriddenKubeletConfig(overrides: readonly Override[]): readonly string[] {
  return overrides
    .toSorted((a, b) => compareBytes(a.pool, b.pool))
    .map(
      ({ pool, winner }) =>
        `Pool ${pool} takes its kubelet.conf from KubeletConfig ${winner}, which is the last one: KubeletConfigs are not merged with one another, so kubeletConfig and tlsSecurityProfile of this one have no effect there; put all settings of a pool into one`,
    );
}

type RuntimeOverride = Override & {
  readonly own: Settings;
  readonly others: Settings;
};

type Settings = ContainerRuntimeConfig['spec']['containerRuntimeConfig'];

/** Per setting: settings that only this object has are still in effect. */
export function overriddenRuntimeSettings(overrides: readonly RuntimeOverride[]): readonly string[] {
  return overrides
    .toSorted((a, b) => compareBytes(a.pool, b.pool) || compareBytes(a.winner, b.winner))
    .flatMap(({ pool, winner, own, others }) => {
      const both = Object.keys(own)
        .filter((field) => Object.hasOwn(others, field))
        .sort();
      if (both.length === 0) return [];
      return [
        `Pool ${pool} takes ${both.join(', ')} from ContainerRuntimeConfig ${winner}, which comes later: the value of this one has no effect there`,
      ];
    });
}
