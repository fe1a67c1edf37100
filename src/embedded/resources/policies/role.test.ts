import { describe, expect, it } from 'vitest';
import { created, updated } from '../../../../test/support/resource-writes.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import { clusterRoleStrategy, roleStrategy } from './role.ts';

const role = (rules: Json): JsonObject => ({ metadata: { name: 'a' }, rules });
const NO_VERBS = 'rules[0].verbs FieldValueRequired: Required value: verbs must contain at least one value';
const NO_GROUPS =
  'rules[0].apiGroups FieldValueRequired: Required value: resource rules must supply at least one api group';
const NO_RESOURCES =
  'rules[0].resources FieldValueRequired: Required value: resource rules must supply at least one resource';
const BOTH =
  'rules[0].nonResourceURLs FieldValueInvalid: Invalid value: []string{"/x"}: rules cannot apply to both regular resources and non-resource URLs';
const NAMESPACED =
  'rules[0].nonResourceURLs FieldValueInvalid: Invalid value: []string{"/x"}: namespaced rules cannot apply to non-resource URLs';

describe('the rules of a Role', () => {
  it.each<[JsonObject, readonly string[], readonly string[]]>([
    [{}, [NO_VERBS, NO_GROUPS, NO_RESOURCES], [NO_VERBS, NO_GROUPS, NO_RESOURCES]],
    [{ apiGroups: [''], resources: ['pods'], verbs: [] }, [NO_VERBS], [NO_VERBS]],
    [{ resources: ['pods'], verbs: ['get'] }, [NO_GROUPS], [NO_GROUPS]],
    [{ apiGroups: [''], verbs: ['get'] }, [NO_RESOURCES], [NO_RESOURCES]],
    [{ nonResourceURLs: ['/x'], verbs: ['get'] }, [NAMESPACED], []],
    [{ nonResourceURLs: ['/x'], verbs: ['get'], resourceNames: ['a'] }, [NAMESPACED, BOTH], [BOTH]],
    [{ apiGroups: ['A b'], resources: ['x/y/z'], resourceNames: ['a/b'], verbs: ['FOO'] }, [], []],
  ])('are validated: %j', (rule, ofRole, ofClusterRole) => {
    expect(created(roleStrategy, role([rule])).causes).toEqual(ofRole);
    expect(created(clusterRoleStrategy, role([rule])).causes).toEqual(ofClusterRole);
  });

  it('are null if there are none', () => {
    for (const rules of [null, []]) expect(created(roleStrategy, role(rules)).object.rules).toBeNull();
    expect(created(clusterRoleStrategy, { metadata: { name: 'a' } }).object.rules).toBeNull();
  });

  it('are validated twice on update', () => {
    const old = created(roleStrategy, role([])).object;
    expect(updated(roleStrategy, old, role([{ apiGroups: [''], resources: ['pods'] }])).causes).toEqual([
      NO_VERBS,
      NO_VERBS,
    ]);
  });
});

describe('the aggregation rule of a ClusterRole', () => {
  it.each<[JsonObject, readonly string[]]>([
    [
      {},
      [
        'aggregationRule.clusterRoleSelectors FieldValueRequired: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
      ],
    ],
    [
      { clusterRoleSelectors: [{}, { matchExpressions: [{ key: 'a', operator: 'In' }] }] },
      [
        "aggregationRule.clusterRoleSelectors[1].matchExpressions[0].values FieldValueRequired: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        'aggregationRule.clusterRoleSelectors[1] FieldValueInvalid: Invalid value: "null": invalid label selector.',
      ],
    ],
    [{ clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] }, []],
  ])('is validated: %j', (aggregationRule, causes) => {
    expect(created(clusterRoleStrategy, { metadata: { name: 'a' }, aggregationRule }).causes).toEqual(causes);
  });
});

it('a Role can be created by an update, and its name has to be a path segment only', () => {
  for (const rules of [roleStrategy, clusterRoleStrategy]) {
    expect([rules.allowsCreateOnUpdate, rules.allowsUnconditionalUpdate]).toEqual([true, true]);
    expect(rules.validateName('system:a b', false)).toEqual([]);
    expect(rules.validateName('a/b', true)).toEqual(["may not contain '/'"]);
  }
});
