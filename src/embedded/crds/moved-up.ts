/**
 * The specification as the server holds it inside: what all versions have alike stands once at the top and not in the
 * versions. Clients never see that form, but messages name fields by their place in it, so that most schemas are
 * complained of at `spec.validation` rather than at `spec.versions[0].schema`.
 */
import { jsonEqual } from '../../base/json.ts';
import { type SchemaProps, type Spec, schemaPropsOf, type Version } from './definition.ts';

export type InternalSpec = {
  readonly spec: Spec;
  /** Without what stands at the top. */
  readonly versions: readonly Version[];
  readonly top: TopParts;
};

/** What all versions have alike, whichever of these that is. */
export type TopParts = Partial<
  Pick<Version, 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'>
>;

const PARTS = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

export function movedUp(spec: Spec): InternalSpec {
  const [first, ...others] = spec.versions;
  if (first === undefined) return { spec, versions: [], top: {} };
  const alike = PARTS.filter((part) => others.every((other) => isSame(first[part], other[part])));
  const top: TopParts = Object.fromEntries(
    alike.flatMap((part) => (isEmpty(first[part]) ? [] : [[part, first[part]]])),
  );
  return { spec, top, versions: spec.versions.map((version) => withoutParts(version, alike)) };
}

export function topSchemaOf({ top, versions }: InternalSpec): SchemaProps | undefined {
  const [version] = versions;
  return version && schemaPropsOf({ ...version, ...top });
}

/** Nothing and an empty list are the same here. */
function isSame(left: unknown, right: unknown): boolean {
  return (isEmpty(left) && isEmpty(right)) || jsonEqual(left, right);
}

function isEmpty(part: unknown): boolean {
  return part === undefined || (Array.isArray(part) && part.length === 0);
}

function withoutParts(version: Version, parts: readonly string[]): Version {
  // Only parts that a version need not have are left out.
  return Object.fromEntries(Object.entries(version).filter(([key]) => !parts.includes(key))) as Version;
}
