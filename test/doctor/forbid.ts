/** Admission policies with which the administrator of a cluster stands in the way. */
import {
  validatingAdmissionPolicy,
  validatingAdmissionPolicyBinding,
} from '../../src/kubernetes/types/index.ts';
import type { World } from '../rollout/world.ts';

export type Prohibition = {
  readonly name: string;
  readonly group: string;
  readonly resource: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  /** What holds of requests that are allowed. */
  readonly expression: string;
};

const API_VERSION = 'admissionregistration.k8s.io/v1';

/** Returns how to lift it. */
export async function forbid({ kube, env }: World, prohibition: Prohibition): Promise<() => Promise<void>> {
  const { name, group, resource, operation, expression } = prohibition;
  const metadata = { name };
  const rule = {
    ...{ apiGroups: [group], apiVersions: ['*'], resources: [resource], operations: [operation] },
  };
  await kube.create(validatingAdmissionPolicy, {
    ...{ apiVersion: API_VERSION, kind: 'ValidatingAdmissionPolicy', metadata },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression, message: 'not in this cluster' }],
    },
  });
  await kube.create(validatingAdmissionPolicyBinding, {
    ...{ apiVersion: API_VERSION, kind: 'ValidatingAdmissionPolicyBinding', metadata },
    spec: { policyName: name, validationActions: ['Deny'] },
  });
  await env.clock.advance(5_000);
  return async () => {
    await kube.delete(validatingAdmissionPolicyBinding, metadata);
    await kube.delete(validatingAdmissionPolicy, metadata);
    await env.clock.advance(5_000);
  };
}
