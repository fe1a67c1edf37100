/**
 * A PersistentVolumeClaim, as far as pods contain one.
 */
import { labelSelector } from '../../meta/index.ts';
import { list, named, oneOf, pointer, string, struct } from '../../schema/index.ts';
import { always, filled, quantities } from '../fields.ts';
import { templateMeta } from '../object-meta.ts';
import { typedLocalReference, typedReference } from '../references.ts';

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'] as const;

const persistentVolumeClaimSpec = struct('core.PersistentVolumeClaimSpec', 'The storage that is wanted.', {
  accessModes: list(
    'How it is used.',
    named('core.PersistentVolumeAccessMode', oneOf('A way to use it.', accessModes)),
    { list: 'atomic' },
  ),
  resources: filled(
    struct('core.VolumeResourceRequirements', 'How much.', {
      requests: quantities('At least.'),
      limits: quantities('At most.'),
    }),
  ),
  storageClassName: pointer(string('The class of storage.')),
  volumeAttributesClassName: pointer(string('The class of attributes of the volume.')),
  volumeMode: pointer(
    named('core.PersistentVolumeMode', oneOf('As a file system or as a device.', ['Block', 'Filesystem'])),
  ),
  volumeName: string('The volume that the claim is bound to.'),
  selector: labelSelector('Which volumes would do.'),
  dataSource: typedLocalReference('The data source of the volume.'),
  dataSourceRef: typedReference('The same, also from other kinds and namespaces.'),
});

export const persistentVolumeClaimTemplate = struct(
  'core.PersistentVolumeClaimTemplate',
  'From which the claim is made.',
  {
    metadata: filled(templateMeta),
    spec: always(persistentVolumeClaimSpec),
  },
);
