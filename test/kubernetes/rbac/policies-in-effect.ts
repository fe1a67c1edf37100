/**
 * A real server takes a second or so until it enforces new policies. It takes all at once: when the last one is in effect, so are those
 * that were created before it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { HttpClient } from '../../contract/http-client.ts';

const NAME = 'policies-in-effect.test';
const API = '/apis/admissionregistration.k8s.io/v1';
const PROBES = '/api/v1/namespaces/default/configmaps?dryRun=All';
const LIMIT_MS = 60_000;

const policy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: NAME },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: [''],
          apiVersions: ['v1'],
          operations: ['CREATE'],
          resources: ['configmaps'],
          resourceNames: [NAME],
        },
      ],
    },
    validations: [{ expression: 'false', message: NAME }],
  },
};
const binding = {
  ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicyBinding' },
  ...{ metadata: { name: NAME }, spec: { policyName: NAME, validationActions: ['Deny'] } },
};
const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: NAME } };

/** Creates a policy of its own, waits for it, and deletes it. */
export async function waitForPolicies(client: HttpClient): Promise<void> {
  const objects = [
    ['validatingadmissionpolicies', policy],
    ['validatingadmissionpolicybindings', binding],
  ] as const;
  for (const [plural, body] of objects) {
    const { status, body: text } = await client.request('POST', `${API}/${plural}`, { body });
    if (status !== 201) throw new Error(`creating ${plural} ${NAME}: ${status} ${text}`);
  }
  const end = performance.now() + LIMIT_MS;
  while ((await client.request('POST', PROBES, { body: probe })).status === 201) {
    if (performance.now() > end) throw new Error('the policies are not in effect');
    await pause(100);
  }
  for (const [plural] of objects) await client.request('DELETE', `${API}/${plural}/${NAME}`);
}
