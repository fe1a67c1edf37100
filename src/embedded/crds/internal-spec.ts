/**
 * The specification as the server holds it inside: what all versions have alike stands once at the top and not in the
 * versions. Clients never see that form, but messages name fields by their place in it, so that most schemas are
 * complained of at `spec.validation` rather than at `spec.versions[0].schema`.
 */
import { jsonEqual } from '../../base/json.ts';
import { type CrdSpec, type CrdVersion, type SchemaProps, schemaPropsOf } from './crd.ts';

export type InternalSpec = {
  readonly spec: CrdSpec;
  /** Without what stands at the top. */
  readonly versions: readonly CrdVersion[];
  readonly topLevel: TopLevelFields;
};

/** What all versions have alike, whichever of these that is. */
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

/** Nothing and an empty list are the same here. */
function isSame(left: unknown, right: unknown): boolean {
  return (isEmpty(left) && isEmpty(right)) || jsonEqual(left, right);
}

function isEmpty(part: unknown): boolean {
  return part === undefined || (Array.isArray(part) && part.length === 0);
}

function withoutFields(version: CrdVersion, parts: readonly string[]): CrdVersion {
  // Only parts that a version need not have are left out.
  return Object.fromEntries(Object.entries(version).filter(([key]) => !parts.includes(key))) as CrdVersion;
}
