/**
 * The result of an expression in a policy on one ConfigMap.
 */
import { admit } from '../../src/embedded/admission/index.ts';

const OBJECT = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'a',
    namespace: 's',
    uid: 'u',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { x: 'y' },
    finalizers: ['a.b/c', 'd.e/f'],
    managedFields: [],
  },
  data: { k: 'v', n: '5', bad: '(' },
};

const NAMESPACE = {
  metadata: { name: 's', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z', labels: { a: 'b' } },
  spec: { finalizers: ['kubernetes'] },
  status: { phase: 'Active' },
};

export type PolicyVariable = { readonly name: string; readonly expression: string };

/** Whether the expression is true, or its error. */
export function verdictOn(expression: string, variables: readonly PolicyVariable[]): boolean | string {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };
  const policy = {
    metadata: { name: 'p' },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      variables: [...variables],
      validations: [{ expression }],
    },
  };
  const { denial } = admit(
    {
      operation: 'CREATE',
      resource: { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' },
      subresource: '',
      namespace: 's',
      name: 'a',
      object: OBJECT,
      user: { name: 'admin', groups: ['system:masters'], extra: { 'a/b': ['c'] } },
      isDryRun: false,
      options: { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions' },
    },
    {
      policies: [policy],
      bindings: [{ metadata: { name: 'b' }, spec: { policyName: 'p', validationActions: ['Deny'] } }],
      namespaceNamed: () => NAMESPACE,
      paramsOf: () => undefined,
      authorize: () => ({ allowed: true, reason: '' }),
    },
  );
  if (denial === undefined) return true;
  const why = denial.status.details?.causes?.[0]?.message?.split(' denied request: ').slice(1).join() ?? '';
  if (why === `failed expression: ${expression}`) return false;
  return why.replace(`expression '${expression}' resulted in error: `, '');
}
