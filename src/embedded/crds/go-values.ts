/**
 * Parts of a CRD in Go's `%#v` format: messages of kube-apiserver quote its structs.
 *
 * Go prints the address of a pointer, which differs from run to run; ours is constant.
 */
import { compareBytes } from '../../base/json.ts';
import { literal, quoted } from '../../base/text/index.ts';
import { goStrings } from '../resources/index.ts';
import type { CrdVersion, RuleProps, SchemaProps } from './crd.ts';

const ADDRESS = '0xc000000000';

export function goRule(rule: RuleProps): string {
  return struct('ValidationRule', [
    ['Rule', quoted(rule.rule)],
    ['Message', quoted(rule.message ?? '')],
    ['MessageExpression', quoted(rule.messageExpression ?? '')],
    ['Reason', pointer('apiextensions.FieldValueErrorReason', rule.reason)],
    ['FieldPath', quoted(rule.fieldPath ?? '')],
    ['OptionalOldSelf', pointer('bool', rule.optionalOldSelf)],
  ]);
}

/** Versions without the fields that the internal form has at the top level. */
export function goVersions(versions: readonly CrdVersion[]): string {
  const printed = versions.map((version) =>
    struct('CustomResourceDefinitionVersion', [
      ['Name', quoted(version.name)],
      ['Served', String(version.served)],
      ['Storage', String(version.storage)],
      ['Deprecated', String(version.deprecated ?? false)],
      ['DeprecationWarning', pointer('string', version.deprecationWarning)],
      ['Schema', pointer('apiextensions.CustomResourceValidation', version.schema)],
      ['Subresources', pointer('apiextensions.CustomResourceSubresources', version.subresources)],
      ['AdditionalPrinterColumns', columns(version)],
      ['SelectableFields', selectableFields(version)],
    ]),
  );
  return slice('[]apiextensions.CustomResourceDefinitionVersion', printed);
}

/** `items` that is a list. */
export function goSchemaList(schemas: readonly SchemaProps[]): string {
  return struct('JSONSchemaPropsOrArray', [
    ['Schema', pointer('apiextensions.JSONSchemaProps', undefined)],
    ['JSONSchemas', slice('[]apiextensions.JSONSchemaProps', schemas.map(goSchema))],
  ]);
}

export function goSchema(schema: SchemaProps): string {
  return struct(
    'JSONSchemaProps',
    SCHEMA_FIELDS.map(([name, print]) => [name, print(schema)] as const),
  );
}

type Print = (schema: SchemaProps) => string;

const text =
  (key: 'id' | '$schema' | 'description' | 'type' | 'format' | 'title' | 'pattern'): Print =>
  (schema) =>
    quoted(schema[key] ?? '');
const flag =
  (
    key:
      | 'nullable'
      | 'exclusiveMaximum'
      | 'exclusiveMinimum'
      | 'uniqueItems'
      | 'x-kubernetes-embedded-resource'
      | 'x-kubernetes-int-or-string',
  ): Print =>
  (schema) =>
    String(schema[key] ?? false);
const pointed =
  (type: string, key: keyof SchemaProps): Print =>
  (schema) =>
    pointer(type, schema[key]);
const schemas =
  (key: 'allOf' | 'oneOf' | 'anyOf'): Print =>
  (schema) =>
    slice('[]apiextensions.JSONSchemaProps', schema[key]?.map(goSchema));
const named =
  (type: string, key: 'properties' | 'patternProperties' | 'definitions'): Print =>
  ({ [key]: map }) => {
    if (map === undefined) return `${type}(nil)`;
    const keys = Object.keys(map).sort(compareBytes);
    return `${type}{${keys.map((name) => `${quoted(name)}:${goSchema(map[name] ?? {})}`).join(', ')}}`;
  };

