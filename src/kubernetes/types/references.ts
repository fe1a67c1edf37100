/**
 * References to objects or to parts of them.
 *
 * `ObjectReference` and `LabelSelector` are shared with our own kinds and come from `kubernetes/meta`.
 */
import { boolean, nullable, pointer, required, string, struct } from '../schema/index.ts';
import { quantity } from './fields.ts';

/** An object of a known kind in the same namespace. An empty name refers to nothing. */
export const localReference = (description: string) =>
  struct('core.LocalObjectReference', description, { name: string('Its name.') }, { atomic: true });

/** One key of a ConfigMap or Secret in the same namespace. */
export const keyReference = (goType: string, description: string) =>
  struct(
    goType,
    description,
    {
      name: string('The name of the object.'),
      key: required(string('The key in it.')),
      optional: pointer(boolean('Whether object and key may be missing.')),
    },
    { atomic: true },
  );

export const fieldReference = (description: string) =>
  struct(
    'core.ObjectFieldSelector',
    description,
    {
      fieldPath: required(string('The path of the field, such as metadata.name.')),
      apiVersion: string('The version of the object that the path is written for; v1 unless given.'),
    },
    { atomic: true },
  );

export const resourceFieldReference = (description: string) =>
  struct(
    'core.ResourceFieldSelector',
    description,
    {
      resource: required(string('The amount, such as limits.cpu.')),
      containerName: string('Of which container, where that is not clear.'),
      divisor: quantity('The unit in which the amount is given; 1 unless given.'),
    },
    { atomic: true },
  );

/** An object of any kind in the same namespace. */
export const typedLocalReference = (description: string) =>
  struct('core.TypedLocalObjectReference', description, typedReferenceFields, { atomic: true });

/** An object of any kind, also in another namespace. */
export const typedReference = (description: string) =>
  struct('core.TypedObjectReference', description, {
    ...typedReferenceFields,
    namespace: pointer(string('The namespace of the object, where it is another.')),
  });

const typedReferenceFields = {
  apiGroup: nullable(pointer(string('The group of the object; none means the core group.'))),
  kind: required(string('The kind of the object.')),
  name: required(string('The name of the object.')),
};
