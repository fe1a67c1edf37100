/** etcd, kube-apiserver, kube-controller-manager and kube-scheduler, in the namespace of the bridge. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Administrator, administrator } from '../kubernetes/administrator.ts';
import { type Certificates, type Identity, makeCertificates, pathOf } from '../kubernetes/certificates.ts';
import { makeChildren } from '../kubernetes/children.ts';
import { commonApiserverArgs, commonControllerManagerArgs, etcdArgs } from '../kubernetes/flags.ts';
import { formatKubeconfig } from '../kubernetes/kubeconfig.ts';
import { waitForControllers, waitUntilReady } from '../kubernetes/readiness.ts';
import { API_ADDRESS, API_PORT, type NodeAddress, REGISTRIES, SERVICE_ADDRESS } from './addresses.ts';
import { auditArgs, drainRequests } from './audit.ts';
import { type Forwarding, forwardOut, startProxy } from './forward.ts';
import type { Programs } from './needs.ts';
import type { Network } from './network.ts';

export type ServerName = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler';

export type ControlPlane = Administrator & {
  /** Of an administrator, for this computer. */
  readonly kubeconfigPath: string;
  readonly certificates: Certificates;
  /** A kubeconfig for machines, with one of the certificates. */
  readonly kubeconfigOf: (identity: string) => Promise<string>;
  /** Ends a server, until it is started again. */
  readonly stopServer: (name: ServerName) => Promise<void>;
  /** Resolves once the API server is ready. */
  readonly startServer: (name: ServerName) => Promise<void>;
  /** See `audit.ts`. */
  readonly drainRequests: () => Promise<readonly string[]>;
  /** The last lines of all logs. */
  readonly logs: () => Promise<string>;
  readonly stop: () => Promise<void>;
};

export type ControlPlaneOptions = {
  readonly network: Network;
  readonly folder: string;
  readonly programs: Programs;
  readonly nodes: readonly NodeAddress[];
};

const ETCD_URL = 'http://127.0.0.1:2379';
const SERVERS: readonly ServerName[] = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
];

