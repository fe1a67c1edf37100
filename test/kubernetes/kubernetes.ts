/**
 * A real Kubernetes on the loopback: etcd, kube-apiserver and, where asked for, kube-controller-manager and kube-scheduler.
 *
 * Its responses are the reference for our own server. Start here: {@link startKubernetes}. `programs.ts` provides the
 * programs.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Unavailable } from '../oracle/oracle.ts';
import { type Certificates, makeCertificates, pathOf } from './certificates.ts';
import { type Children, makeChildren } from './children.ts';
import { compactEtcd } from './compact-etcd.ts';
import { apiserverArgs, controllerManagerArgs, etcdArgs, schedulerArgs } from './flags.ts';
import { freePort } from './free-port.ts';
import { formatKubeconfig, readKubeconfig } from './kubeconfig.ts';
import { findProgram } from './programs.ts';
import { waitForControllers, waitUntilReady } from './readiness.ts';

export type Cluster = {
  readonly url: string;
  readonly caPem: string;
  readonly adminCert: string;
  readonly adminKey: string;
  readonly kubeconfigPath: string;
  /** Users that authenticate with a token and have no rights of their own; none on a cluster we did not start. */
  readonly users: readonly TokenUser[];
  /** Starts kube-controller-manager, and waits until it acts. Absent on a cluster we did not start. */
  readonly startControllers?: () => Promise<void>;
  /** Starts kube-scheduler. Absent as above. */
  readonly startScheduler?: () => Promise<void>;
  /** Compacts etcd, so that every version but the newest is too old to be read. Absent as above. */
  readonly expireHistory?: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type TokenUser = { readonly name: string; readonly token: string; readonly groups: readonly string[] };

export type KubernetesOptions = {
  readonly controllers?: boolean;
  /** Whether writes wait for the disk, as they do in production. Tests do without. */
  readonly isDurable?: boolean;
};

/** `MILLWRIGHT_KUBECONFIG` names a cluster that exists; with `MILLWRIGHT_REQUIRE_TOOLS=1` none is an error. */
export async function startKubernetes(options: KubernetesOptions = {}): Promise<Cluster | Unavailable> {
  const kubeconfigPath = process.env.MILLWRIGHT_KUBECONFIG;
  const cluster = kubeconfigPath === undefined ? await startOwn(options) : await existing(kubeconfigPath);
  if ('unavailable' in cluster && process.env.MILLWRIGHT_REQUIRE_TOOLS === '1') {
    throw new Error(`a real Kubernetes is required but unavailable: ${cluster.unavailable}`);
  }
  return cluster;
}

async function existing(kubeconfigPath: string): Promise<Cluster | Unavailable> {
  const { admin, ...access } = await readKubeconfig(kubeconfigPath);
  if (!('cert' in admin)) return { unavailable: `${kubeconfigPath}: its user has no client certificate` };
  return { ...access, adminCert: admin.cert, adminKey: admin.key, users: [], stop: async () => undefined };
}

async function startOwn({
  controllers = false,
  isDurable = false,
}: KubernetesOptions): Promise<Cluster | Unavailable> {
  const etcd = await findProgram('etcd');
  if (typeof etcd !== 'string') return etcd;
  const apiserver = await findProgram('kube-apiserver');
  if (typeof apiserver !== 'string') return apiserver;
  const directory = await mkdtemp(join(tmpdir(), 'millwright-kubernetes-'));
  const certificates = await makeCertificates(directory).catch(withoutOpenssl);
  if ('unavailable' in certificates) {
    await rm(directory, { recursive: true });
    return certificates;
  }
  const children = makeChildren();
  const stop = async () => {
    await children.stopAll();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const cluster = await startServers({ etcd, apiserver, directory, certificates, children, isDurable });
    if (controllers) await cluster.startControllers();
    return { ...cluster, stop };
  } catch (error) {
    await children.stopAll();
    // The folder is left behind: the whole logs are in it.
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`starting Kubernetes, whose logs are in ${directory}: ${why}`, { cause: error });
  }
}

function withoutOpenssl(error: unknown): Unavailable {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
    return { unavailable: 'openssl is not installed' };
  }
  throw error;
}

type Ingredients = {
  readonly etcd: string;
  readonly apiserver: string;
  readonly directory: string;
  readonly certificates: Certificates;
  readonly children: Children;
  readonly isDurable: boolean;
};

async function startServers(ingredients: Ingredients) {
  const { etcd, apiserver, directory, certificates, children, isDurable } = ingredients;
  const [clientPort, peerPort, securePort] = [await freePort(), await freePort(), await freePort()];
  const etcdUrl = `http://127.0.0.1:${clientPort}`;
  const url = `https://127.0.0.1:${securePort}`;
  const kubeconfigPath = pathOf(directory, 'kubeconfig');
  const { caPem, adminCert, adminKey } = certificates;
  await writeFile(kubeconfigPath, formatKubeconfig({ url, caPem, cert: adminCert, key: adminKey }), {
    mode: 0o600,
  });
  await writeFile(pathOf(directory, 'tokens.csv'), tokenFile, { mode: 0o600 });
  const start = (name: string, program: string, args: readonly string[]): void => {
    children.start({ name, program, args, logPath: pathOf(directory, `${name}.log`) });
  };
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  start('etcd', etcd, etcdArgs({ directory, etcdUrl, peerUrl, isDurable }));
  start('kube-apiserver', apiserver, apiserverArgs({ directory, etcdUrl, securePort }));
  const access = { url, caPem, cert: adminCert, key: adminKey };
  await waitUntilReady(access, children.wanted());
  return {
    url,
    caPem,
    adminCert,
    adminKey,
    kubeconfigPath,
    users: TOKEN_USERS,
    expireHistory: () => compactEtcd(etcdUrl),
    async startScheduler() {
      const program = await findProgram('kube-scheduler');
      if (typeof program !== 'string') throw new Error(program.unavailable);
      start('kube-scheduler', program, schedulerArgs(kubeconfigPath));
    },
    async startControllers() {
      const program = await findProgram('kube-controller-manager');
      if (typeof program !== 'string') throw new Error(program.unavailable);
      await writeControllerKubeconfig(certificates, url);
      start('kube-controller-manager', program, controllerManagerArgs(directory));
      await waitForControllers(access, children.wanted());
    },
  };
}

/** The users of the server's token file. Each case gives them the rights it needs. */
export const TOKEN_USERS: readonly TokenUser[] = [
  { name: 'alice', token: 'alice-token', groups: [] },
  { name: 'bob', token: 'bob-token', groups: ['builders'] },
  { name: 'carol', token: 'carol-token', groups: ['builders', 'auditors'] },
];
const tokenFile = TOKEN_USERS.map(
  ({ name, token, groups }) => `${token},${name},${name}-uid,"${groups.join(',')}"\n`,
).join('');

async function writeControllerKubeconfig({ directory, caPem }: Certificates, url: string): Promise<void> {
  const cert = await readFile(pathOf(directory, 'controller-manager.crt'), 'utf8');
  const key = await readFile(pathOf(directory, 'controller-manager.key'), 'utf8');
  const text = formatKubeconfig({ url, caPem, cert, key });
  await writeFile(pathOf(directory, 'controller-manager.kubeconfig'), text, { mode: 0o600 });
}
