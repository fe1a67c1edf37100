import { describe, expect, it } from 'vitest';
import { created, updated } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { clusterRoleBindingStrategy, roleBindingStrategy } from './role-binding.ts';

const GROUP = 'rbac.authorization.k8s.io';
const binding = (roleRef: JsonObject | undefined, subjects?: readonly JsonObject[]): JsonObject => ({
  metadata: { name: 'a' },
  ...(roleRef === undefined ? {} : { roleRef }),
  ...(subjects === undefined ? {} : { subjects }),
});
const anyRole = { kind: 'ClusterRole', name: 'x' };

describe('the strategies of role bindings', () => {
  it('default the API groups of subjects and roles', () => {
    const subjects = [
      { kind: 'User', name: 'u' },
      { kind: 'Group', name: 'g', apiGroup: '' },
      { kind: 'ServiceAccount', name: 's' },
    ];
    const { object, causes } = created(roleBindingStrategy, binding(anyRole, subjects));
    expect(causes).toEqual([]);
    expect(object.roleRef).toEqual({ apiGroup: GROUP, ...anyRole });
    expect(object.subjects).toEqual([
      { kind: 'User', name: 'u', apiGroup: GROUP },
      { kind: 'Group', name: 'g', apiGroup: GROUP },
      { kind: 'ServiceAccount', name: 's' },
    ]);
  });

  it.each<[JsonObject | undefined, readonly string[], readonly string[]]>([
    [
      undefined,
      [
        'roleRef.kind FieldValueNotSupported: Unsupported value: "": supported values: "Role", "ClusterRole"',
        'roleRef.name FieldValueRequired: Required value',
      ],
      [
        'roleRef.kind FieldValueNotSupported: Unsupported value: "": supported values: "ClusterRole"',
        'roleRef.name FieldValueRequired: Required value',
      ],
    ],
    [
      { kind: 'Role', name: 'x' },
      [],
      ['roleRef.kind FieldValueNotSupported: Unsupported value: "Role": supported values: "ClusterRole"'],
    ],
    [
      { ...anyRole, apiGroup: 'foo' },
      [`roleRef.apiGroup FieldValueNotSupported: Unsupported value: "foo": supported values: "${GROUP}"`],
      [`roleRef.apiGroup FieldValueNotSupported: Unsupported value: "foo": supported values: "${GROUP}"`],
    ],
    [
      { ...anyRole, name: 'a/b' },
      [`roleRef.name FieldValueInvalid: Invalid value: "a/b": may not contain '/'`],
      [`roleRef.name FieldValueInvalid: Invalid value: "a/b": may not contain '/'`],
    ],
  ])('validate the role reference %j', (roleRef, inNamespace, inCluster) => {
    expect(created(roleBindingStrategy, binding(roleRef)).causes).toEqual(inNamespace);
    expect(created(clusterRoleBindingStrategy, binding(roleRef)).causes).toEqual(inCluster);
  });

  it('validate subjects', () => {
    const subjects = [
      { kind: 'Foo', name: 'u' },
      { kind: 'User' },
      { kind: 'Group', apiGroup: 'x', name: 'a' },
      { kind: 'ServiceAccount', name: 's', apiGroup: GROUP },
    ];
    const common = [
      'subjects[0].kind FieldValueNotSupported: Unsupported value: "Foo": supported values: "ServiceAccount", "User", "Group"',
      'subjects[1].name FieldValueRequired: Required value',
      `subjects[2].apiGroup FieldValueNotSupported: Unsupported value: "x": supported values: "${GROUP}"`,
      `subjects[3].apiGroup FieldValueNotSupported: Unsupported value: "${GROUP}": supported values: ""`,
    ];
    expect(created(roleBindingStrategy, binding(anyRole, subjects)).causes).toEqual(common);
    expect(created(clusterRoleBindingStrategy, binding(anyRole, subjects)).causes).toEqual([
      ...common,
      'subjects[3].namespace FieldValueRequired: Required value',
    ]);
  });

  it('make the role reference immutable, but not the subjects', () => {
    const old = created(roleBindingStrategy, binding({ kind: 'Role', name: 'x' })).object;
    const other = binding({ kind: 'Role', name: 'other' });
    expect(updated(roleBindingStrategy, old, other).causes).toEqual([
      `roleRef FieldValueInvalid: Invalid value: rbac.RoleRef{APIGroup:"${GROUP}", Kind:"Role", Name:"other"}: cannot change roleRef`,
    ]);
    const subjects = [{ kind: 'User', name: 'u' }];
    expect(updated(roleBindingStrategy, old, binding({ kind: 'Role', name: 'x' }, subjects)).causes).toEqual(
      [],
    );
  });
});
