/**
 * Matches the labels of an object against a label selector.
 */

import { own } from '../../base/json.ts';
import type { Labels } from '../meta/index.ts';
import { parseInt64 } from './int64.ts';
import type { LabelRequirement, LabelRequirements } from './label-selector.ts';

export function matchesLabels(requirements: LabelRequirements, labels: Labels | undefined): boolean {
  return requirements.every((requirement) => holds(requirement, own(labels ?? {}, requirement.key)));
}

function holds({ operator, values }: LabelRequirement, label: unknown): boolean {
  switch (operator) {
    case 'Exists':
      return label !== undefined;
    case 'DoesNotExist':
      return label === undefined;
    case 'In':
      return values.some((value) => value === label);
    case 'NotIn':
      // An absent label has none of the values.
      return !values.some((value) => value === label);
    case 'GreaterThan':
      return compares(values, label, (found, wanted) => found > wanted);
    case 'LessThan':
      return compares(values, label, (found, wanted) => found < wanted);
  }
}

/** A label that is no integer is neither greater nor less. */
function compares(
  [value = '']: readonly string[],
  label: unknown,
  holdsFor: (found: bigint, wanted: bigint) => boolean,
): boolean {
  const found = typeof label === 'string' ? parseInt64(label) : undefined;
  const wanted = parseInt64(value);
  return found !== undefined && wanted !== undefined && holdsFor(found, wanted);
}
