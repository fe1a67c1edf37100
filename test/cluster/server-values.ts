/**
 * Values of an installation with the machine config server, on a cluster whose control plane has no nodes. The same in all stories: what
 * one has installed, the next finds.
 */
import { API_ADDRESS, API_PORT } from './addresses.ts';
import type { Cluster } from './cluster.ts';

const NODE = 'debian-0';
const PORT = 22_623;

export function serverUrl(cluster: Cluster): string {
  return `https://${cluster.machine(NODE).address}:${PORT}`;
}

export function serverValues(cluster: Cluster) {
  return {
    // Kubelets of machines that join ask for both of their certificates; those of clients are approved where there is a server.
    servingCertificates: { approve: true },
    server: {
      enabled: true,
      url: serverUrl(cluster),
      apiServerUrl: `https://${API_ADDRESS}:${API_PORT}`,
      nodeSelector: { 'node-role.kubernetes.io/control-plane': null, 'kubernetes.io/hostname': NODE },
    },
  };
}
