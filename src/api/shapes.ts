/**
 * Shapes that several kinds share: names, images, references, conditions, selectors, columns.
 */
import {
  dateTime,
  type Infer,
  int64,
  list,
  mapOf,
  nullable,
  object,
  oneOf,
  required,
  type Schema,
  string,
} from '../schema/index.ts';
import type { PrinterColumn } from './kind.ts';
import {
  digestSuffix,
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  imageName,
  streamName,
  taggedImage,
} from './rules.ts';

/** The name of a pool, node, MachineConfig or Secret. */
export const objectName = (
  description: string,
  limits: { readonly minLength?: number } = {},
): Schema<string> => string(description, { ...limits, maxLength: 253, rules: [dnsSubdomain] });

/** A reference by name alone, where the field says of which kind. */
export const nameReference = (description: string, limits: { readonly minLength?: number } = {}) =>
  object(description, { name: required(objectName('Its name.', limits)) });

export const streamNameOf = (description: string): Schema<string> =>
  string(description, { minLength: 1, maxLength: 253, rules: [streamName] });

/** How long the name of an image may be, whether by digest or by tag. */
export const imageLengths = { minLength: 1, maxLength: 447 } as const;

/** An image that can be pulled and cannot change: `host[:port][/namespace]/name@sha256:<digest>`. */
export const digestPullSpec = (description: string): Schema<string> =>
  string(description, { ...imageLengths, rules: [digestSuffix, imageName] });

/** A place to push an image to: `host[:port][/namespace]/name:<tag>`. */
export const tagPushSpec = (description: string): Schema<string> =>
  string(description, { ...imageLengths, rules: [taggedImage] });

/** The condition that newer kinds use, which Kubernetes defines for all (metav1.Condition). */
export const condition = object('One thing that is true of the object, or is not, and why.', {
  type: required(
    string('What it is about, in CamelCase.', {
      maxLength: 316,
      pattern:
        '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
    }),
  ),
  status: required(oneOf('Whether it holds.', ['True', 'False', 'Unknown'])),
  reason: required(
    string('Why, in one CamelCase word that programs can compare.', {
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    }),
  ),
  message: required(string('Why, in a sentence for people.', { maxLength: 32768 })),
  lastTransitionTime: required(dateTime('When the status last changed.')),
  observedGeneration: int64('The generation of the object for which this was said.', { minimum: 0 }),
});
export type Condition = Infer<typeof condition>;

export const conditions = (
  description: string,
  limits: { readonly minItems?: number; readonly maxItems?: number } = {},
): Schema<readonly Condition[]> => list(description, condition, { ...limits, list: { map: ['type'] } });

/** The older condition, without limits, in a list that may repeat a type. */
export const legacyCondition = object('One thing that is true of the object, or is not, and why.', {
  type: string('What it is about, in CamelCase.'),
  status: string('Whether it holds: True, False or Unknown.'),
  reason: string('Why, in a few words.'),
  message: string('Why, in a sentence for people.'),
  lastTransitionTime: nullable(dateTime('When the status last changed.')),
});
export type LegacyCondition = Infer<typeof legacyCondition>;

export const legacyConditions = (description: string): Schema<readonly LegacyCondition[]> =>
  list(description, legacyCondition, { list: 'atomic' });

export const labelSelector = (description: string) =>
  object(
    description,
    {
      matchLabels: mapOf('Labels that an object must carry with exactly these values.', string('The value.')),
      matchExpressions: list(
        'Demands on labels, all of which must hold.',
        object('One demand on one label.', {
          key: required(string('The label.')),
          operator: required(string('In, NotIn, Exists or DoesNotExist.')),
          values: list('The values for In and NotIn; none for the others.', string('A value.'), {
            list: 'atomic',
          }),
        }),
        { list: 'atomic' },
      ),
    },
    { atomic: true },
  );
export type LabelSelector = Infer<ReturnType<typeof labelSelector>>;

/** The fields of a reference to any object (corev1.ObjectReference). */
export const objectReferenceFields = {
  apiVersion: string('The group and version of the object.'),
  kind: string('The kind of the object.'),
  name: string('The name of the object.'),
  namespace: string('The namespace of the object.'),
  fieldPath: string('A part of the object, where not all of it is meant.'),
  resourceVersion: string('The version of the object that was seen.'),
  uid: string('The identity of the object.'),
};

export const objectReference = (description: string) =>
  object(description, objectReferenceFields, { atomic: true });
export type ObjectReference = Infer<ReturnType<typeof objectReference>>;

/** A reference by group and resource, which builds use for what they made. */
export const resourceReference = (description: string) =>
  object(description, {
    group: required(objectName('The API group of the object.')),
    resource: required(
      string('The resource of the object, in the plural, such as jobs.', {
        minLength: 1,
        maxLength: 63,
        rules: [dns1035Label],
      }),
    ),
    namespace: string('The namespace of the object, where it has one.', {
      minLength: 1,
      maxLength: 63,
      rules: [dnsLabel],
    }),
    name: required(objectName('The name of the object.', { minLength: 1 })),
  });
export type ResourceReference = Infer<ReturnType<typeof resourceReference>>;

/** The column that shows whether a condition holds. */
export function conditionColumn(
  type: string,
  options: { readonly name?: string; readonly priority?: number } = {},
): PrinterColumn {
  return {
    name: options.name ?? type,
    type: 'string',
    jsonPath: `.status.conditions[?(@.type=="${type}")].status`,
    ...(options.priority === undefined ? {} : { priority: options.priority }),
  };
}

export const ageColumn: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
};
