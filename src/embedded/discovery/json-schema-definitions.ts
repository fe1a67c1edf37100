/**
 * The definitions of JSON schemas in CustomResourceDefinitions. `kubectl explain` shows them.
 */

import { definitionName } from './definition-name.ts';
import { type Definitions, type OpenApiSchema, referenceTo } from './openapi-schema.ts';

const nameOf = (name: string) => definitionName(`apiextensions.${name}`);
const refer = (description: string, name: string): OpenApiSchema => ({
  description,
  allOf: [referenceTo(nameOf(name))],
});
const item = (name: string): OpenApiSchema => ({ default: {}, allOf: [referenceTo(nameOf(name))] });

const text = (description: string): OpenApiSchema => ({ description, type: 'string' });
const truth = (description: string): OpenApiSchema => ({ description, type: 'boolean' });
const count = (description: string): OpenApiSchema => ({ description, type: 'integer', format: 'int64' });
const number = (description: string): OpenApiSchema => ({ description, type: 'number', format: 'double' });
const listOf = (description: string, items: OpenApiSchema): OpenApiSchema => ({
  description,
  type: 'array',
  items,
  'x-kubernetes-list-type': 'atomic',
});
const texts = (description: string) => listOf(description, { type: 'string', default: '' });
const schemas = (description: string) => listOf(description, item('JSONSchemaProps'));
const byName = (description: string, values = item('JSONSchemaProps')): OpenApiSchema => ({
  description,
  type: 'object',
  additionalProperties: values,
});

const ANY_JSON = 'JSON';
const neverHere = 'Not allowed in a structural schema.';

const values = {
  default: refer('The value where none is given.', ANY_JSON),
  enum: listOf('The values that are allowed.', referenceTo(nameOf(ANY_JSON))),
  example: refer('An example of a value.', ANY_JSON),
  exclusiveMaximum: truth('Whether maximum itself is too large.'),
  exclusiveMinimum: truth('Whether minimum itself is too small.'),
  format: text('The format of the string or number, such as date-time or int32.'),
  maxItems: count('How many items a list may have.'),
  maxLength: count('How many characters a text may have.'),
  maxProperties: count('How many keys an object may have.'),
  maximum: number('The largest number that is allowed.'),
  minItems: count('How many items a list must have.'),
  minLength: count('How many characters a text must have.'),
  minProperties: count('How many keys an object must have.'),
  minimum: number('The smallest number that is allowed.'),
  multipleOf: number('A number of which the value is a multiple.'),
  nullable: truth('Whether null is allowed.'),
  pattern: text('A regular expression that the string must match.'),
  required: texts('Fields that must be there.'),
  type: text('object, array, string, integer, number or boolean.'),
  uniqueItems: truth(neverHere),
};

const structure = {
  additionalItems: refer(neverHere, 'JSONSchemaPropsOrBool'),
  additionalProperties: refer('The schema of values under free keys.', 'JSONSchemaPropsOrBool'),
  allOf: schemas('Schemas that all fit.'),
  anyOf: schemas('Schemas of which at least one fits.'),
  definitions: byName(neverHere),
  dependencies: byName(neverHere, referenceTo(nameOf('JSONSchemaPropsOrStringArray'))),
  items: refer('The schema of the items of a list.', 'JSONSchemaPropsOrArray'),
  not: refer('A schema that does not fit.', 'JSONSchemaProps'),
  oneOf: schemas('Schemas of which exactly one fits.'),
  patternProperties: byName(neverHere),
  properties: byName('The schemas of fields, by their names.'),
};

const about = {
  $ref: text(neverHere),
  $schema: text('The dialect of the schema.'),
  description: text('The description, which kubectl explain shows.'),
  externalDocs: refer('Where more is written.', 'ExternalDocumentation'),
  id: text(neverHere),
  title: text('A short name of the value.'),
};

const extensions = {
  'x-kubernetes-embedded-resource': truth('Whether the value is an object of Kubernetes itself.'),
  'x-kubernetes-int-or-string': truth('Whether the value is an integer or a string.'),
  'x-kubernetes-list-map-keys': texts('The fields that identify the items of a list of type map.'),
  'x-kubernetes-list-type': text('How lists are merged: atomic, set or map.'),
  'x-kubernetes-map-type': text('How objects are merged: granular or atomic.'),
  'x-kubernetes-preserve-unknown-fields': truth('Whether fields that are not described are kept.'),
  'x-kubernetes-validations': {
    ...listOf('Rules in CEL that the value must fulfil.', item('ValidationRule')),
    'x-kubernetes-list-map-keys': ['rule'],
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-patch-merge-key': 'rule',
    'x-kubernetes-patch-strategy': 'merge',
  },
};

const object = (properties: { readonly [field: string]: OpenApiSchema }): OpenApiSchema => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1))),
});

const shapes: { readonly [name: string]: OpenApiSchema } = {
  JSONSchemaProps: object({ ...about, ...values, ...structure, ...extensions }),
  JSONSchemaPropsOrArray: { description: 'A schema, or a list of them.' },
  JSONSchemaPropsOrBool: { description: 'A schema, or whether any value is allowed.' },
  JSONSchemaPropsOrStringArray: { description: 'A schema, or a list of names.' },
  [ANY_JSON]: { description: 'Any value.' },
  ExternalDocumentation: object({ description: text('What is written there.'), url: text('Where it is.') }),
  ValidationRule: {
    ...object({
      fieldPath: text('The field of the message, relative to the value of the rule.'),
      message: text('The message if the rule fails.'),
      messageExpression: text('The same as an expression, which may name values.'),
      optionalOldSelf: truth('Whether the rule also runs where there is no older value.'),
      reason: {
        ...text('Why the value is refused; FieldValueInvalid unless given.'),
        enum: ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'],
      },
      rule: { ...text('The expression: self is the value, oldSelf the older one.'), default: '' },
    }),
    required: ['rule'],
  },
};

export const jsonSchemaDefinitions: Definitions = new Map(
  Object.entries(shapes).map(([name, schema]) => [nameOf(name), schema]),
);
