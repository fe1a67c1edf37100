/**
 * MachineConfiguration `cluster`: writes the node disruption policies in force to its status, which are the defaults merged
 * with those of its spec. Daemons read the status.
 */

import { type MachineConfiguration, machineConfiguration as machineConfigurationKind } from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import { type Cache, done, type Next } from '../kubernetes/client/index.ts';
import { apiVersionOf } from '../kubernetes/meta/index.ts';
import { mergePolicies } from '../node/plan/index.ts';
import type { Context } from './context.ts';
import { createIfAbsent } from './create-if-absent.ts';

const MACHINE_CONFIGURATION_NAME = 'cluster';

/** Created where it is missing; from then on its spec belongs to users. */
export async function ensureMachineConfiguration(
  { kube }: Pick<Context, 'kube'>,
  configurations: Cache<MachineConfiguration>,
): Promise<Next> {
  const name = MACHINE_CONFIGURATION_NAME;
  const existing = configurations.get({ name });
  if (existing === undefined) {
    const created: MachineConfiguration = {
      apiVersion: apiVersionOf(machineConfigurationKind),
      kind: machineConfigurationKind.kind,
      metadata: { name },
      spec: { managementState: 'Managed' },
    };
    await createIfAbsent(() => kube.create(machineConfigurationKind, created));
    return done;
  }
  const { uid, generation = 0 } = existing.metadata;
  const clusterPolicies = mergePolicies(existing.spec.nodeDisruptionPolicy);
  // Other fields of the status belong to other writers.
  const status = { observedGeneration: generation, nodeDisruptionPolicyStatus: { clusterPolicies } };
  const isCurrent =
    existing.status?.observedGeneration === generation &&
    jsonEqual(existing.status?.nodeDisruptionPolicyStatus, status.nodeDisruptionPolicyStatus);
  if (isCurrent) return done;
  // Lists are replaced as a whole. If the spec has changed meanwhile, the next reconcile writes the status again.
  const patch = { type: 'merge', body: { metadata: { uid }, status } } as const;
  await kube.patch(machineConfigurationKind, { name }, patch, { subresource: 'status' });
  return done;
}
