/** A pool for one node, which has all configs of `worker` too: what it does waits for no other node. */

export const PLAIN_ROLE = 'node-role.kubernetes.io/plain';

export const PLAIN_POOL = {
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineConfigPool',
  metadata: { name: 'plain' },
  spec: {
    machineConfigSelector: {
      matchExpressions: [
        { key: 'machineconfiguration.openshift.io/role', operator: 'In', values: ['worker', 'plain'] },
      ],
    },
    nodeSelector: { matchLabels: { [PLAIN_ROLE]: '' } },
  },
};
