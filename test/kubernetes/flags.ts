/** The command lines of the servers: their defaults, but for what a cluster on one loopback cannot have. */
import { pathOf } from './certificates.ts';

export type EtcdPlace = {
  readonly directory: string;
  readonly etcdUrl: string;
  readonly peerUrl: string;
  /** Whether a write is on the disk before it is acknowledged. */
  readonly isDurable: boolean;
};

export function etcdArgs({ directory, etcdUrl, peerUrl, isDurable }: EtcdPlace): readonly string[] {
  return [
    '--name=test',
    `--data-dir=${pathOf(directory, 'etcd')}`,
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=test=${peerUrl}`,
    // The data of a test dies with it: nothing is gained by waiting for the disk.
    ...(isDurable ? [] : ['--unsafe-no-fsync']),
    '--log-level=warn',
  ];
}

export type ApiserverPlace = {
  readonly directory: string;
  readonly etcdUrl: string;
  readonly securePort: number;
};

/** Of any API server: what is particular to one on the loopback is in {@link apiserverArgs}. */
export function commonApiserverArgs({ directory, etcdUrl, securePort }: ApiserverPlace): readonly string[] {
  return [
    `--etcd-servers=${etcdUrl}`,
    `--secure-port=${securePort}`,
    `--tls-cert-file=${pathOf(directory, 'server.crt')}`,
    `--tls-private-key-file=${pathOf(directory, 'server.key')}`,
    `--client-ca-file=${pathOf(directory, 'ca.crt')}`,
    '--authorization-mode=Node,RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${pathOf(directory, 'service-accounts.pub')}`,
    `--service-account-signing-key-file=${pathOf(directory, 'service-accounts.key')}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    // As kubeadm does: daemons of nodes run privileged.
    '--allow-privileged=true',
    '--profiling=false',
  ];
}

export function apiserverArgs(place: ApiserverPlace): readonly string[] {
  return [
    ...commonApiserverArgs(place),
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    // A loopback address is refused as an endpoint, which would fill the log.
    '--endpoint-reconciler-type=none',
    `--token-auth-file=${pathOf(place.directory, 'tokens.csv')}`,
  ];
}

/** Of any controller manager, with all controllers on. */
export function commonControllerManagerArgs(directory: string): readonly string[] {
  const kubeconfig = pathOf(directory, 'controller-manager.kubeconfig');
  return [
    `--kubeconfig=${kubeconfig}`,
    `--service-account-private-key-file=${pathOf(directory, 'service-accounts.key')}`,
    `--root-ca-file=${pathOf(directory, 'ca.crt')}`,
    '--bind-address=127.0.0.1',
    '--secure-port=0',
    '--leader-elect=false',
    // Each controller acts as itself: the manager's own role can do next to nothing.
    '--use-service-account-credentials=true',
  ];
}

export function controllerManagerArgs(directory: string): readonly string[] {
  return [
    ...commonControllerManagerArgs(directory),
    `--cluster-signing-cert-file=${pathOf(directory, 'ca.crt')}`,
    `--cluster-signing-key-file=${pathOf(directory, 'ca.key')}`,
    // There are no kubelets: these would taint every node, and delete every pod that is bound to one.
    '--controllers=*,-node-lifecycle-controller,-taint-eviction-controller,-pod-garbage-collector-controller',
  ];
}

/** With the kubeconfig of an administrator: what it may do is not what is tested. */
export function schedulerArgs(kubeconfigPath: string): readonly string[] {
  return [
    `--kubeconfig=${kubeconfigPath}`,
    '--bind-address=127.0.0.1',
    '--secure-port=0',
    '--leader-elect=false',
  ];
}
