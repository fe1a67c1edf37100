/**
 * The volumes of a pod. Those that speak to one product each are in `pod-volume-drivers.ts`.
 */
import { labelSelector } from '../../meta/index.ts';
import {
  boolean,
  type Infer,
  int32,
  int64,
  nullable,
  object,
  oneOf,
  required,
  type Schema,
  string,
} from '../../schema/index.ts';
import { items, quantity, stringMap } from '../fields.ts';
import { fieldReference, localReference, resourceFieldReference } from '../references.ts';
import { pullPolicies } from './pod-container.ts';
import { persistentVolumeClaimTemplate } from './pod-volume-claim.ts';
import { volumeDrivers } from './pod-volume-drivers.ts';

const mode = (description: string) => int32(`${description} A number, of which JSON knows no octal form.`);
const defaultMode = mode('The mode of files that give none; 0644 unless given.');

const keysToFiles = items(
  'Which keys become files; all unless given.',
  object('A key.', {
    key: required(string('The key.')),
    path: required(string('The file, below the volume.')),
    mode: mode('Its mode.'),
  }),
);

const downwardFiles = items(
  'Facts about the pod that become files.',
  object('A fact.', {
    path: required(string('The file, below the volume.')),
    fieldRef: fieldReference('A field of the pod.'),
    resourceFieldRef: resourceFieldReference('A request or limit of a container.'),
    mode: mode('Its mode.'),
  }),
);

/** A ConfigMap or Secret as a part of a projected volume. */
const projectedObject = (description: string) =>
  object(description, {
    name: string('Its name.'),
    items: keysToFiles,
    optional: boolean('Whether object and keys may be missing.'),
  });

const volumeProjection = object('One source.', {
  configMap: projectedObject('A ConfigMap.'),
  secret: projectedObject('A Secret.'),
  downwardAPI: object('Facts about the pod.', { items: downwardFiles }),
  serviceAccountToken: object('A token of the service account of the pod, kept fresh.', {
    path: required(string('The file, below the volume.')),
    audience: string('For whom the token is; the API server unless given.'),
    expirationSeconds: int64('How long a token lives; an hour unless given.'),
  }),
  clusterTrustBundle: object('Certificates of a ClusterTrustBundle.', {
    path: required(string('The file, below the volume.')),
    name: string('One bundle.'),
    signerName: string('All bundles of a signer.'),
    labelSelector: labelSelector('Which of them.'),
    optional: boolean('Whether there may be none.'),
  }),
});

const volumeShape = object('A volume; one source is given beside the name.', {
  name: required(string('Its name, by which containers mount it.')),
  configMap: object('The keys of a ConfigMap as files.', {
    name: string('Its name.'),
    items: keysToFiles,
    defaultMode,
    optional: boolean('Whether object and keys may be missing.'),
  }),
  secret: object('The keys of a Secret as files.', {
    secretName: string('Its name.'),
    items: keysToFiles,
    defaultMode,
    optional: boolean('Whether object and keys may be missing.'),
  }),
  projected: object('Several sources in one folder.', {
    sources: nullable(items('The sources.', volumeProjection)),
    defaultMode,
  }),
  downwardAPI: object('Facts about the pod as files.', { items: downwardFiles, defaultMode }),
  emptyDir: object('An empty folder that goes with the pod.', {
    medium: string('Memory for one in memory; the disk of the node unless given.'),
    sizeLimit: quantity('How large it may become.'),
  }),
  hostPath: object('A file or folder of the node.', {
    path: required(string('Its path on the node.')),
    type: oneOf('What must be there, or is made; nothing is checked unless given.', [
      '',
      'BlockDevice',
      'CharDevice',
      'Directory',
      'DirectoryOrCreate',
      'File',
      'FileOrCreate',
      'Socket',
    ]),
  }),
  image: object('The contents of an image, read-only.', {
    reference: string('The image.'),
    pullPolicy: oneOf('When it is pulled.', pullPolicies),
  }),
  persistentVolumeClaim: object('The volume of a claim in the same namespace.', {
    claimName: required(string('The name of the claim.')),
    readOnly: boolean('Whether it is read-only.'),
  }),
  ephemeral: object('The volume of a claim that lives and goes with the pod.', {
    volumeClaimTemplate: persistentVolumeClaimTemplate,
  }),
  csi: object('A volume that a CSI driver makes for the pod.', {
    driver: required(string('The name of the driver.')),
    fsType: string('The file system.'),
    readOnly: boolean('Whether it is read-only.'),
    volumeAttributes: stringMap('What the driver is told.'),
    nodePublishSecretRef: localReference('A Secret for the driver.'),
  }),
  nfs: object('A folder that an NFS server exports.', {
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
