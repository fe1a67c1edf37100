/**
 * ValidatingAdmissionPolicy: CEL rules for requests, enforced by bindings.
 */
import { type Infer, int64, named, oneOf, pointer, required, string, struct } from '../schema/index.ts';
import { defineBuiltin, statusSubresource } from './builtin.ts';
import { replacedConditions } from './conditions.ts';
import { filled, items, keyed, present } from './fields.ts';
import { matchResources } from './match-resources.ts';

export const ADMISSION_GROUP = 'admissionregistration.k8s.io';

const validation = struct('admissionregistration.Validation', 'A rule.', {
  expression: required(string('The expression, which must be true.')),
  message: string('The message if the expression is false.'),
  messageExpression: string('The same, computed.'),
  reason: pointer(named('meta.StatusReason', string('What sort of refusal it is; Invalid unless given.'))),
});

const variable = struct(
  'admissionregistration.Variable',
  'A name for a value.',
  {
    name: required(string('Its name: variables.<name>.')),
    expression: required(string('Its value.')),
  },
  { atomic: true },
);

const spec = struct('admissionregistration.ValidatingAdmissionPolicySpec', 'The rules for requests.', {
  matchConstraints: matchResources('Which requests are looked at.'),
  matchConditions: keyed(
    'Expressions that must be true, or the request is not looked at.',
    struct('admissionregistration.MatchCondition', 'A condition.', {
      name: required(string('Its name.')),
      expression: required(string('The expression, which must be true.')),
    }),
    ['name'],
  ),
  paramKind: struct(
    'admissionregistration.ParamKind',
    'The kind of objects that parametrise the rules.',
    { apiVersion: string('Its group and version.'), kind: string('The kind.') },
    { atomic: true },
  ),
  variables: keyed('Values with a name, for the expressions that follow.', variable, ['name']),
  validations: items('The rules.', validation),
  auditAnnotations: items(
    'Annotations of the audit log.',
    struct('admissionregistration.AuditAnnotation', 'A note.', {
      key: required(string('Its key.')),
      valueExpression: required(string('The expression of its value; null omits the annotation.')),
    }),
  ),
  failurePolicy: pointer(
    named(
      'admissionregistration.FailurePolicyType',
      oneOf('What follows where a rule cannot be computed; Fail unless given.', ['Fail', 'Ignore']),
    ),
  ),
});
type ValidatingAdmissionPolicySpec = {
  readonly [Field in keyof Infer<typeof spec>]: Infer<typeof spec>[Field];
};

const status = struct('admissionregistration.ValidatingAdmissionPolicyStatus', 'The status of the policy.', {
  observedGeneration: int64('The observed generation.'),
  typeChecking: struct('admissionregistration.TypeChecking', 'The warnings of type checking.', {
    expressionWarnings: items(
      'The doubts.',
      struct('admissionregistration.ExpressionWarning', 'A doubt.', {
        fieldRef: required(string('The field of the expression.')),
        warning: required(string('The warning.')),
      }),
    ),
  }),
  conditions: replacedConditions('The conditions of the policy.'),
});

export const validatingAdmissionPolicy = defineBuiltin({
  group: ADMISSION_GROUP,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  categories: ['api-extensions'],
  scope: 'Cluster',
  description: 'Rules that requests must meet, once a ValidatingAdmissionPolicyBinding puts them in force.',
  subresources: [statusSubresource],
  fields: { spec: present<ValidatingAdmissionPolicySpec>(spec), status: filled(status) },
});
