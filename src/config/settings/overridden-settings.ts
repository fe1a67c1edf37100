/**
 * Settings that do not reach any node because another object of the kind sets them too: whose MachineConfig comes later
 * wins. Nothing is wrong with them, and nobody would know.
 */
import type { ContainerRuntimeConfig } from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';

type Shadow = {
  /** The pool in which it is so. */
  readonly pool: string;
  /** Whose settings win. */
  readonly winner: string;
};

/** A pool has one kubelet.conf: that of the last object. */
export function overriddenKubeletConfig(shadows: readonly Shadow[]): readonly string[] {
  return shadows
    .toSorted((a, b) => compareBytes(a.pool, b.pool))
    .map(
      ({ pool, winner }) =>
        `Pool ${pool} takes its kubelet.conf from KubeletConfig ${winner}, which is the last one: KubeletConfigs are not merged with one another, so kubeletConfig and tlsSecurityProfile of this one have no effect there; put all settings of a pool into one`,
    );
}

type RuntimeShadow = Shadow & {
  readonly own: Settings;
  readonly others: Settings;
};

type Settings = ContainerRuntimeConfig['spec']['containerRuntimeConfig'];

/** Each setting by itself: those that only this object has still count. */
export function overriddenRuntimeSettings(shadows: readonly RuntimeShadow[]): readonly string[] {
  return shadows
    .toSorted((a, b) => compareBytes(a.pool, b.pool) || compareBytes(a.winner, b.winner))
    .flatMap(({ pool, winner, own, others }) => {
      const both = Object.keys(own)
        .filter((field) => Object.hasOwn(others, field))
        .sort();
      if (both.length === 0) return [];
      return [
        `Pool ${pool} takes ${both.join(', ')} from ContainerRuntimeConfig ${winner}, which comes later: what this one says of it has no effect there`,
      ];
    });
}
