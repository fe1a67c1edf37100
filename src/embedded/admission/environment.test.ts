/**
 * Compile errors of new policies. Every message is from kube-apiserver 1.33.13.
 */
import { describe, expect, it } from 'vitest';
import { compilePolicy } from './compile-policy.ts';
import type { Purpose } from './environment.ts';

type Spec = { readonly [field: string]: unknown };

/** What is wrong with each expression of the policy, in their order; empty for those that are right. */
function failures(spec: Spec): readonly string[] {
  // JSON is what a policy is made of; the spread only loses that knowledge.
  const { matchConditions, variables, validations, auditAnnotations } = compilePolicy({
    spec: JSON.parse(JSON.stringify(spec)),
  });
  const compiled = [
    ...matchConditions.map((one) => one.compiled),
    ...variables.map((one) => one.compiled),
    ...validations.flatMap((one) => [
      one.compiled,
      ...(one.messageCompiled === undefined ? [] : [one.messageCompiled]),
    ]),
    ...auditAnnotations.map((one) => one.compiled),
  ];
  return compiled.map((one) => (one.kind === 'failure' ? one.message : ''));
}

const specOf: { readonly [P in Purpose]: (text: string) => Spec } = {
  matchCondition: (expression) => ({ matchConditions: [{ name: 'x', expression }] }),
  variable: (expression) => ({ variables: [{ name: 'x', expression }] }),
  validation: (expression) => ({ validations: [{ expression }] }),
  message: (messageExpression) => ({ validations: [{ expression: 'true', messageExpression }] }),
  auditAnnotation: (valueExpression) => ({ auditAnnotations: [{ key: 'x', valueExpression }] }),
};

/** `^` marks the position, which is column `column` of the text. */
function error(text: string, column: number, message: string): string {
  const mark = `${'.'.repeat(column - 1)}^`;
  return `compilation failed: ERROR: <input>:1:${column}: ${message}\n | ${text}\n | ${mark}`;
}

const undeclared = (name: string) => `undeclared reference to '${name}' (in container '')`;

const RESULTS: readonly (readonly [Purpose, text: string, failure: string])[] = [
  ['validation', 'object.spec.ok', 'must evaluate to bool but got dyn'],
  ['validation', 'request', 'must evaluate to bool but got kubernetes.AdmissionRequest'],
  ['validation', 'request.kind', 'must evaluate to bool but got kubernetes.GroupVersionKind'],
  ['validation', 'authorizer', 'must evaluate to bool but got kubernetes.authorization.Authorizer'],
  [
    'validation',
    'authorizer.requestResource',
    'must evaluate to bool but got kubernetes.authorization.ResourceCheck',
  ],
  ['validation', 'null', 'must evaluate to bool but got null_type'],
  ['validation', '[1]', 'must evaluate to bool but got list(int)'],
  ['validation', "{'a': 1}", 'must evaluate to bool but got map(string, int)'],
  ['validation', 'object.?spec', 'must evaluate to bool but got optional_type(dyn)'],
  ['validation', 'type(1)', 'must evaluate to bool but got type(int)'],
  ['validation', 'duration("1s")', 'must evaluate to bool but got google.protobuf.Duration'],
  ['matchCondition', '1', 'must evaluate to bool but got int'],
  ['message', '1', 'must evaluate to string but got int'],
  ['auditAnnotation', '1', 'must evaluate to one of [string null_type] but got int'],
  ['auditAnnotation', 'object.x', 'must evaluate to one of [string null_type] but got dyn'],
  ['auditAnnotation', 'null', ''],
  ['variable', '[1]', ''],
];

