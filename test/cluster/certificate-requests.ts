/** Requests for client certificates of kubelets, as whoever has a token can make them. */
import { join } from 'node:path';
import { readKubeconfig } from '../kubernetes/kubeconfig.ts';
import { runTool } from '../lab/run-tool.ts';
import type { Cluster } from './cluster.ts';
import { eventually, NAMESPACE } from './millwright.ts';

const LIMIT_MS = 60_000;

type StolenRequest = {
  /** The name of the one with the token that it is made with. */
  readonly secret: string;
  /** Of the CertificateSigningRequest. */
  readonly name: string;
  /** That the certificate is for. */
  readonly node: string;
};

export async function requestAs(cluster: Cluster, { secret, name, node }: StolenRequest): Promise<void> {
  const wanted = ['get', 'secret', secret, '-n', NAMESPACE, '-o', 'jsonpath={.data.token}'];
  let token = '';
  await eventually(cluster, `the Secret ${secret} has a token`, LIMIT_MS, async () => {
    token = atob(await cluster.kubectl(wanted));
    return token !== '';
  });
  const { url } = await readKubeconfig(cluster.kubeconfigPath);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', '/dev/null'];
  const subject = `/O=system:nodes/CN=system:node:${node}`;
  const pem = await runTool(['openssl', 'req', '-new', ...key, '-subj', subject]);
  const request = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: {
      request: btoa(pem),
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['digital signature', 'client auth'],
    },
  };
  // With nothing of the administrator but the address.
  const nobody = ['--kubeconfig=/dev/null', `--server=${url}`, `--token=${token}`];
  const trust = `--certificate-authority=${join(cluster.kubeconfigPath, '../ca.crt')}`;
  await cluster.kubectl([...nobody, trust, 'create', '-f', '-'], JSON.stringify(request));
}
