/**
 * Printers of ValidatingAdmissionPolicies and their bindings.
 */

import { isObject } from '../../base/json.ts';
import { listAt, stringAt, stringsAt, valueAt } from '../../base/json-fields.ts';
import { VALIDATING_ADMISSION_POLICY, VALIDATING_ADMISSION_POLICY_BINDING } from './descriptions-rbac.ts';
import { entriesAt } from './fields.ts';
import { age, integer, name, printer, text } from './printer.ts';

export const validatingAdmissionPolicyPrinter = printer(VALIDATING_ADMISSION_POLICY, [
  name,
  integer('Validations', (policy) => listAt(policy, 'spec', 'validations').length),
  text('ParamKind', paramKindOf),
  age,
]);

function paramKindOf(policy: unknown): string {
  const kind = valueAt(policy, 'spec', 'paramKind');
  return isObject(kind) ? `${stringAt(kind, 'apiVersion')}/${stringAt(kind, 'kind')}` : '<unset>';
}

export const validatingAdmissionPolicyBindingPrinter = printer(VALIDATING_ADMISSION_POLICY_BINDING, [
  name,
  text('PolicyName', (binding) => stringAt(binding, 'spec', 'policyName')),
  text('ParamRef', (binding) => paramsOf(valueAt(binding, 'spec', 'paramRef'))),
  age,
]);

/** Whether the parameter kind is namespaced is unknown here: without a namespace any may be meant. */
function paramsOf(reference: unknown): string {
  const paramName = stringAt(reference, 'name');
  if (paramName !== '') return `${stringAt(reference, 'namespace') || '*'}/${paramName}`;
  const selector = valueAt(reference, 'selector');
  return isObject(selector) ? selectorText(selector) : '<unset>';
}

/** kube-apiserver prints this selector as a Go struct. */
function selectorText(selector: unknown): string {
  const labels = entriesAt(selector, 'matchLabels').map(([key, value]) => `${key}: ${value},`);
  const expressions = listAt(selector, 'matchExpressions').map((one) => {
    const parts = [`Key:${stringAt(one, 'key')}`, `Operator:${stringAt(one, 'operator')}`];
    return `LabelSelectorRequirement{${parts.join(',')},Values:[${stringsAt(one, 'values').join(' ')}],},`;
  });
  const map = `map[string]string{${labels.join('')}}`;
  const list = `[]LabelSelectorRequirement{${expressions.join('')}}`;
  return `&LabelSelector{MatchLabels:${map},MatchExpressions:${list},}`;
}