const MISTAKES: readonly (readonly [Purpose, text: string, column: number, message: string])[] = [
  ['validation', 'none', 1, undeclared('none')],
  ['validation', 'request.none == 1', 8, "undefined field 'none'"],
  ['validation', 'request.object == null', 8, "undefined field 'object'"],
  ['validation', 'has(request.none)', 4, "undefined field 'none'"],
  ['validation', 'variables.x == 1', 1, undeclared('variables')],
  ['validation', 'params.x == 1', 1, undeclared('params')],
  ['validation', 'namespaceObject.metadata.uid == ""', 25, "undefined field 'uid'"],
  [
    'validation',
    'authorizer.none',
    11,
    "unexpected failed resolution of 'kubernetes.authorization.Authorizer'",
  ],
  [
    'validation',
    'authorizer.group(1).allowed()',
    17,
    "found no matching overload for 'group' applied to 'kubernetes.authorization.Authorizer.(int)'",
  ],
  ['validation', 'authorizer.requestResource.foo()', 31, undeclared('foo')],
  [
    'validation',
    'request + 1',
    9,
    "found no matching overload for '_+_' applied to '(kubernetes.AdmissionRequest, int)'",
  ],
  [
    'validation',
    'request.kind == request.resource',
    14,
    "found no matching overload for '_==_' applied to '(kubernetes.GroupVersionKind, kubernetes.GroupVersionResource)'",
  ],
  ['validation', 'request.name == 1', 14, "found no matching overload for '_==_' applied to '(string, int)'"],
  ['matchCondition', 'variables.b', 1, undeclared('variables')],
  ['message', 'authorizer.group("x")', 1, undeclared('authorizer')],
];

const FINE: readonly (readonly [Purpose, text: string])[] = [
  ['validation', 'authorizer.requestResource.check("get").allowed()'],
  ['validation', 'request.kind == request.requestKind'],
  ['validation', 'request == null'],
  ['validation', 'request.userInfo.groups.exists(g, g == "x")'],
  ['validation', 'namespaceObject.metadata.creationTimestamp.getFullYear() == 2020'],
  ['matchCondition', 'authorizer.path("/x").check("get").allowed()'],
  ['auditAnnotation', 'authorizer.path("/x").check("get").reason()'],
];

describe('an expression of a policy', () => {
  it.each(RESULTS)('as a %s, %s has the wrong type', (purpose, text, failure) => {
    expect(failures(specOf[purpose](text)).at(-1)).toBe(failure);
  });

  it.each(MISTAKES)('as a %s, %s is invalid', (purpose, text, column, message) => {
    expect(failures(specOf[purpose](text)).at(-1)).toBe(error(text, column, message));
  });

  it.each(FINE)('as a %s, %s is valid', (purpose, text) => {
    expect(failures(specOf[purpose](text)).at(-1)).toBe('');
  });

  it('counts columns without surrounding space for match conditions and annotations only', () => {
    expect(failures(specOf.matchCondition('  none'))).toEqual([error('none', 1, undeclared('none'))]);
    expect(failures(specOf.auditAnnotation('  none'))).toEqual([error('none', 1, undeclared('none'))]);
    expect(failures(specOf.validation('  none'))).toEqual([error('  none', 3, undeclared('none'))]);
  });

  it('can use params if the policy has a paramKind', () => {
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
    expect(failures({ ...specOf.validation('params.x == 1'), paramKind })).toEqual(['']);
    expect(failures({ ...specOf.matchCondition('params.x == 1'), paramKind })).toEqual(['']);
  });
});

describe('a variable of a policy', () => {
  const variables = [
    { name: 'a', expression: 'variables.b' },
    { name: 'b', expression: '1' },
    { name: 'c', expression: 'none' },
    { name: 'd', expression: 'variables.c + 1' },
    { name: 'e', expression: 'request.kind' },
    { name: 'f', expression: '[1]' },
    { name: 'g', expression: 'optional.of(1)' },
  ];

  it('can use earlier variables only', () => {
    expect(failures({ variables })).toEqual([
      error('variables.b', 10, "undefined field 'b'"),
      '',
      error('none', 1, undeclared('none')),
      '',
      '',
      '',
      '',
    ]);
  });

  const TYPES: readonly (readonly [name: string, type: string])[] = [
    ['variables.a', 'dyn'],
    ['variables.b', 'int'],
    ['variables.e', 'dyn'],
    ['variables.f', 'list(int)'],
    ['variables.g', 'dyn'],
    ['variables', 'kubernetes.variables'],
  ];

  it.each(TYPES)('%s has the type %s', (expression, type) => {
    const found = failures({ variables, validations: [{ expression }] }).at(-1);
    expect(found).toBe(`must evaluate to bool but got ${type}`);
  });

  it('that does not exist is an undefined field', () => {
    const found = failures({ variables, validations: [{ expression: 'variables.zz == 1' }] }).at(-1);
    expect(found).toBe(error('variables.zz == 1', 10, "undefined field 'zz'"));
  });
});
