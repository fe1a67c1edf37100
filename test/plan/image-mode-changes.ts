/**
 * Changes around pools whose OS image is built, in the order in which they are made on one cluster: worker-0 and worker-1 are in the
 * pool infra, worker-2 is in the pool worker.
 */
import { annotations, labels, NAMESPACE, OS_IMAGE_CONFIG_MAP } from '../../src/api/index.ts';
import type { SnapshotObject } from '../../src/insight/index.ts';
import { aConfig as aMachineOSConfig } from '../builds/build-cluster.ts';
import { aConfig, aFile } from '../support/build.ts';
import { A, B } from '../support/change-corpus.ts';
import { C, EXTENSIONS } from './planned-cluster.ts';

export type ImageModeChange = {
  readonly what: string;
  readonly applied?: readonly SnapshotObject[];
  readonly deleted?: readonly SnapshotObject[];
  /** What the plan says about an image for infra; absent where it says nothing. */
  readonly image?: 'new' | 'reused';
  /** The number of nodes that are sent. */
  readonly sent: number;
  /** Also tried where not all are, for which these suffice. */
  readonly isTypical?: true;
};

const GROUP = 'machineconfiguration.openshift.io';

const an = (kind: string, name: string, rest: object, apiVersion = `${GROUP}/v1`) =>
  ({ apiVersion, kind, metadata: { name }, ...rest }) as unknown as SnapshotObject;

const pool = (spec: object = {}) =>
  an('MachineConfigPool', 'infra', {
    spec: {
      machineConfigSelector: {
        matchExpressions: [{ key: labels.role, operator: 'In', values: ['worker', 'infra'] }],
      },
      nodeSelector: { matchLabels: { 'node-role.kubernetes.io/infra': '' } },
      ...spec,
    },
  });

export const INFRA = pool();

export const inInfra = (name: string): SnapshotObject =>
  ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'node-role.kubernetes.io/infra': '' } },
  }) as SnapshotObject;

const config = (name: string, role: string, spec: object) =>
  ({
    ...an('MachineConfig', name, { spec: { config: aConfig({}), ...spec } }),
    metadata: { name, labels: { [labels.role]: role } },
  }) as unknown as SnapshotObject;

const file = (name: string, role: string, path: string, text: string) =>
  config(name, role, { config: aConfig({ storage: { files: [aFile(path, text, { mode: 0o644 })] } }) });

const osImages = (data: object): SnapshotObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: OS_IMAGE_CONFIG_MAP, namespace: NAMESPACE },
    data,
  }) as unknown as SnapshotObject;

const policy = an(
  'MachineConfiguration',
  'cluster',
  {
    spec: {
      nodeDisruptionPolicy: {
        files: [
          {
            path: '/etc/reloaded',
            actions: [{ type: 'Reload', reload: { serviceName: 'crio.service' } }],
          },
        ],
      },
    },
  },
  'operator.openshift.io/v1',
);

const kubelet = an('KubeletConfig', 'pods', {
  spec: {
    machineConfigPoolSelector: { matchLabels: { [`pools.operator.${GROUP}/worker`]: '' } },
    kubeletConfig: { maxPods: 123 },
  },
});
const mirror = an(
  'ImageDigestMirrorSet',
  'mirror',
  { spec: { imageDigestMirrors: [{ source: 'registry.example/a', mirrors: ['mirror.example/a'] }] } },
  'config.openshift.io/v1',
);

const layered = aMachineOSConfig() as unknown as SnapshotObject;
const relayered = aMachineOSConfig({ content: 'RUN dnf install -y tmux' }) as unknown as SnapshotObject;
const rebuilt = aMachineOSConfig({
  content: 'RUN dnf install -y tmux',
  annotations: { [annotations.rebuild]: '' },
}) as unknown as SnapshotObject;

const KERNEL = '60-infra-kernel';
const OS = '60-worker-os';

