import { describe, expect, it } from 'vitest';
import { created, statusUpdated, updated } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { admissionPolicyStrategy as strategy } from './admission-policy.ts';

const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }];
const policy = (spec: JsonObject = {}): JsonObject => ({
  metadata: { name: 'pp' },
  spec: { matchConstraints: { resourceRules }, validations: [{ expression: 'true' }], ...spec },
});
const causes = (spec: JsonObject) => created(strategy, policy(spec)).causes;
const undeclared = (name: string, column = 1) =>
  `compilation failed: ERROR: <input>:1:${column}: undeclared reference to '${name}' (in container '')`;
const LABEL_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

describe('the strategy of ValidatingAdmissionPolicies', () => {
  it('sets defaults', () => {
    const { object, causes: found } = created(strategy, policy());
    expect(found).toEqual([]);
    expect(object).toMatchObject({
      metadata: { generation: 1 },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [{ scope: '*' }],
        },
      },
    });
    expect(object.status).toEqual({});
  });

  it('requires match constraints and validations', () => {
    expect(created(strategy, { metadata: { name: 'pp' } }).causes).toEqual([
      'spec.matchConstraints FieldValueRequired: Required value',
      'spec.validations FieldValueRequired: Required value: validations or auditAnnotations must contain at least one item',
      'spec.auditAnnotations FieldValueRequired: Required value: validations or auditAnnotations must contain at least one item',
    ]);
    expect(causes({ matchConstraints: {} })).toEqual([
      'spec.matchConstraints.resourceRules FieldValueRequired: Required value',
    ]);
    expect(causes({ validations: [], auditAnnotations: [{ key: 'k', valueExpression: "'x'" }] })).toEqual([]);
  });

  it.each(['', 'Foo'])('rejects the failure policy "%s"', (failurePolicy) => {
    expect(causes({ failurePolicy })).toEqual([
      `spec.failurePolicy FieldValueNotSupported: Unsupported value: "${failurePolicy}": supported values: "Fail", "Ignore"`,
    ]);
  });

  it.each<[JsonObject, readonly string[]]>([
    [{ apiVersion: 'v1', kind: 'ConfigMap' }, []],
    [{ apiVersion: 'nobody.example.com/v1', kind: 'None' }, []],
    [{}, ['apiVersion FieldValueRequired: Required value', 'kind FieldValueRequired: Required value']],
    [
      { apiVersion: 'a/b/c', kind: 'Foo_x' },
      [
        'apiVersion FieldValueInvalid: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
        `kind FieldValueInvalid: Invalid value: "Foo_x": may have mixed case, but should otherwise match: ${LABEL_1035}`,
      ],
    ],
    [
      { apiVersion: 'apps/1', kind: 'X' },
      [`apiVersion FieldValueInvalid: Invalid value: "1": ${LABEL_1035}`],
    ],
    [
      { apiVersion: '/', kind: 'X' },
      ['apiVersion FieldValueInvalid: Invalid value: "/": version must be specified'],
    ],
  ])('validates the parameter kind %j', (paramKind, found) => {
    expect(causes({ paramKind })).toEqual(found.map((cause) => `spec.paramKind.${cause}`));
  });

  it('increments the generation with the spec, and requires a resourceVersion for updates', () => {
    const old = created(strategy, policy()).object;
    expect(updated(strategy, old, policy()).object).toMatchObject({ metadata: { generation: 1 } });
    expect(updated(strategy, old, policy({ failurePolicy: 'Ignore' })).object).toMatchObject({
      metadata: { generation: 2 },
      status: {},
    });
    expect([strategy.allowsUnconditionalUpdate, strategy.allowsCreateOnUpdate]).toEqual([false, false]);
  });

  it('takes only the status through the status subresource', () => {
    const old = created(strategy, policy()).object;
    const sent = {
      ...policy({ failurePolicy: 'Ignore' }),
      metadata: { name: 'pp', labels: { c: 'd' }, finalizers: ['a.b/c'] },
      status: { observedGeneration: 1 },
    };
    const { object } = statusUpdated(strategy, old, sent);
    expect(object).toEqual({ ...old, status: { observedGeneration: 1 } });
    expect(strategy.subresources).toMatchObject({ status: { resetFields: [['spec'], ['metadata']] } });
  });

  it('requires a field reference and a message in expression warnings', () => {
    const old = created(strategy, policy()).object;
    const status = { typeChecking: { expressionWarnings: [{}] }, conditions: [{ type: 'X' }] };
    expect(statusUpdated(strategy, old, { ...policy(), status }).causes.slice(0, 3)).toEqual([
      'status.typeChecking.expressionWarnings[0].warning FieldValueRequired: Required value',
      'status.typeChecking.expressionWarnings[0].fieldRef FieldValueRequired: Required value',
      'status.conditions[0].status FieldValueNotSupported: Unsupported value: "": supported values: "False", "True", "Unknown"',
    ]);
  });
});

