/**
 * ValidatingAdmissionPolicyBinding: enforces a policy, for selected requests and with parameters.
 */
import { labelSelector } from '../meta/index.ts';
import { type Infer, list, named, oneOf, pointer, string, struct } from '../schema/index.ts';
import { defineBuiltin } from './builtin.ts';
import { present } from './fields.ts';
import { matchResources } from './match-resources.ts';
import { ADMISSION_GROUP } from './validating-admission-policy.ts';

const paramRef = struct(
  'admissionregistration.ParamRef',
  'The objects that parametrise the policy.',
  {
    name: string('One object.'),
    selector: labelSelector('Or all that carry these labels.'),
    namespace: string('Their namespace; that of the request unless given.'),
    parameterNotFoundAction: pointer(
      named(
        'admissionregistration.ParameterNotFoundActionType',
        string('Allow or Deny, where there is none.'),
      ),
    ),
  },
  { atomic: true },
);

const spec = struct('admissionregistration.ValidatingAdmissionPolicyBindingSpec', 'Which policy, and how.', {
  policyName: string('The name of the policy.'),
  matchResources: matchResources('For which requests, of those that the policy looks at.'),
  paramRef,
  validationActions: list(
    'The actions for failed validations.',
    named(
      'admissionregistration.ValidationAction',
      oneOf('Refuse, warn or note.', ['Audit', 'Deny', 'Warn']),
    ),
    { list: 'set' },
  ),
});
type ValidatingAdmissionPolicyBindingSpec = {
  readonly [Field in keyof Infer<typeof spec>]: Infer<typeof spec>[Field];
};

export const validatingAdmissionPolicyBinding = defineBuiltin({
  group: ADMISSION_GROUP,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  categories: ['api-extensions'],
  scope: 'Cluster',
  description: 'Puts a ValidatingAdmissionPolicy in force, for some requests and with some parameters.',
  fields: { spec: present<ValidatingAdmissionPolicyBindingSpec>(spec) },
});
