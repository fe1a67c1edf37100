/**
 * Checks whether the API server would accept an object without dropping fields.
 */

import { type MachineConfigPool, machineConfigPool } from '../../api/index.ts';
import type { Problem } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import { didYouMean } from '../../base/text/index.ts';
import { type AnyKind, metadataProblems, selectorProblems } from '../../kubernetes/meta/index.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { applyDefaults, prune, validate } from '../../kubernetes/validation/index.ts';

type CheckedObject = {
  /** As a server would store it: with defaults, and without insignificant nulls. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
};

export function checkObject(kind: AnyKind, object: unknown): CheckedObject {
  const value = applyDefaults(kind.schema, object);
  const problems = [
    ...metadataProblems(object),
    ...unknownMetadataProblems(object),
    ...namespaceProblems(kind, object),
    ...unknownFieldProblems(kind.schema, object),
    ...withoutDuplicates(validate(kind.schema, value)),
  ];
  if (problems.length > 0 || kind.kind !== machineConfigPool.kind) return { value, problems };
  // Validated against the schema of pools above.
  return { value, problems: poolProblems(value as MachineConfigPool) };
}

/** Values that the API accepts but controllers cannot use. */
function poolProblems({ spec }: MachineConfigPool): readonly Problem[] {
  return [
    ...selectorProblems(spec.machineConfigSelector, 'spec.machineConfigSelector'),
    ...selectorProblems(spec.nodeSelector, 'spec.nodeSelector'),
    ...maxUnavailableProblems(spec.maxUnavailable),
  ];
}

function maxUnavailableProblems(value: number | string | undefined): readonly Problem[] {
  if (value === undefined) return [];
  const isCount = typeof value === 'number' && value >= 0;
  const isPercentage = typeof value === 'string' && /^(100|[1-9]?\d)%$/.test(value);
  if (isCount || isPercentage) return [];
  const message = `Invalid value: ${JSON.stringify(value)}: must be a number of nodes or a percentage such as "10%"`;
  return [{ path: 'spec.maxUnavailable', message }];
}

const METADATA_FIELDS: readonly string[] = [
  'name',
  'namespace',
  'labels',
  'annotations',
  'generateName',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
  'selfLink',
];

function namespaceProblems(kind: AnyKind, object: unknown): readonly Problem[] {
  const metadata = isObject(object) ? own(object, 'metadata') : undefined;
  const namespace = isObject(metadata) ? own(metadata, 'namespace') : undefined;
  if (kind.scope === 'Namespaced' || namespace === undefined || namespace === '') return [];
  const message = `Forbidden: not allowed on this type: a ${kind.kind} is cluster-scoped`;
  return [{ path: 'metadata.namespace', message }];
}

/** The schema does not describe metadata; the server knows its fields. */
function unknownMetadataProblems(object: unknown): readonly Problem[] {
  const metadata = isObject(object) ? own(object, 'metadata') : undefined;
  return Object.keys(isObject(metadata) ? metadata : {})
    .filter((field) => !METADATA_FIELDS.includes(field))
    .map((field) => unknownField(`metadata.${field}`, field, METADATA_FIELDS));
}

/**
 * One line per mistake: the server adds a summary to detailed errors, and reports a wrong type once for each allowed one.
 */
function withoutDuplicates(problems: readonly Problem[]): readonly Problem[] {
  const detailed = problems.filter(({ path, reason }) => path !== '' || reason !== 'FieldValueInvalid');
  const reported = new Set<string>();
  return (detailed.length === 0 ? problems : detailed).filter(({ path, reason }) => {
    if (reason !== 'FieldValueTypeInvalid') return true;
    const isFirst = !reported.has(path);
    reported.add(path);
    return isFirst;
  });
}

/** Ignores status, which a newer cluster may have written. */
function unknownFieldProblems(schema: StructuralSchema, object: unknown): readonly Problem[] {
  return prune(schema, object)
    .unknownFields.filter((path) => path !== 'status' && !path.startsWith('status.'))
    .map((path) => unknownField(path, path.slice(path.lastIndexOf('.') + 1), siblingsOf(schema, path)));
}

function unknownField(path: string, field: string, known: readonly string[]): Problem {
  return { path, message: `unknown field${didYouMean(field, known)}` };
}

/** The fields that the schema allows next to an unknown one. */
function siblingsOf(schema: StructuralSchema, path: string): readonly string[] {
  let here: StructuralSchema | undefined = schema;
  for (const step of path.split(/\.|(?=\[)/).slice(0, -1)) {
    here = step.startsWith('[') ? here?.items : (here?.properties?.[step] ?? valuesOf(here));
  }
  return Object.keys(here?.properties ?? {});
}

function valuesOf(schema: StructuralSchema | undefined): StructuralSchema | undefined {
  const values = schema?.additionalProperties;
  return typeof values === 'object' ? values : undefined;
}