// biome-ignore format: a table, one change a line.
export const IMAGE_MODE_CHANGES: readonly ImageModeChange[] = [
  { what: 'an OS image for all nodes', applied: [osImages({ baseOSContainerImage: A, baseOSExtensionsContainerImage: EXTENSIONS })], sent: 3, isTypical: true },
  { what: 'a new pool that nodes move into without a change of their own', applied: [pool(), inInfra('worker-0'), inInfra('worker-1')], sent: 2, isTypical: true },
  { what: 'a MachineOSConfig for a pool that had none', applied: [layered], image: 'new', sent: 2, isTypical: true },
  { what: 'the same MachineOSConfig again', applied: [layered], sent: 0 },
  { what: 'a file for the layered pool that needs a reboot and no other image', applied: [file('60-infra-file', 'infra', '/etc/rebooted', 'one')], image: 'reused', sent: 2 },
  { what: 'a policy that changes nothing yet', applied: [policy], sent: 0, isTypical: true },
  { what: 'a file with a policy, which needs no other image and no reboot', applied: [file('60-infra-reloaded', 'infra', '/etc/reloaded', 'one')], image: 'reused', sent: 2, isTypical: true },
  { what: 'a file for workers, of which the layered pool is a part', applied: [file('60-worker-reloaded', 'worker', '/etc/reloaded', 'of workers')], image: 'reused', sent: 3 },
  { what: 'a unit for the layered pool', applied: [config('60-infra-unit', 'infra', { config: aConfig({ systemd: { units: [{ name: 'x.service', enabled: true, contents: '[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n' }] } }) })], image: 'reused', sent: 2 },
  { what: 'an SSH key for the layered pool', applied: [config('60-infra-ssh', 'infra', { config: aConfig({ passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['ssh-ed25519 AAAA one'] }] } }) })], image: 'reused', sent: 2 },
  { what: 'a kernel argument, which is part of the image', applied: [config(KERNEL, 'infra', { kernelArguments: ['quiet'] })], image: 'new', sent: 2, isTypical: true },
  { what: 'a kernel argument that goes, so that the former image fits', deleted: [config(KERNEL, 'infra', {})], image: 'reused', sent: 2, isTypical: true },
  { what: 'an extension, which is part of the image', applied: [config('60-infra-extension', 'infra', { extensions: ['usbguard'] })], image: 'new', sent: 2 },
  { what: 'another Containerfile', applied: [relayered], image: 'new', sent: 2 },
  { what: 'a request for a rebuild', applied: [rebuilt], image: 'new', sent: 2 },
  { what: 'a KubeletConfig of workers', applied: [kubelet], image: 'reused', sent: 3 },
  { what: 'a mirror of a registry', applied: [mirror], image: 'reused', sent: 3 },
  { what: 'settings that go', deleted: [kubelet, mirror], image: 'reused', sent: 3 },
  { what: 'another OS image by a MachineConfig of workers', applied: [config(OS, 'worker', { osImageURL: B })], image: 'new', sent: 3 },
  { what: 'an OS image that is named no more, so that the former image fits', deleted: [config(OS, 'worker', {})], image: 'reused', sent: 3 },
  { what: 'another OS image by the ConfigMap', applied: [osImages({ osImageURL: C, baseOSExtensionsContainerImage: EXTENSIONS })], image: 'new', sent: 3 },
  { what: 'two nodes at a time', applied: [pool({ maxUnavailable: 2 })], sent: 0 },
  { what: 'a kernel argument on two nodes at a time', applied: [config(KERNEL, 'infra', { kernelArguments: ['loud'] })], image: 'new', sent: 2 },
  { what: 'a pause', applied: [pool({ maxUnavailable: 2, paused: true })], sent: 0 },
  { what: 'a kernel argument for a paused pool, whose image is built all the same', applied: [config(KERNEL, 'infra', { kernelArguments: ['silent'] })], image: 'new', sent: 0 },
  { what: 'the end of a pause, with the image that was built meanwhile', applied: [pool({ maxUnavailable: 2, paused: false })], sent: 2 },
  { what: 'a MachineOSConfig and a file that go together', deleted: [layered, file('60-infra-file', 'infra', '/etc/rebooted', 'one')], sent: 2 },
  { what: 'a MachineOSConfig and a kernel argument at once', applied: [layered, config(KERNEL, 'infra', { kernelArguments: ['quiet'] })], image: 'new', sent: 2 },
  { what: 'a MachineOSConfig that goes', deleted: [layered], sent: 2, isTypical: true },
  { what: 'a pool that goes, so that its nodes are workers again', deleted: [pool()], sent: 2, isTypical: true },
];
