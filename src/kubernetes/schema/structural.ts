/** The structural schema of Kubernetes, as CustomResourceDefinitions contain it. */

export type StructuralSchema = {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly uniqueItems?: boolean;
  readonly required?: readonly string[];
  readonly properties?: { readonly [name: string]: StructuralSchema };
  readonly additionalProperties?: boolean | StructuralSchema;
  readonly items?: StructuralSchema;
  /** Value validations only: Kubernetes allows neither `type` nor new `properties` in them. */
  readonly allOf?: readonly StructuralSchema[];
  readonly anyOf?: readonly StructuralSchema[];
  readonly oneOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  /** How strategic merge patches treat the list or object; only built-in kinds have them. */
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
  /** Of built-in kinds: the Go type, with its package, and whether it is a pointer. See `go-types.ts`. */
  readonly 'x-go-type'?: string;
  readonly 'x-go-pointer'?: boolean;
};

/** One CEL rule. `self` is the value it applies to, `oldSelf` that value before an update. */
export type ValidationRule = {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueForbidden'
    | 'FieldValueDuplicate';
  readonly fieldPath?: string;
  /** With it `oldSelf` is an optional and the rule also runs on create. */
  readonly optionalOldSelf?: boolean;
};
