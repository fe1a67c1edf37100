/**
 * ConfigMap: configuration for pods that is not secret.
 */
import type { ObjectOfKind } from '../meta/index.ts';
import { boolean, bytes, mapOf, pointer } from '../schema/index.ts';
import { defineBuiltin } from './builtin.ts';
import { stringMap } from './fields.ts';

export const configMap = defineBuiltin({
  group: '',
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  description: 'Configuration for pods, as strings or bytes under keys.',
  fields: {
    data: stringMap('Texts by key.', 'The value.'),
    binaryData: mapOf('Bytes by key; a key may be in only one of the two.', bytes('The bytes.')),
    immutable: pointer(boolean('Whether the contents can no longer be changed.')),
  },
});
export type ConfigMap = ObjectOfKind<typeof configMap>;
