/**
 * What the controllers start from, and their delays. `--speed` divides the timeouts and retries of drains, never the window in which changes
 * are collected.
 */
import { NAMESPACE } from '../api/index.ts';
import type { Base } from '../config/render/index.ts';
import type { DrainSettings } from '../rollout/index.ts';
import { DEFAULT_DRAIN_SETTINGS, dividedBy } from '../rollout/index.ts';

export type ControllerSettings = {
  /** Of the components, and of everything that they keep in the cluster. */
  readonly namespace: string;
  readonly base: Base;
  /** The pool `master` is created paused: nothing reaches the control plane until an administrator unpauses it. */
  readonly isMasterPaused: boolean;
  /** From the first change of a pool's sources to its rendering: changes within it are rendered once. */
  readonly renderWindowMs: number;
  readonly drain: DrainSettings;
  /** Where the operator looks for the DNS of the cluster: what was given wins. */
  readonly clusterDns?: { readonly address?: string; readonly domain?: string };
  /** Where the controllers approve serving certificates of kubelets: the addresses of the API server, for which no kubelet gets one. */
  readonly servingCertificates?: { readonly apiServerHosts: readonly string[] };
  /** Whether the controllers approve client certificates of kubelets that join, and their renewals. */
  readonly approvesClientCertificates: boolean;
  /** The feature gate ImageModeStatusReporting: images are in MachineConfigNodes, too. */
  readonly isImageModeReported: boolean;
};

/** Those of a cluster of ours. The components in the cluster of others choose the base `none`. */
export const DEFAULT_SETTINGS: ControllerSettings = {
  namespace: NAMESPACE,
  base: 'coreos',
  isMasterPaused: false,
  renderWindowMs: 5_000,
  drain: DEFAULT_DRAIN_SETTINGS,
  approvesClientCertificates: false,
  isImageModeReported: false,
};

export function settingsAtSpeed(speed: number): ControllerSettings {
  return { ...DEFAULT_SETTINGS, drain: dividedBy(DEFAULT_DRAIN_SETTINGS, speed) };
}
