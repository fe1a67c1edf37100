/**
 * The strategy of Namespaces: each has its name as a label, and is deleted after its content.
 */

import type { Problem } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { objectAt, optionalStringAt, stringAt, stringsAt } from '../../base/json-fields.ts';
import { checkDnsLabel } from '../../kubernetes/meta/index.ts';
import { namespace } from '../../kubernetes/types/index.ts';
import { builtinStrategy, nameValidator, statusSubresource } from './builtin-strategy.ts';
import { invalidText } from './field-problems.ts';
import { qualifiedNameProblems } from './name-problems.ts';
import { metadataOf, withChangedField, withDefaults, withFieldOf, withOldStatus } from './object-edits.ts';
import type { SubresourceStrategy } from './strategy.ts';

const NAME_LABEL = 'kubernetes.io/metadata.name';
const FINALIZER = 'kubernetes';

/** The finalize subresource removes finalizers from the spec, which a plain update cannot. */
const finalizeSubresource: SubresourceStrategy = {
  prepareForUpdate: (object, old) => withOldStatus(object, old),
  validateUpdate: (object) => finalizerProblems(object, (index) => `spec.finalizers[${index}]`),
  resetFields: [['status']],
};

export const namespaceStrategy = builtinStrategy({
  of: namespace,
  validateName: nameValidator(checkDnsLabel),
  afterSchemaDefaults: (object) =>
    withChangedField(withNameLabel(object), 'status', (status) => withDefaults(status, { phase: 'Active' })),
  prepareForCreate: (object) => {
    const finalizers = stringsAt(object, 'spec', 'finalizers');
    const all = finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER];
    // A generated name is known only now.
    return { ...withNameLabel(object), spec: { finalizers: all }, status: { phase: 'Active' } };
  },
  prepareForUpdate: (object, old) =>
    withOldStatus(
      {
        ...object,
        spec: withFieldOf(objectAt(object, 'spec') ?? {}, objectAt(old, 'spec') ?? {}, 'finalizers'),
      },
      old,
    ),
  validateCreate: (object) => finalizerProblems(object, () => 'spec.finalizers'),
  subresources: {
    status: statusSubresource({ validateUpdate: statusProblems }),
    finalize: finalizeSubresource,
  },
  resetFields: [['status']],
});

/** A name that is still to be generated is added later. */
function withNameLabel(object: JsonObject): JsonObject {
  const name = stringAt(object, 'metadata', 'name');
  if (name === '') return object;
  const labels = { ...objectAt(object, 'metadata', 'labels'), [NAME_LABEL]: name };
  return { ...object, metadata: { ...metadataOf(object), labels } };
}

function finalizerProblems(object: JsonObject, pathOf: (index: number) => string): readonly Problem[] {
  return stringsAt(object, 'spec', 'finalizers').flatMap((name, index) => {
    const problems = qualifiedNameProblems(pathOf(index), name);
    if (problems.length > 0 || name.includes('/') || name === FINALIZER) return problems;
    const detail = 'name is neither a standard finalizer name nor is it fully qualified';
    return [invalidText(pathOf(index), name, detail)];
  });
}

function statusProblems(object: JsonObject): readonly Problem[] {
  const phase = stringAt(object, 'status', 'phase');
  const isDeleting = optionalStringAt(object, 'metadata', 'deletionTimestamp') !== undefined;
  const expected = isDeleting ? 'Terminating' : 'Active';
  if (phase === expected) return [];
  const detail = `may only be '${expected}' if \`deletionTimestamp\` is ${isDeleting ? 'not empty' : 'empty'}`;
  return [invalidText('status.Phase', phase, detail)];
}
