/**
 * CustomResourceDefinition: a custom kind.
 */
import type { ObjectOfKind } from '../meta/index.ts';
import {
  anyObject,
  boolean,
  bytes,
  type Infer,
  int32,
  list,
  named,
  nullable,
  pointer,
  required,
  type Schema,
  type StructuralSchema,
  string,
  struct,
} from '../schema/index.ts';
import { defineBuiltin, statusSubresource } from './builtin.ts';
import { legacyCondition } from './conditions.ts';
import { always, filled, items, strings } from './fields.ts';

/**
 * The schema of the custom kind. JSON schemas are recursive, which no structural schema can express, so it is open here
 * and decoded and validated by other code.
 */
const openAPIV3Schema = named(
  'apiextensions.JSONSchemaProps',
  anyObject('The structural schema of the objects.'),
) as Schema<StructuralSchema>;

const printerColumn = struct('apiextensions.CustomResourceColumnDefinition', 'A column of kubectl get.', {
  name: required(string('Its heading.')),
  type: required(string('string, number, integer, boolean or date.')),
  jsonPath: required(string('The JSON path of its value.')),
  format: string('The form of the value, such as password.'),
  description: string('What it shows.'),
  priority: int32('0 always shows, others only with -o wide.'),
});

const subresources = struct('apiextensions.CustomResourceSubresources', 'The subresources of the objects.', {
  status: struct(
    'apiextensions.CustomResourceSubresourceStatus',
    'Present: the objects have a status subresource.',
    {},
  ),
  scale: struct('apiextensions.CustomResourceSubresourceScale', 'Present: the objects can be scaled.', {
    specReplicasPath: required(string('The JSON path of the desired replicas.')),
    statusReplicasPath: required(string('The JSON path of the observed replicas.')),
    labelSelectorPath: pointer(string('The JSON path of the label selector of the pods.')),
  }),
});

const version = struct(
  'apiextensions.CustomResourceDefinitionVersion',
  'A version in which the kind is served.',
  {
    name: required(string('Its name, such as v1.')),
    served: always(boolean('Whether it is served.')),
    storage: always(boolean('Whether objects are kept in it; true for exactly one.')),
    schema: struct('apiextensions.CustomResourceValidation', 'The shape of the objects.', {
      openAPIV3Schema,
    }),
    subresources,
    additionalPrinterColumns: items('Columns of kubectl get.', printerColumn),
    selectableFields: items(
      'The fields that field selectors support.',
      struct('apiextensions.SelectableField', 'A field.', { jsonPath: required(string('Its JSON path.')) }),
    ),
    deprecated: boolean('Whether clients are warned.'),
    deprecationWarning: pointer(string('The text of the warning.')),
  },
);
export type CustomResourceDefinitionVersion = Infer<typeof version>;

const nameFields = {
  listKind: string('The kind of a list; that of the objects with List behind it unless given.'),
  singular: string('The resource in the singular; the kind in small letters unless given.'),
  shortNames: strings('Short names of the resource.', 'A short name.'),
  categories: strings('Groups of resources that kubectl knows, such as all.', 'A group.'),
};
const plural = string('The resource in the plural, as in paths.');
const kind = string('The kind, in CamelCase.');

const conversion = struct(
  'apiextensions.CustomResourceConversion',
  'How objects are brought from one version to another.',
  {
    strategy: required(
      named(
        'apiextensions.ConversionStrategyType',
        string('None: only apiVersion changes. Webhook: a webhook converts objects.'),
      ),
    ),
    webhook: struct('apiextensions.WebhookConversion', 'The webhook.', {
      conversionReviewVersions: required(
        strings('Versions of ConversionReview that it knows.', 'A version.'),
      ),
      clientConfig: struct('apiextensions.WebhookClientConfig', 'Where it is.', {
        url: pointer(string('Its address, in place of a service.')),
        service: struct('apiextensions.ServiceReference', 'Its service.', {
          namespace: required(string('The namespace of the service.')),
          name: required(string('The name of the service.')),
          path: pointer(string('The path at the service.')),
          port: pointer(int32('The port of the service; 443 unless given.')),
        }),
        caBundle: bytes('The CA certificates that verify it.'),
      }),
    }),
  },
);

const spec = struct('apiextensions.CustomResourceDefinitionSpec', 'The spec of the definition.', {
  group: required(string('Its group.')),
  scope: required(named('apiextensions.ResourceScope', string('Cluster or Namespaced.'))),
  names: always(
    struct('apiextensions.CustomResourceDefinitionNames', 'Its names.', {
      plural: required(plural),
      kind: required(kind),
      ...nameFields,
    }),
  ),
  versions: required(items('Its versions.', version)),
  conversion,
  preserveUnknownFields: boolean('Whether fields without a schema are kept; must be false.'),
});

const status = struct('apiextensions.CustomResourceDefinitionStatus', 'How far the server is with it.', {
  conditions: nullable(
    list(
      'The conditions of the definition.',
      legacyCondition('apiextensions.CustomResourceDefinitionCondition', 'apiextensions.ConditionStatus'),
      { list: { map: ['type'] } },
    ),
  ),
  acceptedNames: filled(
    struct(
      'apiextensions.CustomResourceDefinitionNames',
      'Names in use, which may differ from those wanted where others have them.',
      {
        plural: always(plural),
        kind: always(kind),
        ...nameFields,
      },
    ),
  ),
  storedVersions: nullable(strings('Versions in which objects were ever kept.', 'A version.')),
});

export const customResourceDefinition = defineBuiltin({
  group: 'apiextensions.k8s.io',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  scope: 'Cluster',
  description: 'A custom resource.',
  subresources: [statusSubresource],
  fields: { spec: always(spec), status: filled(status) },
});
export type CustomResourceDefinition = ObjectOfKind<typeof customResourceDefinition>;
