/** What is particular to one node: its name, its network, its certificates, and what its kubelet is started with. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathOf } from '../kubernetes/certificates.ts';
import type { OsFile } from '../lab/os-files.ts';
import { type NodeAddress, REGISTRIES } from './addresses.ts';
import type { ControlPlane } from './control-plane.ts';

/** The folder of drop-ins that every kubelet reads. */
export const KUBELET_DROPINS = '/etc/kubernetes/kubelet.conf.d';

/** Of a machine, whether it is a node or not. */
export type MachineIdentity = NodeAddress & { readonly caPem: string };

/** With the credentials that installers of nodes give them. */
export type NodeIdentity = MachineIdentity & {
  readonly servingCert: string;
  readonly servingKey: string;
  readonly kubeconfig: string;
};

export async function nodeIdentity(node: NodeAddress, controlPlane: ControlPlane): Promise<NodeIdentity> {
  const { directory, caPem } = controlPlane.certificates;
  const read = (file: string) => readFile(pathOf(directory, file), 'utf8');
  return {
    ...node,
    caPem,
    servingCert: await read(`${node.name}-serving.crt`),
    servingKey: await read(`${node.name}-serving.key`),
    kubeconfig: await controlPlane.kubeconfigOf(node.name),
  };
}

/**
 * Of every OS. A machine that shuts down waits for processes that do not follow SIGTERM, such as a `runc` between two steps: for
 * 90 seconds by default, which a story now and then had to wait.
 */
export const SHORT_SHUTDOWN: OsFile = {
  path: '/etc/systemd/system.conf.d/lab.conf',
  text: '[Manager]\nDefaultTimeoutStopSec=10s\n',
};

/** Of every machine. */
export function machineFiles(node: MachineIdentity): readonly OsFile[] {
  const hosts = Object.entries({ localhost: '127.0.0.1', [node.name]: node.address, ...REGISTRIES });
  return [
    { path: '/etc/hosts', text: hosts.map(([name, address]) => `${address} ${name}\n`).join('') },
    { path: '/etc/hostname', text: `${node.name}\n` },
    // Known in advance: else systemd takes the boot for the first one, and applies its presets.
    { path: '/etc/machine-id', text: `${createHash('md5').update(node.name).digest('hex')}\n` },
    { path: '/etc/ssl/certs/ca-certificates.crt', text: node.caPem },
    { path: '/etc/kubernetes/ca.crt', text: node.caPem },
    { path: '/etc/cni/net.d/10-cluster.conflist', text: cniConfig(node) },
  ];
}

/** Of every node. */
export function commonNodeFiles(node: NodeIdentity): readonly OsFile[] {
  return [
    ...machineFiles(node),
    { path: '/etc/kubernetes/serving.crt', text: node.servingCert },
    { path: '/etc/kubernetes/serving.key', text: node.servingKey, mode: 0o600 },
  ];
}

/** `--node-ip` and what else one machine differs in. */
export function kubeletArgs({ address }: NodeAddress): string {
  return `--node-ip=${address}`;
}

function cniConfig({ podSubnet }: NodeAddress): string {
  const ipam = {
    type: 'host-local',
    // A reboot forgets the pods' addresses with the pods.
    dataDir: '/run/cni-ipam',
    ranges: [[{ subnet: podSubnet }]],
    routes: [{ dst: '0.0.0.0/0' }],
  };
  const plugins = [{ type: 'ptp', mtu: 1500, ipam }];
  return `${JSON.stringify({ cniVersion: '0.4.0', name: 'cluster', plugins })}\n`;
}

const ANY_KUBELET_CONFIG = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true}
  x509: {clientCAFile: /etc/kubernetes/ca.crt}
authorization: {mode: Webhook}
cgroupDriver: systemd
failCgroupV1: false
failSwapOn: false
nodeStatusUpdateFrequency: 2s
nodeStatusReportFrequency: 10s
nodeLeaseDurationSeconds: 10
resolvConf: ""
# The disk is this computer's, and full for other reasons than the node's.
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 50Mi, nodefs.available: 1%, imagefs.available: 1%}
`;

export const KUBELET_CONFIG = `${ANY_KUBELET_CONFIG}tlsCertFile: /etc/kubernetes/serving.crt
tlsPrivateKeyFile: /etc/kubernetes/serving.key
`;

/** Of a kubelet that asks the cluster for its certificates. */
export const JOINING_KUBELET_CONFIG = `${ANY_KUBELET_CONFIG}serverTLSBootstrap: true
`;

/** `place` says where a path of the machine is on this computer. */
export async function writeFiles(files: readonly OsFile[], place: (path: string) => string): Promise<void> {
  for (const { path, text, mode = 0o644 } of files) {
    await mkdir(dirname(place(path)), { recursive: true });
    await writeFile(place(path), text, { mode });
  }
}

/** `/var` of an OSTree machine is not in its deployment. */
export function inDeployment(deployment: string, varFolder: string): (path: string) => string {
  return (path) =>
    path.startsWith('/var/') ? join(varFolder, path.slice('/var/'.length)) : join(deployment, path);
}
