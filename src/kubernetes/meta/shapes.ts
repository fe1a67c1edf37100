/**
 * Types that kinds of any group share: conditions, label selectors, references to objects, columns.
 */
import {
  dateTime,
  type Infer,
  int64,
  list,
  mapOf,
  named,
  nullable,
  object,
  oneOf,
  required,
  type Schema,
  string,
  struct,
} from '../schema/index.ts';
import type { PrinterColumn } from './kind.ts';

/** The condition of newer kinds (metav1.Condition). */
const condition = object('One aspect of the state of the object.', {
  type: required(
    string('The type of the condition, in CamelCase.', {
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
  message: required(string('The reason for people.', { maxLength: 32768 })),
  lastTransitionTime: required(dateTime('When the status last changed.')),
  observedGeneration: int64('The observed generation of the object.', { minimum: 0 }),
});
export type Condition = Infer<typeof condition>;

export const conditions = (
  description: string,
  limits: { readonly minItems?: number; readonly maxItems?: number } = {},
): Schema<readonly Condition[]> => list(description, condition, { ...limits, list: { map: ['type'] } });

/** The older condition, without limits, in a list that may repeat a type. */
const legacyCondition = object('One aspect of the state of the object.', {
  type: string('The type of the condition, in CamelCase.'),
  status: string('Whether it holds: True, False or Unknown.'),
  reason: string('Why, in a few words.'),
  message: string('The reason for people.'),
  lastTransitionTime: nullable(dateTime('When the status last changed.')),
});
export type LegacyCondition = Infer<typeof legacyCondition>;

export const legacyConditions = (description: string): Schema<readonly LegacyCondition[]> =>
  list(description, legacyCondition, { list: 'atomic' });

export const labelSelector = (description: string) =>
  struct(
    'meta.LabelSelector',
    description,
    {
      matchLabels: mapOf('Labels that an object must have with exactly these values.', string('The value.')),
      matchExpressions: list(
        'Requirements on labels, all of which must hold.',
        struct('meta.LabelSelectorRequirement', 'A requirement on one label.', {
          key: required(string('The label.')),
          operator: required(
            named('meta.LabelSelectorOperator', string('In, NotIn, Exists or DoesNotExist.')),
          ),
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
  uid: named('types.UID', string('The identity of the object.')),
};

export const objectReference = (description: string) =>
  struct('core.ObjectReference', description, objectReferenceFields, { atomic: true });
export type ObjectReference = Infer<ReturnType<typeof objectReference>>;

/** The column with the status of a condition. */
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
