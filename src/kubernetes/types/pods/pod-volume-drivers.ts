/**
 * Volume sources of specific products. Most are served by CSI drivers today; their fields are kept so that old pods
 * can still be read.
 */
import { boolean, int32, named, oneOf, pointer, required, string, struct } from '../../schema/index.ts';
import { always, stringMap, strings, withDefault } from '../fields.ts';
import { localReference } from '../references.ts';

const fsType = string('The file system.');
const readOnly = boolean('Whether it is read-only.');
const partition = int32('The partition; the whole disk unless given.');
const secretRef = localReference('A Secret with credentials.');
const monitors = required(strings('Ceph monitors.', 'Address of a monitor.'));
const must = (description: string) => required(string(description));

const cloudDisks = {
  awsElasticBlockStore: struct('core.AWSElasticBlockStoreVolumeSource', 'An AWS disk.', {
    volumeID: must('Its id.'),
    fsType,
    partition,
    readOnly,
  }),
  azureDisk: struct('core.AzureDiskVolumeSource', 'An Azure disk.', {
    diskName: must('Its name.'),
    diskURI: must('Its address.'),
    cachingMode: pointer(
      named(
        'core.AzureDataDiskCachingMode',
        oneOf('How it is cached.', ['None', 'ReadOnly', 'ReadWrite'], { default: 'ReadWrite' }),
      ),
    ),
    kind: pointer(
      named(
        'core.AzureDataDiskKind',
        oneOf('Its sort.', ['Dedicated', 'Managed', 'Shared'], { default: 'Shared' }),
      ),
    ),
    fsType: pointer(string('The file system.', { default: 'ext4' })),
    readOnly: withDefault(pointer(readOnly), false),
  }),
  azureFile: struct('core.AzureFileVolumeSource', 'An Azure share.', {
    secretName: must('A Secret with credentials.'),
    shareName: must('Its name.'),
    readOnly,
  }),
  cinder: struct('core.CinderVolumeSource', 'An OpenStack disk.', {
    volumeID: must('Its id.'),
    fsType,
    readOnly,
    secretRef,
  }),
  gcePersistentDisk: struct('core.GCEPersistentDiskVolumeSource', 'A Google disk.', {
    pdName: must('Its name.'),
    fsType,
    partition,
    readOnly,
  }),
  photonPersistentDisk: struct('core.PhotonPersistentDiskVolumeSource', 'A Photon disk.', {
    pdID: must('Its id.'),
    fsType,
  }),
  vsphereVolume: struct('core.VsphereVirtualDiskVolumeSource', 'A vSphere disk.', {
    volumePath: must('Its path.'),
    fsType,
    storagePolicyName: string('The storage profile.'),
    storagePolicyID: string('The id of that profile.'),
  }),
};

const storageNetworks = {
  fc: struct('core.FCVolumeSource', 'A Fibre Channel disk.', {
    targetWWNs: strings('World wide names of targets.', 'A name.'),
    lun: pointer(int32('The unit of the target.')),
    wwids: strings('World wide ids, in place of targets and unit.', 'An id.'),
    fsType,
    readOnly,
  }),
  iscsi: struct('core.ISCSIVolumeSource', 'An iSCSI disk.', {
    targetPortal: must('The portal.'),
    iqn: must('The qualified name of the target.'),
    lun: always(int32('The unit of the target.')),
    portals: strings('Further portals.', 'A portal.'),
    iscsiInterface: string('The interface.', { default: 'default' }),
    initiatorName: pointer(string('The name of the initiator.')),
    chapAuthDiscovery: boolean('Whether discovery needs CHAP.'),
    chapAuthSession: boolean('Whether sessions need CHAP.'),
    secretRef,
    fsType,
    readOnly,
  }),
};

const clusterFileSystems = {
  cephfs: struct('core.CephFSVolumeSource', 'A Ceph file system.', {
    monitors,
    path: string('The directory to mount.'),
    user: string('The user.'),
    secretFile: string('The keyring of the user.'),
    secretRef,
    readOnly,
  }),
  glusterfs: struct('core.GlusterfsVolumeSource', 'A Gluster volume.', {
    endpoints: must('The Endpoints object of the cluster.'),
    path: must('The volume.'),
    readOnly,
  }),
  portworxVolume: struct('core.PortworxVolumeSource', 'A Portworx volume.', {
    volumeID: must('Its id.'),
    fsType,
    readOnly,
  }),
  quobyte: struct('core.QuobyteVolumeSource', 'A Quobyte volume.', {
    registry: must('The registry services.'),
    volume: must('Its name.'),
    user: string('The user.'),
    group: string('The group.'),
    tenant: string('The tenant.'),
    readOnly,
  }),
  rbd: struct('core.RBDVolumeSource', 'A Ceph block device.', {
    monitors,
    image: must('Its name.'),
    pool: string('The pool.', { default: 'rbd' }),
    user: string('The user.', { default: 'admin' }),
    keyring: string('The keyring of the user.', { default: '/etc/ceph/keyring' }),
    secretRef,
    fsType,
    readOnly,
  }),
  scaleIO: struct('core.ScaleIOVolumeSource', 'A ScaleIO volume.', {
    gateway: must('The gateway.'),
    system: must('The storage system.'),
    secretRef: required(secretRef),
    sslEnabled: boolean('Whether the gateway is accessed over TLS.'),
    protectionDomain: string('The protection domain.'),
    storagePool: string('The pool.'),
    storageMode: string('ThickProvisioned or ThinProvisioned.', { default: 'ThinProvisioned' }),
    volumeName: string('Its name.'),
    fsType: string('The file system.', { default: 'xfs' }),
    readOnly,
  }),
  storageos: struct('core.StorageOSVolumeSource', 'A StorageOS volume.', {
    volumeName: string('Its name.'),
    volumeNamespace: string('Its namespace there.'),
    secretRef,
    fsType,
    readOnly,
  }),
  flocker: struct('core.FlockerVolumeSource', 'A Flocker dataset.', {
    datasetName: string('Its name.'),
    datasetUUID: string('Its id.'),
  }),
};

export const volumeDrivers = {
  ...cloudDisks,
  ...storageNetworks,
  ...clusterFileSystems,
  flexVolume: struct('core.FlexVolumeSource', 'A volume of a driver on the node.', {
    driver: must('The driver.'),
    options: stringMap('Options of the driver.'),
    secretRef,
    fsType,
    readOnly,
  }),
  gitRepo: struct('core.GitRepoVolumeSource', 'A clone of a Git repository.', {
    repository: must('Its address.'),
    revision: string('The commit.'),
    directory: string('The directory in the volume.'),
  }),
};
