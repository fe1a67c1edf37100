/**
 * Label selectors, evaluated as in Kubernetes.
 */
import { joinPath, type Problem } from '../../base/errors.ts';
import { compareBytes, isObject, own } from '../../base/json.ts';
import { checkLabelValue, checkQualifiedName } from './names.ts';
import type { LabelSelector } from './shapes.ts';

export type Labels = { readonly [key: string]: string };

/**
 * Whether the labels match. No selector matches nothing, an empty one everything. An invalid selector matches nothing
 * either: half of its requirements must not select nodes.
 */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels | undefined): boolean {
  if (!isObject(selector)) return false;
  return (
    requirementsOf(selector).every((requirement) => holds(requirement, labels ?? {})) &&
    selectorProblems(selector, '').length === 0
  );
}

/** Whether the selector has no requirements. Whether that means all or none depends on the field. */
export function isEmptySelector(selector: LabelSelector | undefined): boolean {
  return requirementsOf(selector).length === 0;
}

/** The selector in one line, in the syntax of `kubectl -l`: `a=b,c in (d,e),!f`. */
export function formatSelector(selector: LabelSelector | undefined): string {
  return requirementsOf(selector)
    .toSorted((a, b) => compareBytes(a.key, b.key))
    .map(formatRequirement)
    .join(',');
}

/** The errors in the selector at the path. */
export function selectorProblems(selector: LabelSelector | undefined, path: string): readonly Problem[] {
  return requirementsOf(selector).flatMap((requirement) =>
    requirementProblems(requirement).map((problem) => ({
      ...problem,
      path: joinPath(path, problem.path),
    })),
  );
}

/** A requirement on one label. `Equals` is an entry of matchLabels. */
type Requirement = {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
  /** Its path within the selector. */
  readonly path: string;
};

/**
 * A selector may come from a file that was never validated, so nothing is assumed here. A part of the wrong type becomes a
 * requirement that nothing meets: if it were dropped, the selector would match everything.
 */
function requirementsOf(selector: unknown): readonly Requirement[] {
  if (!isObject(selector)) return [];
  return [
    ...labelsOf(own(selector, 'matchLabels') ?? {}),
    ...expressionsOf(own(selector, 'matchExpressions') ?? []),
  ];
}

function labelsOf(matchLabels: unknown): readonly Requirement[] {
  const pairs = isObject(matchLabels)
    ? Object.entries(matchLabels)
    : [[textOf(undefined), undefined] as const];
  return pairs.map(([key, value]) => ({
    key,
    operator: 'Equals',
    values: [textOf(value)],
    path: 'matchLabels',
  }));
}

function expressionsOf(matchExpressions: unknown): readonly Requirement[] {
  const items: readonly unknown[] = Array.isArray(matchExpressions) ? matchExpressions : [undefined];
  return items.map((item, index) => {
    const expression = isObject(item) ? item : {};
    const values = own(expression, 'values') ?? [];
    return {
      key: textOf(own(expression, 'key')),
      operator: textOf(own(expression, 'operator')),
      values: Array.isArray(values) ? values.map(textOf) : [textOf(undefined)],
      path: `matchExpressions[${index}]`,
    };
  });
}

/** A value that is no string becomes a string that is no valid key, value or operator. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '(not a text)';
}

function holds({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = own(labels, key);
  const isAmongValues = values.some((wanted) => wanted === value);
  switch (operator) {
    case 'Equals':
    case 'In':
      return isAmongValues;
    case 'NotIn':
      return !isAmongValues;
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

function formatRequirement({ key, operator, values }: Requirement): string {
  const list = `(${values.toSorted(compareBytes).join(',')})`;
  switch (operator) {
    case 'Equals':
      return `${key}=${values.join(',')}`;
    case 'In':
      return `${key} in ${list}`;
    case 'NotIn':
      return `${key} notin ${list}`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return `${key} ${operator} ${list}`;
  }
}

function requirementProblems(requirement: Requirement): readonly Problem[] {
  const { key, values, path } = requirement;
  if (path === 'matchLabels') {
    return [
      ...checkQualifiedName(key).map((message) => invalidText(path, key, message)),
      ...values.flatMap((value) =>
        checkLabelValue(value).map((message) => invalidText(path, value, message)),
      ),
    ];
  }
  return [
    ...operatorProblems(requirement),
    ...checkQualifiedName(key).map((message) => invalidText(`${path}.key`, key, message)),
    ...values.flatMap((value, index) =>
      checkLabelValue(value).map((message) => invalidText(`${path}.values[${index}]`, value, message)),
    ),
  ];
}

function operatorProblems({ operator, values, path }: Requirement): readonly Problem[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [
        {
          path: `${path}.values`,
          message: "Required value: must be specified when `operator` is 'In' or 'NotIn'",
          reason: 'FieldValueRequired',
        },
      ];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [
        {
          path: `${path}.values`,
          message: "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
          reason: 'FieldValueForbidden',
        },
      ];
    default:
      return [invalidText(`${path}.operator`, operator, 'not a valid selector operator')];
  }
}

function invalidText(path: string, text: string, message: string): Problem {
  return {
    path,
    message: `Invalid value: ${JSON.stringify(text)}: ${message}`,
    reason: 'FieldValueInvalid',
  };
}
