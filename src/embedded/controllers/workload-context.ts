/**
 * Dependencies of the workload controllers.
 */
import type { Env } from '../../base/env.ts';
import type { Caches, Kube } from '../../kubernetes/client/index.ts';
import type { WorkloadSettings } from './workload-settings.ts';

export type WorkloadContext = {
  readonly kube: Kube;
  readonly caches: Caches;
  readonly env: Pick<Env, 'clock' | 'log' | 'signal'>;
  readonly settings: WorkloadSettings;
};
