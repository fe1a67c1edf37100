/**
 * Typed views of a CRD.
 */

import { isObject, type JsonObject, own } from '../../base/json.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from '../../kubernetes/types/index.ts';

export type Crd = CustomResourceDefinition;
export type CrdVersion = CustomResourceDefinitionVersion;
export type CrdSpec = Crd['spec'];
export type CrdNames = CrdSpec['names'];
type Status = NonNullable<Crd['status']>;
type Condition = NonNullable<Status['conditions']>[number];
export type ScalePaths = NonNullable<NonNullable<CrdVersion['subresources']>['scale']>;

/** The object was decoded by the CRD strategy. */
export function toCrd(object: JsonObject): Crd {
  // Decoding has validated every field against the schema that the type is derived from.
  return object as unknown as Crd;
}

export function crdToObject(crd: Crd): JsonObject {
  return crd as unknown as JsonObject;
}

/** All fields of `JSONSchemaProps`, including those that validation rejects. */
export type SchemaProps = Omit<
  StructuralSchema,
  | 'type'
  | 'items'
  | 'properties'
  | 'additionalProperties'
  | 'allOf'
  | 'anyOf'
  | 'oneOf'
  | 'not'
  | 'x-kubernetes-list-type'
  | 'x-kubernetes-map-type'
  | 'x-kubernetes-validations'
> & {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly type?: string;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly items?: SchemaProps | readonly SchemaProps[];
  readonly properties?: { readonly [name: string]: SchemaProps };
  readonly additionalProperties?: boolean | SchemaProps;
  readonly allOf?: readonly SchemaProps[];
  readonly anyOf?: readonly SchemaProps[];
  readonly oneOf?: readonly SchemaProps[];
  readonly not?: SchemaProps;
  readonly patternProperties?: { readonly [name: string]: SchemaProps };
  readonly definitions?: { readonly [name: string]: SchemaProps };
  readonly dependencies?: { readonly [name: string]: unknown };
  readonly additionalItems?: boolean | SchemaProps;
  readonly externalDocs?: { readonly description?: string; readonly url?: string };
  readonly example?: unknown;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly RuleProps[];
};

export type RuleProps = {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
};

/** The schema of a version before it is validated. */
export function schemaPropsOf(version: CrdVersion): SchemaProps | undefined {
  // Decoding has validated the types of all fields, but not their values.
  return version.schema?.openAPIV3Schema as SchemaProps | undefined;
}

/** A schema that was validated as structural. */
export function structural(schema: SchemaProps): StructuralSchema {
  return schema as StructuralSchema;
}

/** The schema of the items; a list of schemas is rejected elsewhere. */
export function itemsOf(schema: SchemaProps): SchemaProps | undefined {
  const { items } = schema;
  return items === undefined || Array.isArray(items) ? undefined : (items as SchemaProps);
}

export function additionalSchemaOf(schema: SchemaProps): SchemaProps | undefined {
  const { additionalProperties } = schema;
  return isObject(additionalProperties) ? (additionalProperties as SchemaProps) : undefined;
}

/** Own keys only: a property may be called `constructor`. */
export function propertyOf(schema: SchemaProps, name: string): SchemaProps | undefined {
  const { properties } = schema;
  return properties === undefined ? undefined : (own(properties, name) as SchemaProps | undefined);
}

export function conditionOf(crd: Crd, type: string): Condition | undefined {
  return crd.status?.conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(crd: Crd, type: string): boolean {
  return conditionOf(crd, type)?.status === 'True';
}
