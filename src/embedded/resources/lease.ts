/**
 * The strategy of Leases: an update may create one, and must carry a resourceVersion.
 */

import type { Problem } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { objectAt, optionalNumberAt } from '../../base/json-fields.ts';
import { lease } from '../../kubernetes/types/index.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { invalid, negativeProblems } from './field-problems.ts';
import { without } from './object-edits.ts';

export const leaseStrategy = builtinStrategy({
  of: lease,
  allowsUnconditionalUpdate: false,
  allowsCreateOnUpdate: true,
  prepareForCreate: (object) => withoutCandidates(object, []),
  prepareForUpdate: (object, old) => withoutCandidates(object, Object.keys(objectAt(old, 'spec') ?? {})),
  validateCreate: leaseProblems,
  validateUpdate: leaseProblems,
});

/** Coordinated leader election is disabled by default: its fields are dropped unless the object already has them. */
function withoutCandidates(object: JsonObject, known: readonly string[]): JsonObject {
  const spec = objectAt(object, 'spec');
  const unknown = ['strategy', 'preferredHolder'].filter((field) => !known.includes(field));
  return spec === undefined ? object : { ...object, spec: without(spec, ...unknown) };
}

function leaseProblems(object: JsonObject): readonly Problem[] {
  const spec = objectAt(object, 'spec');
  const duration = optionalNumberAt(spec, 'leaseDurationSeconds');
  return [
    ...(duration !== undefined && duration <= 0
      ? [invalid('spec.leaseDurationSeconds', String(duration), 'must be greater than 0')]
      : []),
    ...negativeProblems('spec.leaseTransitions', optionalNumberAt(spec, 'leaseTransitions')),
  ];
}
