/**
 * The environment variables of a container.
 */
import { boolean, type Infer, pointer, required, type Schema, string, struct } from '../../schema/index.ts';
import { items, keyed } from '../fields.ts';
import { fieldReference, keyReference, resourceFieldReference } from '../references.ts';

const envVarShape = struct('core.EnvVar', 'One variable.', {
  name: required(string('Its name.')),
  value: string('Its value, in which $(NAME) expands to an earlier variable.'),
  valueFrom: struct('core.EnvVarSource', 'Where its value comes from, in place of value.', {
    configMapKeyRef: keyReference('core.ConfigMapKeySelector', 'From a ConfigMap.'),
    secretKeyRef: keyReference('core.SecretKeySelector', 'From a Secret.'),
    fieldRef: fieldReference('From a field of the pod.'),
    resourceFieldRef: resourceFieldReference('From the requests and limits of a container.'),
  }),
});
type EnvVar = {
  readonly [Field in keyof Infer<typeof envVarShape>]: Infer<typeof envVarShape>[Field];
};
const envVar: Schema<EnvVar> = envVarShape;

const wholeObject = (goType: string, description: string) =>
  struct(goType, description, {
    name: string('The name of the object.'),
    optional: pointer(boolean('Whether the object may be missing.')),
  });

export const env = keyed('Environment variables.', envVar, ['name']);

export const envFrom = items(
  'Objects of which every key becomes a variable; variables in env win, then the last object.',
  struct('core.EnvFromSource', 'One object.', {
    prefix: string('A prefix for each key.'),
    configMapRef: wholeObject('core.ConfigMapEnvSource', 'A ConfigMap.'),
    secretRef: wholeObject('core.SecretEnvSource', 'A Secret.'),
  }),
);
