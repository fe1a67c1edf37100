/**
 * The built-in pools of every cluster.
 */

import { apiVersionOf } from '../kubernetes/meta/index.ts';
import { labels, nodeRoleLabel, poolLabel } from './annotations.ts';
import { type MachineConfigPool, machineConfigPool } from './machine-config-pool.ts';

/** A built-in pool: it selects the MachineConfigs and nodes of its role. */
export function builtInPool(role: 'master' | 'worker' | 'arbiter'): MachineConfigPool {
  return {
    apiVersion: apiVersionOf(machineConfigPool),
    kind: machineConfigPool.kind,
    metadata: {
      name: role,
      labels: {
        [labels.mcoBuiltIn]: '',
        ...(role !== 'worker' && { [labels.requiredForUpgrade]: '' }),
        [poolLabel(role)]: '',
      },
    },
    spec: {
      machineConfigSelector: { matchLabels: { [labels.role]: role } },
      nodeSelector: { matchLabels: { [nodeRoleLabel(role)]: '' } },
    },
  };
}
