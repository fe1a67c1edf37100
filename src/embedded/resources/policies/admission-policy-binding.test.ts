import { describe, expect, it } from 'vitest';
import { created, updated } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { admissionPolicyBindingStrategy as strategy } from './admission-policy-binding.ts';

const binding = (spec: JsonObject = {}): JsonObject => ({
  metadata: { name: 'bb' },
  spec: { policyName: 'p', validationActions: ['Deny'], ...spec },
});

describe('the strategy of ValidatingAdmissionPolicyBindings', () => {
  it('sets defaults of matchResources', () => {
    expect(created(strategy, binding())).toMatchObject({
      causes: [],
      object: { ...binding(), metadata: { generation: 1 } },
    });
    expect(created(strategy, binding({ matchResources: {} })).object).toMatchObject({
      spec: { matchResources: { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} } },
    });
  });

  it.each<[JsonObject, readonly string[]]>([
    [
      { policyName: '', validationActions: [] },
      [
        'spec.policyName FieldValueRequired: Required value',
        'spec.validationActions FieldValueRequired: Required value: at least one validation action is required',
      ],
    ],
    [
      { validationActions: ['Deny', 'Foo', 'Deny', 'Warn'] },
      [
        'spec.validationActions[1] FieldValueNotSupported: Unsupported value: "Foo": supported values: "Audit", "Deny", "Warn"',
        'spec.validationActions[2] FieldValueDuplicate: Duplicate value: "Deny"',
        'spec.validationActions FieldValueInvalid: Invalid value: []admissionregistration.ValidationAction{"Deny", "Foo", "Deny", "Warn"}: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ],
    ],
    [
      { paramRef: {} },
      [
        'spec.paramRef FieldValueRequired: Required value: one of name or selector must be specified',
        'spec.paramRef.parameterNotFoundAction FieldValueRequired: Required value',
      ],
    ],
    [
      { paramRef: { name: 'a/b', selector: {}, parameterNotFoundAction: 'Foo' } },
      [
        `spec.paramRef.name FieldValueInvalid: Invalid value: "a/b": may not contain '/'`,
        'spec.paramRef.name FieldValueForbidden: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.selector FieldValueForbidden: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.parameterNotFoundAction FieldValueNotSupported: Unsupported value: "Foo": supported values: "Deny", "Allow"',
      ],
    ],
    [
      { matchResources: { matchPolicy: 'x' } },
      [
        'spec.matchResources.matchPolicy FieldValueNotSupported: Unsupported value: "x": supported values: "Equivalent", "Exact"',
      ],
    ],
    [{ paramRef: { selector: {}, parameterNotFoundAction: 'Allow' } }, []],
    [{ validationActions: ['Warn', 'Audit'] }, []],
  ])('validates %j', (spec, causes) => {
    expect(created(strategy, binding(spec)).causes).toEqual(causes);
  });

  it('increments the generation with the spec', () => {
    const old = created(strategy, binding()).object;
    expect(updated(strategy, old, binding()).object).toMatchObject({ metadata: { generation: 1 } });
    expect(updated(strategy, old, binding({ policyName: 'q' })).object).toMatchObject({
      metadata: { generation: 2 },
    });
    expect(strategy.allowsUnconditionalUpdate).toBe(false);
  });
});
