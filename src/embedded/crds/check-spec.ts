/**
 * The specification of a definition, from its group to the conversion between its versions.
 */
import type { Problem } from '../../base/errors.ts';
import { jsonEqual } from '../../base/json.ts';
import { conversionProblems } from './check-conversion.ts';
import { groupProblems, missingNames, nameProblems, wordProblems } from './check-names.ts';
import { schemaProblems } from './check-schema.ts';
import {
  columnProblems,
  deprecationProblems,
  selectableProblems,
  subresourceProblems,
} from './check-version.ts';
import { type Spec, schemaPropsOf, type Version } from './definition.ts';
import { invalidText, invalidValue, requiredValue, unsupportedText } from './field-problems.ts';
import { goVersions } from './go-values.ts';
import { type InternalSpec, movedUp, type TopParts, topSchemaOf } from './moved-up.ts';
import { hasDefaults } from './walk-schema.ts';

const SCOPES = ['Cluster', 'Namespaced'];

/** `old`: before an update, which forgives what has not changed since. */
export function specProblems(spec: Spec, old: Spec | undefined): readonly Problem[] {
  const internal = movedUp(spec);
  const { top } = internal;
  return [
    ...groupProblems(spec.group, 'spec.group'),
    ...scopeProblems(spec.scope),
    ...missingSchemas(internal),
    ...preservationProblems(spec),
    ...internal.versions.flatMap((version, index) => versionProblems(version, index, { internal, old })),
    ...versionListProblems(internal),
    ...missingNames(spec.names, 'spec.names'),
    ...nameProblems(spec.names, 'spec.names'),
    ...topSchemaProblems(internal, old),
    ...subresourceProblems(top.subresources, 'spec.subresources'),
    ...columnProblems(top.additionalPrinterColumns, 'spec.additionalPrinterColumns'),
    ...topSelectableProblems(internal),
    ...conversionProblems(spec, 'spec.conversion'),
  ];
}

/** What names the resource in paths and in the store cannot change; kind and scope not once they are in use. */
export function immutableProblems(
  spec: Spec,
  old: Spec,
  { isEstablished }: { readonly isEstablished: boolean },
): readonly Problem[] {
  const unless = (same: string, value: string, path: string): readonly Problem[] =>
    same === value ? [] : [invalidText(path, value, 'field is immutable')];
  return [
    ...(isEstablished ? unless(old.scope, spec.scope, 'spec.scope') : []),
    ...(isEstablished ? unless(old.names.kind, spec.names.kind, 'spec.names.kind') : []),
    ...unless(old.group, spec.group, 'spec.group'),
    ...unless(old.names.plural, spec.names.plural, 'spec.names.plural'),
  ];
}

function scopeProblems(scope: string): readonly Problem[] {
  if (scope === '') return [requiredValue('spec.scope')];
  return SCOPES.includes(scope) ? [] : [unsupportedText('spec.scope', scope, SCOPES)];
}

function missingSchemas({ top, versions }: InternalSpec): readonly Problem[] {
  if (top.schema?.openAPIV3Schema !== undefined) return [];
  return versions.flatMap((version, index) =>
    version.schema?.openAPIV3Schema === undefined
      ? [requiredValue(`spec.versions[${index}].schema.openAPIV3Schema`, 'schemas are required')]
      : [],
  );
}

function preservationProblems({ versions, preserveUnknownFields }: Spec): readonly Problem[] {
  const isDefaulted = versions.some((version) => {
    const schema = schemaPropsOf(version);
    return schema !== undefined && hasDefaults(schema);
  });
  if (!preserveUnknownFields || !isDefaulted) return [];
  const detail = 'must be false in order to use defaults in the schema';
  return [invalidValue('spec.preserveUnknownFields', 'true', detail)];
}

type Around = { readonly internal: InternalSpec; readonly old: Spec | undefined };

function versionProblems(version: Version, index: number, { internal, old }: Around): readonly Problem[] {
  const path = `spec.versions[${index}]`;
  const schema = schemaPropsOf(version);
  const { subresources } = internal.top.subresources === undefined ? version : internal.top;
  return [
    ...wordProblems(version.name, `${path}.name`),
    ...deprecationProblems(version, path),
    ...(schema === undefined
      ? []
      : schemaProblems(schema, {
          path: `${path}.schema.openAPIV3Schema`,
          hasStatusDoor: hasStatus(subresources),
          isUnchanged: isUnchanged(version, version.name, old),
        })),
    ...subresourceProblems(version.subresources, `${path}.subresources`),
    ...columnProblems(version.additionalPrinterColumns, `${path}.additionalPrinterColumns`),
    ...versionSelectableProblems(version, path),
  ];
}

function versionSelectableProblems(version: Version, path: string): readonly Problem[] {
  const { selectableFields = [] } = version;
  if (selectableFields.length === 0) return [];
  const schema = schemaPropsOf(version);
  if (schema !== undefined) return selectableProblems(selectableFields, schema, path);
  // The text has a "not" too many on the server as well.
  const detail = 'selectableFields may only be set when version.schema.openAPIV3Schema is not included';
  return [invalidText(`${path}.selectableFields`, '', detail)];
}

/** The schema that all versions share has the doors of any of them. */
function topSchemaProblems(internal: InternalSpec, old: Spec | undefined): readonly Problem[] {
  const schema = internal.top.schema === undefined ? undefined : topSchemaOf(internal);
  if (schema === undefined) return [];
  const [first] = internal.spec.versions;
  return schemaProblems(schema, {
    path: 'spec.validation.openAPIV3Schema',
    hasStatusDoor: internal.spec.versions.some(({ subresources }) => hasStatus(subresources)),
    isUnchanged: first !== undefined && isUnchanged(first, first.name, old),
  });
}

function topSelectableProblems(internal: InternalSpec): readonly Problem[] {
  const { selectableFields = [] } = internal.top;
  if (selectableFields.length === 0) return [];
  if (internal.top.schema === undefined) {
    const detail = 'selectableFields may only be set when validations.schema is included';
    return [invalidText('spec.selectableFields', '', detail)];
  }
  return selectableProblems(selectableFields, topSchemaOf(internal) ?? {}, 'spec');
}

function hasStatus(subresources: TopParts['subresources']): boolean {
  return subresources?.status !== undefined;
}

function isUnchanged({ schema }: Version, name: string, old: Spec | undefined): boolean {
  const before = old?.versions.find((version) => version.name === name);
  return before !== undefined && jsonEqual(before.schema, schema);
}

function versionListProblems({ spec, versions }: InternalSpec): readonly Problem[] {
  const names = new Set(versions.map(({ name }) => name));
  const stored = versions.filter(({ storage }) => storage);
  const complain = (detail: string) => [invalidValue('spec.versions', goVersions(versions), detail)];
  const [first] = spec.versions;
  return [
    ...(names.size < versions.length ? complain('must contain unique version names') : []),
    ...(stored.length === 1 ? [] : complain('must have exactly one version marked as storage version')),
    // Inside, the first version has a field of its own.
    ...(first === undefined || first.name === '' ? [] : wordProblems(first.name, 'spec.version')),
  ];
}
