/**
 * Fields that logic (`allOf` etc.) at the root of a schema mentions must also be specified outside of it.
 * kube-apiserver checks only the logic at the root.
 */
import type { Problem } from '../../base/errors.ts';
import { required } from '../resources/index.ts';
import { itemsOf, propertyOf, type SchemaProps } from './crd.ts';

export function completenessProblems(schema: SchemaProps, path: string): readonly Problem[] {
  return missingProblems(schema, { logic: schema, path, logicPath: path });
}

type Completeness = {
  readonly logic: SchemaProps;
  readonly path: string;
  readonly logicPath: string;
};

function missingProblems(
  schema: SchemaProps | undefined,
  { logic, path, logicPath }: Completeness,
): readonly Problem[] {
  if (schema === undefined) return [required(path, `because it is defined in ${logicPath}`)];
  const { allOf = [], anyOf = [], oneOf = [], not } = logic;
  const branches: readonly (readonly [SchemaProps, string])[] = [
    ...(not === undefined ? [] : ([[not, 'not']] as const)),
    ...allOf.map((branch, index) => [branch, `allOf[${index}]`] as const),
    ...anyOf.map((branch, index) => [branch, `anyOf[${index}]`] as const),
    ...oneOf.map((branch, index) => [branch, `oneOf[${index}]`] as const),
  ];
  return branches.flatMap(([branch, name]) =>
    missingInside(schema, { logic: branch, path, logicPath: `${logicPath}.${name}` }),
  );
}

function missingInside(
  schema: SchemaProps | undefined,
  { logic, path, logicPath }: Completeness,
): readonly Problem[] {
  if (schema === undefined) return [required(path, `because it is defined in ${logicPath}`)];
  const items = itemsOf(logic);
  return [
    ...missingProblems(schema, { logic, path, logicPath }),
    ...(items === undefined
      ? []
      : missingInside(itemsOf(schema), {
          logic: items,
          path: `${path}.items`,
          logicPath: `${logicPath}.items`,
        })),
    ...Object.entries(logic.properties ?? {}).flatMap(([name, property]) =>
      missingInside(propertyOf(schema, name), {
        logic: property,
        path: `${path}.properties[${name}]`,
        logicPath: `${logicPath}.properties[${name}]`,
      }),
    ),
  ];
}
