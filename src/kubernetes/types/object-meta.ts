/**
 * The metadata of built-in kinds.
 */
import type { ObjectMeta } from '../meta/index.ts';
import {
  anyObject,
  boolean,
  dateTime,
  int64,
  list,
  named,
  pointer,
  required,
  type Schema,
  string,
  struct,
} from '../schema/index.ts';
import { items, keyed, nullableTime, patched, stringMap } from './fields.ts';

const ownerReference = struct(
  'meta.OwnerReference',
  'An object that this one belongs to.',
  {
    apiVersion: required(string('The group and version of the owner.')),
    kind: required(string('The kind of the owner.')),
    name: required(string('The name of the owner.')),
    uid: required(named('types.UID', string('The identity of the owner.'))),
    controller: pointer(boolean('Whether this owner is the one that manages the object.')),
    blockOwnerDeletion: pointer(boolean('Whether a foreground deletion of the owner waits for this object.')),
  },
  { atomic: true },
);

const managedFieldsEntry = struct('meta.ManagedFieldsEntry', 'Which fields one writer owns.', {
  manager: string('The name of the writer.'),
  operation: named('meta.ManagedFieldsOperationType', string('Apply or Update.')),
  apiVersion: string('The version of the object in which the fields are named.'),
  time: dateTime('When this entry last changed.'),
  fieldsType: string('The form of the fields; FieldsV1 is the only one.'),
  fieldsV1: named('meta.FieldsV1', anyObject('The fields as a tree of their names.')),
  subresource: string('The subresource that was written, such as status.'),
});

const objectMetaShape = struct('meta.ObjectMeta', 'The metadata of the object.', {
  name: string('Unique within the kind and namespace; cannot be changed.'),
  generateName: string('The beginning of a name that the server completes where none was given.'),
  namespace: string('The namespace of the object; empty for kinds without one.'),
  uid: named('types.UID', string('The identity of the object; another object of the same name has another.')),
  resourceVersion: string('Changes with every write; an update that names an older one is refused.'),
  generation: int64('A sequence number of the desired state.'),
  creationTimestamp: nullableTime('When the object was created.'),
  deletionTimestamp: dateTime('When the object is removed, once its deletion was requested.'),
  deletionGracePeriodSeconds: pointer(int64('How long the object has to end in order.')),
  labels: stringMap('Short values by which objects are selected.'),
  annotations: stringMap('Values for tools and people.'),
  ownerReferences: keyed(
    'The owners of this object; it is deleted when all of them are gone.',
    ownerReference,
    ['uid'],
  ),
  finalizers: patched(
    list('Tasks that must complete before a deleted object is removed.', string('Who does it.'), {
      list: 'set',
    }),
    { strategy: 'merge' },
  ),
  managedFields: items('Who wrote which fields.', managedFieldsEntry),
  selfLink: string('No longer filled in.'),
});

/** The metadata of a template, which has no name. */
export const templateMeta: Schema<Partial<ObjectMeta>> = objectMetaShape;

/**
 * The metadata of an object. The published schema does not require a name, because the server may generate one from
 * `generateName`; every object that is read has one, and so does the type.
 */
export const objectMeta = objectMetaShape as Schema<ObjectMeta>;
