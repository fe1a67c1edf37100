/**
 * The merge types of `metadata`, which are the same for all objects whatever their schema specifies.
 */
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';

const text: StructuralSchema = { type: 'string' };
const time: StructuralSchema = { type: 'string', format: 'date-time' };
const texts: StructuralSchema = { type: 'object', additionalProperties: text };

const ownerReference: StructuralSchema = {
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  properties: {
    apiVersion: { type: 'string', default: '' },
    blockOwnerDeletion: { type: 'boolean' },
    controller: { type: 'boolean' },
    kind: { type: 'string', default: '' },
    name: { type: 'string', default: '' },
    uid: { type: 'string', default: '' },
  },
};

const managedFieldsEntry: StructuralSchema = {
  type: 'object',
  properties: {
    apiVersion: text,
    fieldsType: text,
    fieldsV1: { type: 'object' },
    manager: text,
    operation: text,
    subresource: text,
    time,
  },
};

export const objectMetaSchema: StructuralSchema = {
  type: 'object',
  properties: {
    annotations: texts,
    creationTimestamp: time,
    deletionGracePeriodSeconds: { type: 'integer' },
    deletionTimestamp: time,
    finalizers: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    generateName: text,
    generation: { type: 'integer' },
    labels: texts,
    managedFields: { type: 'array', items: managedFieldsEntry, 'x-kubernetes-list-type': 'atomic' },
    name: text,
    namespace: text,
    ownerReferences: {
      type: 'array',
      items: ownerReference,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
    },
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
};
