/**
 * The spec in kube-apiserver's internal version: fields that are equal in all versions are hoisted to the top level.
 * Clients never see this form, but messages use its paths, such as `spec.validation` instead of
 * `spec.versions[0].schema`.
 */
import { jsonEqual } from '../../base/json.ts';
import { type CrdSpec, type CrdVersion, type SchemaProps, schemaPropsOf } from './crd.ts';

export type InternalSpec = {
  readonly spec: CrdSpec;
  /** Without the hoisted fields. */
  readonly versions: readonly CrdVersion[];
  readonly topLevel: TopLevelFields;
};

/** The fields that are equal in all versions. */
export type TopLevelFields = Partial<
  Pick<CrdVersion, 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'>
>;

const HOISTED_FIELDS = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

export function toInternalSpec(spec: CrdSpec): InternalSpec {
  const [first, ...others] = spec.versions;
  if (first === undefined) return { spec, versions: [], topLevel: {} };
  const alike = HOISTED_FIELDS.filter((part) => others.every((other) => isSame(first[part], other[part])));
  const topLevel: TopLevelFields = Object.fromEntries(
    alike.flatMap((part) => (isEmpty(first[part]) ? [] : [[part, first[part]]])),
  );
  return { spec, topLevel, versions: spec.versions.map((version) => withoutFields(version, alike)) };
}

export function topLevelSchemaOf({ topLevel, versions }: InternalSpec): SchemaProps | undefined {
  const [version] = versions;
  return version && schemaPropsOf({ ...version, ...topLevel });
}

/** An absent field equals an empty list. */
function isSame(left: unknown, right: unknown): boolean {
  return (isEmpty(left) && isEmpty(right)) || jsonEqual(left, right);
}

function isEmpty(part: unknown): boolean {
  return part === undefined || (Array.isArray(part) && part.length === 0);
}

function withoutFields(version: CrdVersion, parts: readonly string[]): CrdVersion {
  // Only optional fields are removed.
  return Object.fromEntries(Object.entries(version).filter(([key]) => !parts.includes(key))) as CrdVersion;
}
