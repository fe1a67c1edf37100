/**
 * A claim for storage, as far as pods carry one inside.
 */
import { labelSelector } from '../../meta/index.ts';
import { list, object, oneOf, string } from '../../schema/index.ts';
import { always, filled, quantities } from '../fields.ts';
import { templateMeta } from '../object-meta.ts';
import { typedLocalReference, typedReference } from '../references.ts';

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'] as const;

const persistentVolumeClaimSpec = object('The storage that is wanted.', {
  accessModes: list('How it is used.', oneOf('A way to use it.', accessModes), { list: 'atomic' }),
  resources: filled(
    object('How much.', {
      requests: quantities('At least.'),
      limits: quantities('At most.'),
    }),
  ),
  storageClassName: string('The class of storage.'),
  volumeAttributesClassName: string('The class of attributes of the volume.'),
  volumeMode: oneOf('As a file system or as a device.', ['Block', 'Filesystem']),
  volumeName: string('The volume that the claim is bound to.'),
  selector: labelSelector('Which volumes would do.'),
  dataSource: typedLocalReference('What the volume is filled from.'),
  dataSourceRef: typedReference('The same, also from other kinds and namespaces.'),
});

export const persistentVolumeClaimTemplate = object('From which the claim is made.', {
  metadata: filled(templateMeta),
  spec: always(persistentVolumeClaimSpec),
});
