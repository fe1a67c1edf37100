/**
 * Secret: confidential data for pods.
 */
import type { ObjectOfKind } from '../meta/index.ts';
import { boolean, bytes, mapOf, named, pointer, string } from '../schema/index.ts';
import { defineBuiltin } from './builtin.ts';
import { stringMap } from './fields.ts';
import { metadataFields, selectable } from './selectable-fields.ts';

export const secret = defineBuiltin({
  group: '',
  kind: 'Secret',
  plural: 'secrets',
  description: 'Confidential bytes under keys.',
  selectableFields: [...metadataFields, selectable('type')],
  fields: {
    type: named(
      'core.SecretType',
      string('The type of the secret, which determines its required keys; Opaque unless given.'),
    ),
    data: mapOf('Bytes by key.', bytes('The bytes.')),
    stringData: stringMap('Texts that become data when they are written; never read back.', 'The value.'),
    immutable: pointer(boolean('Whether the contents can no longer be changed.')),
  },
});
export type Secret = ObjectOfKind<typeof secret>;
