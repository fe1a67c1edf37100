/**
 * Fields of definitions of custom resources, and of admission policies.
 * How to read them is said in `field-table.ts`.
 */
import type { FieldTable } from './field-table.ts';

export const EXTENSION_FIELDS: FieldTable = {
  AuditAnnotation: '1 key string!, 2 valueExpression string!',
  CustomResourceColumnDefinition: `
    1 name string!, 2 type string!, 3 format string, 4 description string, 5 priority int,
    6 jsonPath string!`,
  CustomResourceConversion: '1 strategy string!, 2 webhook ?WebhookConversion',
  CustomResourceDefinition: `
    1 metadata ObjectMeta, 2 spec CustomResourceDefinitionSpec!,
    3 status CustomResourceDefinitionStatus`,
  CustomResourceDefinitionCondition: `
    1 type string!, 2 status string!, 3 lastTransitionTime time, 4 reason string, 5 message string`,
  CustomResourceDefinitionNames: `
    1 plural string!, 2 singular string, 3 shortNames [string], 4 kind string!, 5 listKind string,
    6 categories [string]`,
  CustomResourceDefinitionSpec: `
    1 group string!, 3 names CustomResourceDefinitionNames!, 4 scope string!,
    7 versions [CustomResourceDefinitionVersion]!, 9 conversion ?CustomResourceConversion,
    10 preserveUnknownFields bool`,
  CustomResourceDefinitionStatus: `
    1 conditions [CustomResourceDefinitionCondition]!, 2 acceptedNames CustomResourceDefinitionNames!,
    3 storedVersions [string]!`,
  CustomResourceDefinitionVersion: `
    1 name string!, 2 served bool!, 3 storage bool!, 7 deprecated bool, 8 deprecationWarning ?string,
    4 schema ?CustomResourceValidation, 5 subresources ?CustomResourceSubresources,
    6 additionalPrinterColumns [CustomResourceColumnDefinition], 9 selectableFields [SelectableField]`,
  CustomResourceSubresourceScale: `
    1 specReplicasPath string!, 2 statusReplicasPath string!, 3 labelSelectorPath ?string`,
  CustomResourceSubresourceStatus: '',
  CustomResourceSubresources: `
    1 status ?CustomResourceSubresourceStatus, 2 scale ?CustomResourceSubresourceScale`,
  CustomResourceValidation: '1 openAPIV3Schema ?JSONSchemaProps',
  ExpressionWarning: '2 fieldRef string!, 3 warning string!',
  ExternalDocumentation: '1 description string, 2 url string',
  JSONSchemaProps: `
    1 id string, 2 $schema string, 3 $ref ?string, 4 description string, 5 type string, 6 format string,
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
  MatchCondition: '1 name string!, 2 expression string!',
  MatchResources: `
    1 namespaceSelector ?LabelSelector, 2 objectSelector ?LabelSelector,
    3 resourceRules [NamedRuleWithOperations], 4 excludeResourceRules [NamedRuleWithOperations],
    7 matchPolicy ?string`,
  NamedRuleWithOperations: '1 resourceNames [string], 2 ...RuleWithOperations',
  ParamKind: '1 apiVersion string, 2 kind string',
  ParamRef: '1 name string, 2 namespace string, 3 selector ?LabelSelector, 4 parameterNotFoundAction ?string',
  Rule: '1 apiGroups [string], 2 apiVersions [string], 3 resources [string], 4 scope ?string',
  RuleWithOperations: '1 operations [string], 2 ...Rule',
  SelectableField: '1 jsonPath string!',
  ServiceReference: '1 namespace string!, 2 name string!, 3 path ?string, 4 port ?int',
  TypeChecking: '1 expressionWarnings [ExpressionWarning]',
  ValidatingAdmissionPolicy: `
    1 metadata ObjectMeta, 2 spec ValidatingAdmissionPolicySpec,
    3 status ValidatingAdmissionPolicyStatus`,
  ValidatingAdmissionPolicyBinding: '1 metadata ObjectMeta, 2 spec ValidatingAdmissionPolicyBindingSpec',
  ValidatingAdmissionPolicyBindingSpec: `
    1 policyName string, 2 paramRef ?ParamRef, 3 matchResources ?MatchResources,
    4 validationActions [string]`,
  ValidatingAdmissionPolicySpec: `
    1 paramKind ?ParamKind, 2 matchConstraints ?MatchResources, 3 validations [Validation],
    4 failurePolicy ?string, 5 auditAnnotations [AuditAnnotation], 6 matchConditions [MatchCondition],
    7 variables [Variable]`,
  ValidatingAdmissionPolicyStatus: `
    1 observedGeneration long, 2 typeChecking ?TypeChecking, 3 conditions [Condition]`,
  Validation: '1 expression string!, 2 message string, 3 reason ?string, 4 messageExpression string',
  ValidationRule: `
    1 rule string!, 2 message string, 3 messageExpression string, 4 reason ?string, 5 fieldPath string,
    6 optionalOldSelf ?bool`,
  Variable: '1 name string!, 2 expression string!',
  WebhookClientConfig: '3 url ?string, 1 service ?ServiceReference, 2 caBundle bytes',
  WebhookConversion: '2 clientConfig ?WebhookClientConfig, 3 conversionReviewVersions [string]!',
};
