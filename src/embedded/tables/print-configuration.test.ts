import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import {
  configMapPrinter,
  leasePrinter,
  namespacePrinter,
  secretPrinter,
  serviceAccountPrinter,
} from './print-configuration.ts';
import { defaultPrinter } from './print-default.ts';
import {
  validatingAdmissionPolicyBindingPrinter,
  validatingAdmissionPolicyPrinter,
} from './print-policies.ts';
import { clusterRoleBindingPrinter, roleBindingPrinter } from './print-rbac.ts';
import type { Printer } from './printer.ts';

const policySpec = { validations: [{ expression: 'true' }, { expression: 'true' }] };
const subjects = [
  { kind: 'User', name: 'u' },
  { kind: 'User', name: 'v' },
  { kind: 'Group', name: 'g' },
  { kind: 'ServiceAccount', name: 's', namespace: 'n' },
];
const selector = {
  matchLabels: { b: 'x', a: 'y' },
  matchExpressions: [
    { key: 'k', operator: 'In', values: ['b', 'a'] },
    { key: 'l', operator: 'Exists' },
  ],
};

// Recorded from kube-apiserver 1.33, without name and age.
const cases: readonly [string, Printer, JsonObject, readonly Json[]][] = [
  ['a namespace', namespacePrinter, { status: { phase: 'Active' } }, ['Active']],
  ['a ConfigMap', configMapPrinter, { data: { a: '' }, binaryData: { b: 'eA==' } }, [2]],
  ['an empty ConfigMap', configMapPrinter, {}, [0]],
  ['a Secret', secretPrinter, { type: 'Opaque', data: { a: '', b: '' } }, ['Opaque', 2]],
  ['a ServiceAccount', serviceAccountPrinter, { secrets: [{ name: 'a' }] }, [1]],
  ['a Lease', leasePrinter, { spec: { holderIdentity: 'me' } }, ['me']],
  ['a Lease without a holder', leasePrinter, {}, ['']],
  ['an admission policy', validatingAdmissionPolicyPrinter, { spec: policySpec }, [2, '<unset>']],
  [
    'an admission policy with parameters',
    validatingAdmissionPolicyPrinter,
    { spec: { ...policySpec, paramKind: { apiVersion: 'rules.example.com/v1', kind: 'Rule' } } },
    [2, 'rules.example.com/v1/Rule'],
  ],
  [
    'a policy binding',
    validatingAdmissionPolicyBindingPrinter,
    { spec: { policyName: 'p' } },
    ['p', '<unset>'],
  ],
  [
    'a policy binding with parameters',
    validatingAdmissionPolicyBindingPrinter,
    { spec: { policyName: 'p', paramRef: { name: 'x', namespace: 'y' } } },
    ['p', 'y/x'],
  ],
  [
    'a policy binding with parameters of any namespace',
    validatingAdmissionPolicyBindingPrinter,
    { spec: { policyName: 'p', paramRef: { name: 'x' } } },
    ['p', '*/x'],
  ],
  [
    'a policy binding with a parameter selector',
    validatingAdmissionPolicyBindingPrinter,
    { spec: { policyName: 'p', paramRef: { selector } } },
    [
      'p',
      '&LabelSelector{MatchLabels:map[string]string{a: y,b: x,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[b a],},LabelSelectorRequirement{Key:l,Operator:Exists,Values:[],},},}',
    ],
  ],
];

describe('the row of', () => {
  it.each(cases)('%s', (_, printer, object, cells) => {
    expect(printer.row({ ...object, metadata: { name: 'a' } }, 0).cells).toEqual([
      'a',
      ...cells,
      '<unknown>',
    ]);
  });

  it.each([
    ['a RoleBinding', roleBindingPrinter],
    ['a ClusterRoleBinding', clusterRoleBindingPrinter],
  ])('%s', (_, printer) => {
    const object = { metadata: { name: 'a' }, roleRef: { kind: 'Role', name: 'r' }, subjects };
    expect(printer.row(object, 0).cells).toEqual(['a', 'Role/r', '<unknown>', 'u, v', 'g', 'n/s']);
  });

  it('a kind without a printer', () => {
    const creationTimestamp = '2026-01-01T00:00:00Z';
    expect(defaultPrinter.row({ metadata: { name: 'a', creationTimestamp } }, 0).cells).toEqual([
      'a',
      creationTimestamp,
    ]);
    expect(defaultPrinter.row({}, 0).cells).toEqual(['', '0001-01-01T00:00:00Z']);
  });
});
