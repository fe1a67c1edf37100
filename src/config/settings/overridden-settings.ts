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

/** What to use instead. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  pidsLimit: 'podPidsLimit of a KubeletConfig',
  logSizeMax: 'containerLogMaxSize of a KubeletConfig',
  defaultRuntime: 'a RuntimeClass',
};

/** All of them are settings of CRI-O and of its storage, which containerd does not read. */
export function settingsOfCrio(settings: RuntimeSettings): readonly string[] {
  const fields = Object.keys(settings).sort();
  if (fields.length === 0) return [];
  const instead = fields.flatMap((field) =>
    ELSEWHERE[field] === undefined ? [] : [`for ${field} use ${ELSEWHERE[field]}`],
  );
  const text = `${fields.join(', ')} ${fields.length === 1 ? 'has' : 'have'} no effect on nodes of its pools that run containerd`;
  return [[text, ...instead].join('; ')];
}

type FieldOverride = Override & { readonly own: object; readonly others: object };

type RuntimeOverride = Override & { readonly own: RuntimeSettings; readonly others: RuntimeSettings };
type RuntimeSettings = ContainerRuntimeConfig['spec']['containerRuntimeConfig'];

export function overriddenRuntimeSettings(overrides: readonly RuntimeOverride[]): readonly string[] {
  return overriddenFields('ContainerRuntimeConfig', overrides);
}

/** Without base configs each object has a drop-in of its own, and the kubelet merges them. */
export function overriddenKubeletFields(overrides: readonly FieldOverride[]): readonly string[] {
  return overriddenFields('KubeletConfig', overrides);
}

/** Per field: those that only this object has are still in effect. */
function overriddenFields(kind: string, overrides: readonly FieldOverride[]): readonly string[] {
  return overrides
    .toSorted((a, b) => compareBytes(a.pool, b.pool) || compareBytes(a.winner, b.winner))
    .flatMap(({ pool, winner, own, others }) => {
      const both = Object.keys(own)
        .filter((field) => Object.hasOwn(others, field))
        .sort();
      if (both.length === 0) return [];
      return [
        `Pool ${pool} takes ${both.join(', ')} from ${kind} ${winner}, which comes later: the value of this one has no effect there`,
      ];
    });
}
