/**
 * The volumes of a pod. Those of specific products are in `pod-volume-drivers.ts`.
 */
import { labelSelector } from '../../meta/index.ts';
import {
  boolean,
  type Infer,
  int32,
  int64,
  named,
  nullable,
  oneOf,
  pointer,
  required,
  type Schema,
  string,
  struct,
} from '../../schema/index.ts';
import { items, quantity, stringMap } from '../fields.ts';
import { fieldReference, localReference, resourceFieldReference } from '../references.ts';
import { pullPolicies } from './pod-container.ts';
import { persistentVolumeClaimTemplate } from './pod-volume-claim.ts';
import { volumeDrivers } from './pod-volume-drivers.ts';

const mode = (description: string) =>
  pointer(int32(`${description} A number, of which JSON knows no octal form.`));
const defaultMode = mode('The mode of files that give none; 0644 unless given.');

const keysToFiles = items(
  'Which keys become files; all unless given.',
  struct('core.KeyToPath', 'A key.', {
    key: required(string('The key.')),
    path: required(string('The file, below the volume.')),
    mode: mode('Its mode.'),
  }),
);

const downwardFiles = items(
  'Facts about the pod that become files.',
  struct('core.DownwardAPIVolumeFile', 'A fact.', {
    path: required(string('The file, below the volume.')),
    fieldRef: fieldReference('A field of the pod.'),
    resourceFieldRef: resourceFieldReference('A request or limit of a container.'),
    mode: mode('Its mode.'),
  }),
);

/** A ConfigMap or Secret as a source of a projected volume. */
const projectedObject = (goType: string, description: string) =>
  struct(goType, description, {
    name: string('Its name.'),
    items: keysToFiles,
    optional: pointer(boolean('Whether object and keys may be missing.')),
  });

const volumeProjection = struct('core.VolumeProjection', 'One source.', {
  configMap: projectedObject('core.ConfigMapProjection', 'A ConfigMap.'),
  secret: projectedObject('core.SecretProjection', 'A Secret.'),
  downwardAPI: struct('core.DownwardAPIProjection', 'Facts about the pod.', { items: downwardFiles }),
  serviceAccountToken: struct(
    'core.ServiceAccountTokenProjection',
    'A token of the service account of the pod, kept fresh.',
    {
      path: required(string('The file, below the volume.')),
      audience: string('For whom the token is; the API server unless given.'),
      expirationSeconds: pointer(int64('How long a token lives; an hour unless given.')),
    },
  ),
  clusterTrustBundle: struct('core.ClusterTrustBundleProjection', 'Certificates of a ClusterTrustBundle.', {
    path: required(string('The file, below the volume.')),
    name: pointer(string('One bundle.')),
    signerName: pointer(string('All bundles of a signer.')),
    labelSelector: labelSelector('Which of them.'),
    optional: pointer(boolean('Whether there may be none.')),
  }),
});

const volumeShape = struct('core.Volume', 'A volume; it has a name and one source.', {
  name: required(string('Its name, by which containers mount it.')),
  configMap: struct('core.ConfigMapVolumeSource', 'The keys of a ConfigMap as files.', {
    name: string('Its name.'),
    items: keysToFiles,
    defaultMode,
    optional: pointer(boolean('Whether object and keys may be missing.')),
  }),
  secret: struct('core.SecretVolumeSource', 'The keys of a Secret as files.', {
    secretName: string('Its name.'),
    items: keysToFiles,
    defaultMode,
    optional: pointer(boolean('Whether object and keys may be missing.')),
  }),
  projected: struct('core.ProjectedVolumeSource', 'Several sources in one directory.', {
    sources: nullable(items('The sources.', volumeProjection)),
    defaultMode,
  }),
  downwardAPI: struct('core.DownwardAPIVolumeSource', 'Facts about the pod as files.', {
    items: downwardFiles,
    defaultMode,
  }),
  emptyDir: struct('core.EmptyDirVolumeSource', 'An empty directory that is deleted with the pod.', {
    medium: named(
      'core.StorageMedium',
      string('Memory for one in memory; the disk of the node unless given.'),
    ),
    sizeLimit: pointer(quantity('How large it may become.')),
  }),
  hostPath: struct('core.HostPathVolumeSource', 'A file or directory of the node.', {
    path: required(string('Its path on the node.')),
    type: pointer(
      named(
        'core.HostPathType',
        oneOf('What must be there, or is made; nothing is checked unless given.', [
          '',
          'BlockDevice',
          'CharDevice',
          'Directory',
          'DirectoryOrCreate',
          'File',
          'FileOrCreate',
          'Socket',
        ]),
      ),
    ),
  }),
  image: struct('core.ImageVolumeSource', 'The contents of an image, read-only.', {
    reference: string('The image.'),
    pullPolicy: named('core.PullPolicy', oneOf('When it is pulled.', pullPolicies)),
  }),
  persistentVolumeClaim: struct(
    'core.PersistentVolumeClaimVolumeSource',
    'The volume of a claim in the same namespace.',
    {
      claimName: required(string('The name of the claim.')),
      readOnly: boolean('Whether it is read-only.'),
    },
  ),
  ephemeral: struct(
    'core.EphemeralVolumeSource',
    'The volume of a claim that is created and deleted with the pod.',
    {
      volumeClaimTemplate: persistentVolumeClaimTemplate,
    },
  ),
  csi: struct('core.CSIVolumeSource', 'A volume that a CSI driver makes for the pod.', {
    driver: required(string('The name of the driver.')),
    fsType: pointer(string('The file system.')),
    readOnly: pointer(boolean('Whether it is read-only.')),
    volumeAttributes: stringMap('Attributes for the driver.'),
    nodePublishSecretRef: localReference('A Secret for the driver.'),
  }),
  nfs: struct('core.NFSVolumeSource', 'A directory that an NFS server exports.', {
    server: required(string('The server.')),
    path: required(string('The exported path.')),
    readOnly: boolean('Whether it is read-only.'),
  }),
  ...volumeDrivers,
});
type Volume = {
  readonly [Field in keyof Infer<typeof volumeShape>]: Infer<typeof volumeShape>[Field];
};
export const volume: Schema<Volume> = volumeShape;
