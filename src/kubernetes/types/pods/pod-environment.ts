/**
 * The environment variables of a container, and where their values come from.
 */
import { boolean, type Infer, object, required, type Schema, string } from '../../schema/index.ts';
import { items, keyed } from '../fields.ts';
import { fieldReference, keyReference, resourceFieldReference } from '../references.ts';

const envVarShape = object('One variable.', {
  name: required(string('Its name.')),
  value: string('Its value, in which $(NAME) stands for an earlier variable.'),
  valueFrom: object('Where its value comes from, in place of value.', {
    configMapKeyRef: keyReference('From a ConfigMap.'),
    secretKeyRef: keyReference('From a Secret.'),
    fieldRef: fieldReference('From a field of the pod.'),
    resourceFieldRef: resourceFieldReference('From the requests and limits of a container.'),
  }),
});
type EnvVar = {
  readonly [Field in keyof Infer<typeof envVarShape>]: Infer<typeof envVarShape>[Field];
};
const envVar: Schema<EnvVar> = envVarShape;

const wholeObject = (description: string) =>
  object(description, {
    name: string('The name of the object.'),
    optional: boolean('Whether the object may be missing.'),
  });

export const env = keyed('Environment variables.', envVar, ['name']);

export const envFrom = items(
  'Objects of which every key becomes a variable; variables in env win, then the last object.',
  object('One object.', {
    prefix: string('What stands before each key.'),
    configMapRef: wholeObject('A ConfigMap.'),
    secretRef: wholeObject('A Secret.'),
  }),
);