describe('the expressions of a policy', () => {
  const ofValidations = (...validations: JsonObject[]) => causes({ validations });

  it('must exist, compile and have the right type', () => {
    expect(
      ofValidations(
        { expression: ' ' },
        { expression: 'none' },
        { expression: '1' },
        { expression: 'object.x' },
      ),
    ).toEqual([
      'spec.validations[0].expression FieldValueRequired: Required value: expression is not specified',
      `spec.validations[1].expression FieldValueInvalid: Invalid value: "none": ${undeclared('none')}\n | none\n | ^`,
      'spec.validations[2].expression FieldValueInvalid: Invalid value: "1": must evaluate to bool but got int',
      'spec.validations[3].expression FieldValueInvalid: Invalid value: "object.x": must evaluate to bool but got dyn',
    ]);
  });

  it('have single-line messages and known reasons', () => {
    const good = { expression: 'true' };
    expect(
      ofValidations(
        { ...good, message: '  ' },
        { ...good, message: 'a\nb', reason: 'Forbidden' },
        { ...good, message: 'fine\n', reason: 'NotFound' },
        { ...good, messageExpression: '  ' },
        { ...good, messageExpression: '1' },
        { ...good, messageExpression: 'authorizer' },
      ),
    ).toEqual([
      'spec.validations[0].message FieldValueInvalid: Invalid value: "  ": message must be non-empty if specified',
      'spec.validations[1].message FieldValueInvalid: Invalid value: "a\\nb": message must not contain line breaks',
      'spec.validations[2].reason FieldValueNotSupported: Unsupported value: "NotFound": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      'spec.validations[3].messageExpression FieldValueInvalid: Invalid value: "  ": must be non-empty if specified',
      'spec.validations[4].messageExpression FieldValueInvalid: Invalid value: "1": must evaluate to string but got int',
      `spec.validations[5].messageExpression FieldValueInvalid: Invalid value: "authorizer": ${undeclared('authorizer')}\n | authorizer\n | ^`,
    ]);
  });

  it('can use variables that are named and declared before', () => {
    const variables = [
      { name: 'a', expression: '1' },
      { name: 'b', expression: 'variables.c' },
      { name: 'if', expression: 'true' },
      { name: '', expression: '' },
    ];
    expect(causes({ variables, validations: [{ expression: 'variables.a == "x"' }] })).toEqual([
      `spec.variables[1].expression FieldValueInvalid: Invalid value: "variables.c": compilation failed: ERROR: <input>:1:10: undefined field 'c'\n | variables.c\n | .........^`,
      'spec.variables[2].name FieldValueInvalid: Invalid value: "if": name is not a valid CEL identifier',
      'spec.variables[3].name FieldValueRequired: Required value: name is not specified',
      'spec.variables[3].expression FieldValueRequired: Required value: expression is not specified',
      `spec.validations[0].expression FieldValueInvalid: Invalid value: "variables.a == \\"x\\"": compilation failed: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(int, string)'\n | variables.a == "x"\n | ............^`,
    ]);
  });

  it('have unique names as match conditions', () => {
    const matchConditions = [
      { name: '', expression: '' },
      { name: 'ok', expression: '  foo' },
      { name: 'ok', expression: 'true' },
    ];
    expect(causes({ matchConditions })).toEqual([
      'spec.matchConditions[0].expression FieldValueRequired: Required value',
      'spec.matchConditions[0].name FieldValueRequired: Required value',
      `spec.matchConditions[1].expression FieldValueInvalid: Invalid value: "foo": ${undeclared('foo')}\n | foo\n | ^`,
      'spec.matchConditions[2].name FieldValueDuplicate: Duplicate value: "ok"',
    ]);
    const many = Array.from({ length: 65 }, (_, index) => ({ name: `c${index}`, expression: 'true' }));
    expect(causes({ matchConditions: many })).toEqual([
      'spec.matchConditions FieldValueTooMany: Too many: 65: must have at most 64 items',
    ]);
  });

  it('are not validated again while the match conditions are unchanged', () => {
    const kept = policy({ matchConditions: [{ name: 'ok', expression: 'foo' }] });
    expect(updated(strategy, kept, kept).causes).toEqual([]);
    expect(updated(strategy, policy(), kept).causes).toHaveLength(1);
  });

  it('have valid audit annotation keys', () => {
    const auditAnnotations = [
      { key: '', valueExpression: '' },
      { key: 'k', valueExpression: '1' },
      { key: 'k', valueExpression: 'null' },
      { key: 'm', valueExpression: 'x'.repeat(6000) },
    ];
    expect(causes({ auditAnnotations }).filter((cause) => !cause.includes('name part must consist'))).toEqual(
      [
        'spec.auditAnnotations[0].key FieldValueInvalid: Invalid value: "pp/": name part must be non-empty',
        'spec.auditAnnotations[0].valueExpression FieldValueRequired: Required value: valueExpression is not specified',
        'spec.auditAnnotations[1].valueExpression FieldValueInvalid: Invalid value: "1": must evaluate to one of [string null_type] but got int',
        'spec.auditAnnotations[2].key FieldValueDuplicate: Duplicate value: "k"',
        'spec.auditAnnotations[3].valueExpression FieldValueRequired: Required value: must not exceed 5120 bytes in length',
      ],
    );
  });
});
