/**
 * Validation of the spec of a CRD.
 */
import type { Problem } from '../../base/errors.ts';
import { jsonEqual } from '../../base/json.ts';
import { invalid, invalidText, required, unsupportedText } from '../resources/index.ts';
import { type CrdSpec, type CrdVersion, schemaPropsOf } from './crd.ts';
import { goVersions } from './go-values.ts';
import { hasDefaults } from './has-defaults.ts';
import { type InternalSpec, type TopLevelFields, toInternalSpec, topLevelSchemaOf } from './internal-spec.ts';
import { conversionProblems } from './validate-conversion.ts';
import { groupProblems, missingNames, nameProblems, wordProblems } from './validate-names.ts';
import { schemaProblems } from './validate-schema.ts';
import {
  columnProblems,
  deprecationProblems,
  selectableProblems,
  subresourceProblems,
} from './validate-version.ts';

const SCOPES = ['Cluster', 'Namespaced'];

/** `old`: the spec before an update, for unchanged invalid values. */
export function specProblems(spec: CrdSpec, old: CrdSpec | undefined): readonly Problem[] {
  const internal = toInternalSpec(spec);
  const { topLevel } = internal;
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
    ...subresourceProblems(topLevel.subresources, 'spec.subresources'),
    ...columnProblems(topLevel.additionalPrinterColumns, 'spec.additionalPrinterColumns'),
    ...topSelectableProblems(internal),
    ...conversionProblems(spec, 'spec.conversion'),
  ];
}

/** Names and group are immutable; kind and scope once the CRD is established. */
export function immutableProblems(
  spec: CrdSpec,
  old: CrdSpec,
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
  if (scope === '') return [required('spec.scope')];
  return SCOPES.includes(scope) ? [] : [unsupportedText('spec.scope', scope, SCOPES)];
}

function missingSchemas({ topLevel, versions }: InternalSpec): readonly Problem[] {
  if (topLevel.schema?.openAPIV3Schema !== undefined) return [];
  return versions.flatMap((version, index) =>
    version.schema?.openAPIV3Schema === undefined
      ? [required(`spec.versions[${index}].schema.openAPIV3Schema`, 'schemas are required')]
      : [],
  );
}

function preservationProblems({ versions, preserveUnknownFields }: CrdSpec): readonly Problem[] {
  const isDefaulted = versions.some((version) => {
    const schema = schemaPropsOf(version);
    return schema !== undefined && hasDefaults(schema);
  });
  if (!preserveUnknownFields || !isDefaulted) return [];
  const detail = 'must be false in order to use defaults in the schema';
  return [invalid('spec.preserveUnknownFields', 'true', detail)];
}

type Around = { readonly internal: InternalSpec; readonly old: CrdSpec | undefined };

function versionProblems(version: CrdVersion, index: number, { internal, old }: Around): readonly Problem[] {
  const path = `spec.versions[${index}]`;
  const schema = schemaPropsOf(version);
  const { subresources } = internal.topLevel.subresources === undefined ? version : internal.topLevel;
  return [
    ...wordProblems(version.name, `${path}.name`),
    ...deprecationProblems(version, path),
    ...(schema === undefined
      ? []
      : schemaProblems(schema, {
          path: `${path}.schema.openAPIV3Schema`,
          hasStatusSubresource: hasStatus(subresources),
          isUnchanged: isUnchanged(version, version.name, old),
        })),
    ...subresourceProblems(version.subresources, `${path}.subresources`),
    ...columnProblems(version.additionalPrinterColumns, `${path}.additionalPrinterColumns`),
    ...versionSelectableProblems(version, path),
  ];
}

function versionSelectableProblems(version: CrdVersion, path: string): readonly Problem[] {
  const { selectableFields = [] } = version;
  if (selectableFields.length === 0) return [];
  const schema = schemaPropsOf(version);
  if (schema !== undefined) return selectableProblems(selectableFields, schema, path);
  // The superfluous "not" is kube-apiserver's.
  const detail = 'selectableFields may only be set when version.schema.openAPIV3Schema is not included';
  return [invalidText(`${path}.selectableFields`, '', detail)];
}

/** A schema that all versions share has the subresources of any of them. */
function topSchemaProblems(internal: InternalSpec, old: CrdSpec | undefined): readonly Problem[] {
  const schema = internal.topLevel.schema === undefined ? undefined : topLevelSchemaOf(internal);
  if (schema === undefined) return [];
  const [first] = internal.spec.versions;
  return schemaProblems(schema, {
    path: 'spec.validation.openAPIV3Schema',
    hasStatusSubresource: internal.spec.versions.some(({ subresources }) => hasStatus(subresources)),
    isUnchanged: first !== undefined && isUnchanged(first, first.name, old),
  });
}

function topSelectableProblems(internal: InternalSpec): readonly Problem[] {
  const { selectableFields = [] } = internal.topLevel;
  if (selectableFields.length === 0) return [];
  if (internal.topLevel.schema === undefined) {
    const detail = 'selectableFields may only be set when validations.schema is included';
    return [invalidText('spec.selectableFields', '', detail)];
  }
  return selectableProblems(selectableFields, topLevelSchemaOf(internal) ?? {}, 'spec');
}

function hasStatus(subresources: TopLevelFields['subresources']): boolean {
  return subresources?.status !== undefined;
}

function isUnchanged({ schema }: CrdVersion, name: string, old: CrdSpec | undefined): boolean {
  const before = old?.versions.find((version) => version.name === name);
  return before !== undefined && jsonEqual(before.schema, schema);
}

function versionListProblems({ spec, versions }: InternalSpec): readonly Problem[] {
  const names = new Set(versions.map(({ name }) => name));
  const stored = versions.filter(({ storage }) => storage);
  const problemWith = (detail: string) => [invalid('spec.versions', goVersions(versions), detail)];
  const [first] = spec.versions;
  return [
    ...(names.size < versions.length ? problemWith('must contain unique version names') : []),
    ...(stored.length === 1 ? [] : problemWith('must have exactly one version marked as storage version')),
    // The internal form has a field for the first version.
    ...(first === undefined || first.name === '' ? [] : wordProblems(first.name, 'spec.version')),
  ];
}