const SCHEMA_FIELDS: readonly (readonly [string, Print])[] = [
  ['ID', text('id')],
  ['Schema', text('$schema')],
  ['Ref', pointed('string', '$ref')],
  ['Description', text('description')],
  ['Type', text('type')],
  ['Nullable', flag('nullable')],
  ['Format', text('format')],
  ['Title', text('title')],
  ['Default', pointed('apiextensions.JSON', 'default')],
  ['Maximum', pointed('float64', 'maximum')],
  ['ExclusiveMaximum', flag('exclusiveMaximum')],
  ['Minimum', pointed('float64', 'minimum')],
  ['ExclusiveMinimum', flag('exclusiveMinimum')],
  ['MaxLength', pointed('int64', 'maxLength')],
  ['MinLength', pointed('int64', 'minLength')],
  ['Pattern', text('pattern')],
  ['MaxItems', pointed('int64', 'maxItems')],
  ['MinItems', pointed('int64', 'minItems')],
  ['UniqueItems', flag('uniqueItems')],
  ['MultipleOf', pointed('float64', 'multipleOf')],
  ['Enum', (schema) => slice('[]apiextensions.JSON', schema.enum?.map(literal))],
  ['MaxProperties', pointed('int64', 'maxProperties')],
  ['MinProperties', pointed('int64', 'minProperties')],
  ['Required', (schema) => goStrings(schema.required)],
  ['Items', pointed('apiextensions.JSONSchemaPropsOrArray', 'items')],
  ['AllOf', schemas('allOf')],
  ['OneOf', schemas('oneOf')],
  ['AnyOf', schemas('anyOf')],
  ['Not', pointed('apiextensions.JSONSchemaProps', 'not')],
  ['Properties', named('map[string]apiextensions.JSONSchemaProps', 'properties')],
  ['AdditionalProperties', pointed('apiextensions.JSONSchemaPropsOrBool', 'additionalProperties')],
  ['PatternProperties', named('map[string]apiextensions.JSONSchemaProps', 'patternProperties')],
  ['Dependencies', pointedMap('apiextensions.JSONSchemaDependencies')],
  ['AdditionalItems', pointed('apiextensions.JSONSchemaPropsOrBool', 'additionalItems')],
  ['Definitions', named('apiextensions.JSONSchemaDefinitions', 'definitions')],
  ['ExternalDocs', pointed('apiextensions.ExternalDocumentation', 'externalDocs')],
  ['Example', pointed('apiextensions.JSON', 'example')],
  ['XPreserveUnknownFields', pointed('bool', 'x-kubernetes-preserve-unknown-fields')],
  ['XEmbeddedResource', flag('x-kubernetes-embedded-resource')],
  ['XIntOrString', flag('x-kubernetes-int-or-string')],
  ['XListMapKeys', (schema) => goStrings(schema['x-kubernetes-list-map-keys'])],
  ['XListType', pointed('string', 'x-kubernetes-list-type')],
  ['XMapType', pointed('string', 'x-kubernetes-map-type')],
  [
    'XValidations',
    (schema) => slice('apiextensions.ValidationRules', schema['x-kubernetes-validations']?.map(goRule)),
  ],
];

/** The set fields of a schema, in the order of the struct. */
export function setFieldsOf(schema: SchemaProps): readonly string[] {
  const empty = new Map(SCHEMA_FIELDS.map(([name, print]) => [name, print({})]));
  return SCHEMA_FIELDS.filter(([name, print]) => print(schema) !== empty.get(name)).map(([name]) => name);
}

function pointedMap(type: string): Print {
  return ({ dependencies }) => {
    if (dependencies === undefined) return `${type}(nil)`;
    return `${type}{${Object.keys(dependencies).sort(compareBytes).map(quoted).join(', ')}}`;
  };
}

function columns({ additionalPrinterColumns }: CrdVersion): string {
  const printed = additionalPrinterColumns?.map((column) =>
    struct('CustomResourceColumnDefinition', [
      ['Name', quoted(column.name)],
      ['Type', quoted(column.type)],
      ['Format', quoted(column.format ?? '')],
      ['Description', quoted(column.description ?? '')],
      ['Priority', String(column.priority ?? 0)],
      ['JSONPath', quoted(column.jsonPath)],
    ]),
  );
  return slice('[]apiextensions.CustomResourceColumnDefinition', printed);
}

function selectableFields({ selectableFields: fields }: CrdVersion): string {
  const printed = fields?.map(({ jsonPath }) => struct('SelectableField', [['JSONPath', quoted(jsonPath)]]));
  return slice('[]apiextensions.SelectableField', printed);
}

function struct(name: string, fields: readonly (readonly [string, string])[]): string {
  return `apiextensions.${name}{${fields.map(([field, value]) => `${field}:${value}`).join(', ')}}`;
}

function slice(type: string, items: readonly string[] | undefined): string {
  return items === undefined ? `${type}(nil)` : `${type}{${items.join(', ')}}`;
}

function pointer(type: string, value: unknown): string {
  return `(*${type})(${value === undefined ? 'nil' : ADDRESS})`;
}