export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { network, folder, programs, nodes } = options;
  await mkdir(folder, { recursive: true });
  const certificates = await makeCertificates(folder, identities(nodes));
  const audit = await auditArgs(folder);
  const servers = makeChildren();
  const forwardings: Forwarding[] = [];
  const stop = async () => {
    await servers.stopAll();
    for (const forwarding of forwardings.toReversed()) await forwarding.stop();
  };
  try {
    // What kube-proxy would do, for the only Service that is needed.
    const [service, api] = [`${SERVICE_ADDRESS}:443`, `${API_ADDRESS}:${API_PORT}`];
    forwardings.push(startProxy({ network, folder, name: 'service', listen: service, target: api }));
    const forwarding = await forwardOut({ network, folder }, { name: 'api', target: api });
    forwardings.push(forwarding);
    const url = `https://127.0.0.1:${forwarding.port}`;
    const kubeconfigFor = (server: string) => kubeconfigWith(certificates, server);
    const kubeconfigOf = kubeconfigFor(`https://${api}`);
    for (const name of ['controller-manager', 'scheduler'])
      await writeSecret(join(folder, `${name}.kubeconfig`), await kubeconfigOf(name));
    const kubeconfigPath = join(folder, 'kubeconfig');
    await writeSecret(kubeconfigPath, await kubeconfigFor(url)('admin'));
    const access = {
      url,
      caPem: certificates.caPem,
      cert: certificates.adminCert,
      key: certificates.adminKey,
    };
    const startServer = async (name: ServerName) => {
      const [program = '', ...enter] = network.inControlPlane;
      const args = [
        ...enter,
        programs[name],
        ...serverArgs(name, folder),
        ...(name === 'kube-apiserver' ? audit : []),
      ];
      servers.start({ name, program, args, logPath: join(folder, `${name}.log`) });
      if (name === 'kube-apiserver') await waitUntilReady(access, servers.wanted());
    };
    for (const name of SERVERS) await startServer(name);
    await waitForControllers(access, servers.wanted());
    const { kube, transport } = await administrator(kubeconfigPath, 'cluster-test');
    forwardings.push({ stop: async () => transport.close() });
    return {
      kube,
      transport,
      kubeconfigPath,
      certificates,
      kubeconfigOf,
      startServer,
      drainRequests: () => drainRequests(folder),
      stopServer: servers.stop,
      logs: servers.logs,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function serverArgs(name: ServerName, directory: string): readonly string[] {
  const file = (path: string) => pathOf(directory, path);
  switch (name) {
    case 'etcd':
      return etcdArgs({ directory, etcdUrl: ETCD_URL, peerUrl: 'http://127.0.0.1:2380', isDurable: false });
    case 'kube-apiserver':
      return [
        ...commonApiserverArgs({ directory, etcdUrl: ETCD_URL, securePort: API_PORT }),
        `--bind-address=${API_ADDRESS}`,
        `--advertise-address=${API_ADDRESS}`,
        '--enable-admission-plugins=NodeRestriction',
        `--kubelet-client-certificate=${file('apiserver-kubelet.crt')}`,
        `--kubelet-client-key=${file('apiserver-kubelet.key')}`,
        `--kubelet-certificate-authority=${file('ca.crt')}`,
        '--kubelet-preferred-address-types=InternalIP',
      ];
    case 'kube-controller-manager':
      return [
        ...commonControllerManagerArgs(directory),
        `--cluster-signing-cert-file=${file('ca.crt')}`,
        `--cluster-signing-key-file=${file('ca.key')}`,
        // A machine that lost its power is noticed sooner than with the defaults.
        '--node-monitor-period=2s',
        '--node-monitor-grace-period=20s',
      ];
    case 'kube-scheduler':
      return [
        `--kubeconfig=${file('scheduler.kubeconfig')}`,
        '--bind-address=127.0.0.1',
        '--leader-elect=false',
      ];
  }
}

const CLIENT = 'extendedKeyUsage=clientAuth\n';

function identities(nodes: readonly NodeAddress[]): readonly Identity[] {
  const server = (names: readonly string[]) =>
    `extendedKeyUsage=serverAuth\nsubjectAltName=${names.join(',')}\n`;
  const api = ['127.0.0.1', API_ADDRESS, SERVICE_ADDRESS].map((address) => `IP:${address}`);
  return [
    {
      name: 'server',
      subject: '/CN=kube-apiserver',
      extensions: server([...api, 'DNS:localhost', 'DNS:kubernetes.default.svc']),
    },
    { name: 'scheduler', subject: '/CN=system:kube-scheduler', extensions: CLIENT },
    {
      name: 'apiserver-kubelet',
      subject: '/O=system:masters/CN=kube-apiserver-kubelet-client',
      extensions: CLIENT,
    },
    {
      name: 'registries',
      subject: '/CN=registries',
      extensions: server([
        ...Object.entries(REGISTRIES).flatMap(([name, address]) => [`DNS:${name}`, `IP:${address}`]),
        'IP:127.0.0.1',
      ]),
    },
    ...nodes.flatMap(({ name, address }) => {
      const subject = `/O=system:nodes/CN=system:node:${name}`;
      return [
        { name, subject, extensions: CLIENT },
        { name: `${name}-serving`, subject, extensions: server([`IP:${address}`, `DNS:${name}`]) },
      ];
    }),
  ];
}

function kubeconfigWith({ directory, caPem }: Certificates, url: string) {
  return async (identity: string): Promise<string> => {
    const cert = await readFile(pathOf(directory, `${identity}.crt`), 'utf8');
    const key = await readFile(pathOf(directory, `${identity}.key`), 'utf8');
    return formatKubeconfig({ url, caPem, cert, key });
  };
}

async function writeSecret(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
}
