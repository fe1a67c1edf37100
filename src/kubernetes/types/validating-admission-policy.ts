/**
 * ValidatingAdmissionPolicy: rules in CEL that requests must meet, once a binding puts them in force.
 */
import { type Infer, int64, object, oneOf, required, string } from '../schema/index.ts';
import { defineBuiltin, statusDoor } from './builtin.ts';
import { replacedConditions } from './conditions.ts';
import { filled, items, keyed, present } from './fields.ts';
import { matchResources } from './match-resources.ts';

export const ADMISSION_GROUP = 'admissionregistration.k8s.io';

const validation = object('A rule.', {
  expression: required(string('What must be true.')),
  message: string('What is said where it is not.'),
  messageExpression: string('The same, computed.'),
  reason: string('What sort of refusal it is; Invalid unless given.'),
});

const variable = object(
  'A name for a value.',
  {
    name: required(string('Its name: variables.<name>.')),
    expression: required(string('Its value.')),
  },
  { atomic: true },
);

const spec = object('What is asked of requests.', {
  matchConstraints: matchResources('Which requests are looked at.'),
  matchConditions: keyed(
    'Expressions that must be true, or the request is not looked at.',
    object('A condition.', {
      name: required(string('Its name.')),
      expression: required(string('What must be true.')),
    }),
    ['name'],
  ),
  paramKind: object(
    'The kind of objects that parametrise the rules.',
    { apiVersion: string('Its group and version.'), kind: string('The kind.') },
    { atomic: true },
  ),
  variables: keyed('Values with a name, for the expressions that follow.', variable, ['name']),
  validations: items('The rules.', validation),
  auditAnnotations: items(
    'What is noted in the audit log.',
    object('A note.', {
      key: required(string('Its key.')),
      valueExpression: required(string('Its value; null notes nothing.')),
    }),
  ),
  failurePolicy: oneOf('What follows where a rule cannot be computed; Fail unless given.', [
    'Fail',
    'Ignore',
  ]),
});
type ValidatingAdmissionPolicySpec = {
  readonly [Field in keyof Infer<typeof spec>]: Infer<typeof spec>[Field];
};

const status = object('What the server thinks of it.', {
  observedGeneration: int64('The generation for which this was said.'),
  typeChecking: object('What is doubtful about its expressions.', {
    expressionWarnings: items(
      'The doubts.',
      object('A doubt.', {
        fieldRef: required(string('Where the expression stands.')),
        warning: required(string('What is doubtful.')),
      }),
    ),
  }),
  conditions: replacedConditions('What is true of the policy.'),
});

export const validatingAdmissionPolicy = defineBuiltin({
  group: ADMISSION_GROUP,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  categories: ['api-extensions'],
  scope: 'Cluster',
  description: 'Rules that requests must meet, once a ValidatingAdmissionPolicyBinding puts them in force.',
  subresources: [statusDoor],
  fields: { spec: present<ValidatingAdmissionPolicySpec>(spec), status: filled(status) },
});
