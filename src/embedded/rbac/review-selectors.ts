/** Selectors in access reviews. RBAC ignores them, but they are validated. */

import type { Problem } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import { type Fields, stringAt, stringsAt } from '../../base/json-fields.ts';
import { quoted } from '../../base/text/index.ts';
import { checkLabelValue, checkQualifiedName } from '../../kubernetes/meta/index.ts';

export function selectorProblems(asked: Fields): readonly Problem[] {
  return SELECTORS.flatMap(({ field, keyProblems, valueProblems }) => {
    const selector = own(asked, field);
    if (!isObject(selector)) return [];
    const path = `spec.resourceAttributes.${field}`;
    const requirements = requirementsOf(selector);
    return [
      ...shapeProblems(selector, requirements.length, path),
      ...requirements.flatMap((one, index) => {
        const at = `${path}.requirements[${index}]`;
        return [...keyProblems(one, at), ...operatorProblems(one, at), ...valueProblems(one, at)];
      }),
    ];
  });
}

/**
 * The `evaluationError` of the response, for selectors that are ignored. Raw selectors are not parsed: no rule needs
 * them.
 */
export function selectorErrors(asked: Fields): readonly string[] {
  return SELECTORS.flatMap(({ field, isUnderstood }) => {
    const selector = own(asked, field);
    if (!isObject(selector)) return [];
    const requirements = requirementsOf(selector);
    const understood = requirements.filter(isUnderstood).length;
    if (understood === requirements.length) return [];
    const extent = understood > 0 ? 'partially ignored' : 'ignored';
    return [`spec.resourceAttributes.${field} ${extent} due to parse error`];
  });
}

type Requirement = { readonly key: string; readonly operator: string; readonly values: readonly string[] };
type Check = (requirement: Requirement, path: string) => readonly Problem[];

type SelectorKind = {
  readonly field: 'fieldSelector' | 'labelSelector';
  readonly isUnderstood: (requirement: Requirement) => boolean;
  readonly keyProblems: Check;
  readonly valueProblems: Check;
};

const WITH_VALUES: ReadonlySet<string> = new Set(['In', 'NotIn']);
const WITHOUT_VALUES: ReadonlySet<string> = new Set(['Exists', 'DoesNotExist']);

const SELECTORS: readonly SelectorKind[] = [
  {
    field: 'fieldSelector',
    // Field requirements have one value each.
    isUnderstood: ({ operator, values }) => WITH_VALUES.has(operator) && values.length === 1,
    keyProblems: ({ key }, path) => (key === '' ? [required(`${path}.key`, 'must be specified')] : []),
    valueProblems: () => [],
  },
  {
    field: 'labelSelector',
    isUnderstood: ({ operator }) => WITH_VALUES.has(operator) || WITHOUT_VALUES.has(operator),
    keyProblems: () => [],
    valueProblems: ({ key, values }, path) => [
      ...checkQualifiedName(key).map((text) => invalid(`${path}.key`, key, text)),
      ...values.flatMap((value, index) =>
        checkLabelValue(value).map((text) => invalid(`${path}.values[${index}]`, value, text)),
      ),
    ],
  },
];

function shapeProblems(selector: Fields, requirements: number, path: string): readonly Problem[] {
  const raw = stringAt(selector, 'rawSelector');
  if (raw !== '' && requirements > 0) {
    return [invalid(`${path}.rawSelector`, raw, 'may not specified at the same time as requirements')];
  }
  if (raw !== '' || requirements > 0) return [];
  const message = `when ${path} is specified, requirements or rawSelector is required`;
  return [required(`${path}.requirements`, message)];
}

/** Unknown operators are accepted, so that clients can be newer than the server. */
function operatorProblems({ operator, values }: Requirement, path: string): readonly Problem[] {
  if (WITH_VALUES.has(operator) && values.length === 0) {
    return [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if (!WITHOUT_VALUES.has(operator) || values.length === 0) return [];
  const message = "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
  return [{ path: `${path}.values`, message, reason: 'FieldValueForbidden' }];
}

function requirementsOf(selector: Fields): readonly Requirement[] {
  const requirements = own(selector, 'requirements');
  const items: readonly unknown[] = Array.isArray(requirements) ? requirements : [];
  return items.filter(isObject).map((item) => ({
    key: stringAt(item, 'key'),
    operator: stringAt(item, 'operator'),
    values: stringsAt(item, 'values'),
  }));
}

function required(path: string, message: string): Problem {
  return { path, message: `Required value: ${message}`, reason: 'FieldValueRequired' };
}

function invalid(path: string, value: string, message: string): Problem {
  return { path, message: `Invalid value: ${quoted(value)}: ${message}`, reason: 'FieldValueInvalid' };
}
