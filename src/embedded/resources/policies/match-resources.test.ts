import { describe, expect, it } from 'vitest';
import { causeText } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { matchResourcesProblems, withMatchDefaults } from './match-resources.ts';

const rule = (fields: JsonObject = {}): JsonObject => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources: ['pods'],
  ...fields,
});
const causes = (match: JsonObject) => matchResourcesProblems(withMatchDefaults(match), 'm').map(causeText);
const ofRule = (fields: JsonObject) => causes({ resourceRules: [rule(fields)] });

describe('matchResources', () => {
  it('gets defaults', () => {
    const match = { resourceRules: [rule()], excludeResourceRules: [rule({ scope: 'Cluster' })] };
    expect(withMatchDefaults(match)).toEqual({
      resourceRules: [rule({ scope: '*' })],
      excludeResourceRules: [rule({ scope: 'Cluster' })],
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
    });
    expect(causes(match)).toEqual([]);
    expect(withMatchDefaults({})).not.toHaveProperty('resourceRules');
  });

  it('requires valid selectors and a known match policy', () => {
    const match = {
      matchPolicy: 'Foo',
      namespaceSelector: { matchExpressions: [{ key: 'x', operator: 'In' }] },
    };
    expect(causes(match)).toEqual([
      'm.matchPolicy FieldValueNotSupported: Unsupported value: "Foo": supported values: "Equivalent", "Exact"',
      "m.namespaceSelector.matchExpressions[0].values FieldValueRequired: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ]);
  });

  it('requires all parts of a rule', () => {
    expect(causes({ excludeResourceRules: [{}] })).toEqual(
      ['operations', 'apiGroups', 'apiVersions', 'resources'].map(
        (field) => `m.excludeResourceRules[0].${field} FieldValueRequired: Required value`,
      ),
    );
  });

  it('rejects other values beside a wildcard', () => {
    const fields = { apiGroups: ['*', 'x'], apiVersions: ['*', ''], operations: ['*', 'FOO'] };
    expect(ofRule(fields)).toEqual([
      `m.resourceRules[0].operations FieldValueInvalid: Invalid value: []admissionregistration.OperationType{"*", "FOO"}: if '*' is present, must not specify other operations`,
      'm.resourceRules[0].operations[1] FieldValueNotSupported: Unsupported value: "FOO": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      `m.resourceRules[0].apiGroups FieldValueInvalid: Invalid value: []string{"*", "x"}: if '*' is present, must not specify other API groups`,
      `m.resourceRules[0].apiVersions FieldValueInvalid: Invalid value: []string{"*", ""}: if '*' is present, must not specify other API versions`,
      'm.resourceRules[0].apiVersions[1] FieldValueRequired: Required value',
    ]);
  });

  it.each<[readonly string[], readonly string[]]>([
    [['pods', '*'], []],
    [['*', 'pods/status'], []],
    [['pods/*', '*/scale'], []],
    [
      ['*', 'pods'],
      [
        `FieldValueInvalid: Invalid value: []string{"*", "pods"}: if '*' is present, must not specify other resources without subresources`,
      ],
    ],
    [
      ['*/*', 'pods'],
      [
        `FieldValueInvalid: Invalid value: []string{"*/*", "pods"}: if '*/*' is present, must not specify other resources`,
      ],
    ],
  ])('validates the resources %j', (resources, found) => {
    expect(ofRule({ resources })).toEqual(found.map((cause) => `m.resourceRules[0].resources ${cause}`));
  });

  it('rejects duplicate subresources', () => {
    expect(ofRule({ resources: ['a/*', 'a/b', '*/x', 'c/x', ''] })).toEqual([
      `m.resourceRules[0].resources[1] FieldValueInvalid: Invalid value: "a/b": if 'a/*' is present, must not specify a/b`,
      `m.resourceRules[0].resources[3] FieldValueInvalid: Invalid value: "c/x": if '*/x' is present, must not specify c/x`,
      'm.resourceRules[0].resources[4] FieldValueRequired: Required value',
    ]);
  });

  it('requires valid and unique resource names and a known scope', () => {
    expect(ofRule({ resourceNames: ['a', 'a', 'b/c'], scope: 'Foo' })).toEqual([
      'm.resourceRules[0].resourceNames[1] FieldValueDuplicate: Duplicate value: "a"',
      `m.resourceRules[0].resourceNames[2] FieldValueInvalid: Invalid value: "b/c": may not contain '/'`,
      'm.resourceRules[0].scope FieldValueNotSupported: Unsupported value: "Foo": supported values: "*", "Cluster", "Namespaced"',
    ]);
  });
});
