/**
 * MachineConfiguration `cluster`: the node disruption policies in force, which are the defaults with those that users state
 * in its spec, in its status. Daemons obey the status.
 */

import { type MachineConfiguration, machineConfiguration as machineConfigurationKind } from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import { type Cache, done, type Next } from '../kubernetes/client/index.ts';
import { apiVersionOf } from '../kubernetes/meta/index.ts';
import { mergePolicies } from '../node/plan/index.ts';
import type { Context } from './context.ts';
import { createUnlessThere } from './create-unless-there.ts';

const MACHINE_CONFIGURATION_NAME = 'cluster';

/** Made where it is missing; its spec is the users' from then on. */
export async function keepMachineConfiguration(
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
    await createUnlessThere(() => kube.create(machineConfigurationKind, created));
    return done;
  }
  const { uid, generation = 0 } = existing.metadata;
  const clusterPolicies = mergePolicies(existing.spec.nodeDisruptionPolicy);
  // What others say of boot images in the same status is theirs.
  const status = { observedGeneration: generation, nodeDisruptionPolicyStatus: { clusterPolicies } };
  const isCurrent =
    existing.status?.observedGeneration === generation &&
    jsonEqual(existing.status?.nodeDisruptionPolicyStatus, status.nodeDisruptionPolicyStatus);
  if (isCurrent) return done;
  // Lists are replaced as a whole. It is said of the spec that was read, which may be another one by now: then it is said again.
  const patch = { type: 'merge', body: { metadata: { uid }, status } } as const;
  await kube.patch(machineConfigurationKind, { name }, patch, { subresource: 'status' });
  return done;
}
