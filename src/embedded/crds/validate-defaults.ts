/**
 * Validation of defaults against their schema, because they are set without validation.
 *
 * Defaults in the metadata of an embedded resource are validated by their schema only; kube-apiserver also validates
 * them as ObjectMeta.
 */
import type { Problem } from '../../base/errors.ts';
import { jsonEqual } from '../../base/json.ts';
import { shown } from '../../base/text/index.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { prune, validateDefault } from '../../kubernetes/validation/index.ts';
import { invalid } from '../resources/index.ts';

/** For structural schemas. */
export function defaultProblems(schema: StructuralSchema, path: string): readonly Problem[] {
  const root: StructuralSchema = { ...schema, 'x-kubernetes-embedded-resource': true };
  return walk(root, { path, isRoot: true, isInsideMeta: false });
}

type Location = { readonly path: string; readonly isRoot: boolean; readonly isInsideMeta: boolean };

/** Map values are skipped: they cannot have defaults. */
function walk(schema: StructuralSchema, location: Location): readonly Problem[] {
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  const { path } = location;
  const isInsideMeta = location.isInsideMeta && !isResource;
  return [
    ...ownProblems(schema, { ...location, isInsideMeta, isRoot: location.isRoot || isResource }),
    ...(schema.items === undefined
      ? []
      : walk(schema.items, { path: `${path}.items`, isRoot: false, isInsideMeta })),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      walk(property, {
        path: `${path}.properties[${name}]`,
        isRoot: false,
        isInsideMeta: isInsideMeta || (isResource && META_FIELDS.has(name)),
      }),
    ),
  ];
}

const META_FIELDS: ReadonlySet<string> = new Set(['metadata', 'apiVersion', 'kind']);

function ownProblems(schema: StructuralSchema, { path, isRoot, isInsideMeta }: Location): readonly Problem[] {
  const { default: value } = schema;
  if (value === undefined || value === null) return [];
  const at = `${path}.default`;
  const isPruned = isInsideMeta || jsonEqual(prune(schema, value, { isPart: true }).value, value);
  return [
    ...(isPruned ? [] : [invalid(at, shown(value), 'must not have unknown fields')]),
    ...validateDefault(schema, value, { path: at, isRoot }),
  ];
}
