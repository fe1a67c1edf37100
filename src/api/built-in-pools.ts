/**
 * The pools that every cluster has.
 */

import { apiVersionOf } from '../kubernetes/meta/index.ts';
import { labels, nodeRoleLabel, poolLabel } from './annotations.ts';
import { type MachineConfigPool, machineConfigPool } from './machine-config-pool.ts';

/** A pool as it is shipped: it takes the MachineConfigs and the nodes of its role. */
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
