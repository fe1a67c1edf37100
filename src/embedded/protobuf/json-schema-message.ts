/**
 * The message of a JSON schema, as CustomResourceDefinitions hold it. Schemas contain schemas, which no structural schema
 * can express; so this message is written out.
 */
import { type Message, parseMessage } from './message.ts';

export const jsonSchemaProps = (): Message => JSON_SCHEMA_PROPS;

const EXTERNAL_DOCUMENTATION = parseMessage('ExternalDocumentation', '1 description string, 2 url string');

const VALIDATION_RULE = parseMessage(
  'ValidationRule',
  `1 rule string!, 2 message string, 3 messageExpression string, 4 reason ?string, 5 fieldPath string,
    6 optionalOldSelf ?bool`,
);

const JSON_SCHEMA_PROPS: Message = parseMessage(
  'JSONSchemaProps',
  `1 id string, 2 $schema string, 3 $ref ?string, 4 description string, 5 type string, 6 format string,
    7 title string, 8 default ?json, 9 maximum ?double, 10 exclusiveMaximum bool, 11 minimum ?double,
    12 exclusiveMinimum bool, 13 maxLength ?long, 14 minLength ?long, 15 pattern string,
    16 maxItems ?long, 17 minItems ?long, 18 uniqueItems bool, 19 multipleOf ?double, 20 enum [json],
    21 maxProperties ?long, 22 minProperties ?long, 23 required [string], 24 items ?schemaOrSchemas,
    25 allOf [JSONSchemaProps], 26 oneOf [JSONSchemaProps], 27 anyOf [JSONSchemaProps],
    28 not ?JSONSchemaProps, 29 properties {JSONSchemaProps}, 30 additionalProperties ?schemaOrBool,
    31 patternProperties {JSONSchemaProps}, 32 dependencies {schemaOrTexts},
    33 additionalItems ?schemaOrBool, 34 definitions {JSONSchemaProps},
    35 externalDocs ?ExternalDocumentation, 36 example ?json, 37 nullable bool,
    38 x-kubernetes-preserve-unknown-fields ?bool, 39 x-kubernetes-embedded-resource bool,
    40 x-kubernetes-int-or-string bool, 41 x-kubernetes-list-map-keys [string],
    42 x-kubernetes-list-type ?string, 43 x-kubernetes-map-type ?string,
    44 x-kubernetes-validations [ValidationRule]`,
  {
    JSONSchemaProps: jsonSchemaProps,
    ExternalDocumentation: () => EXTERNAL_DOCUMENTATION,
    ValidationRule: () => VALIDATION_RULE,
  },
);
