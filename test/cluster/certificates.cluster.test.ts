/** Serving certificates of kubelets that ask the cluster for them. */
import { describe, expect, it } from 'vitest';
import type { Cluster, NodeName } from './cluster.ts';
import { BUSYBOX_IMAGE } from './images.ts';
import { eventually, installMillwright, untilUpdated } from './millwright.ts';
import { findPrograms } from './needs.ts';
import { story } from './story.ts';

const programs = await findPrograms();
const LIMIT_MS = 180_000;
const CONFIGS: readonly (readonly [node: NodeName, config: string])[] = [
  ['debian-0', '/var/lib/kubelet/config.yaml'],
  ['ostree-0', '/etc/kubernetes/kubelet.conf'],
];

describe.skipIf('unavailable' in programs)('a kubelet with serverTLSBootstrap', () => {
  let cluster: Cluster;
  story.beforeAll(async ({ cluster: shared }) => {
    cluster = shared;
    await installMillwright(cluster, { values: { builder: { enabled: false } } });
    await untilUpdated(cluster);
    for (const [node] of CONFIGS) {
      const spec = { nodeName: node, terminationGracePeriodSeconds: 1 };
      const overrides = `--overrides=${JSON.stringify({ spec })}`;
      const say = ['--command', '--', 'sh', '-c', 'echo hello; sleep 100000'];
      await cluster.kubectl(['run', `speaks-${node}`, `--image=${BUSYBOX_IMAGE}`, overrides, ...say]);
      await eventually(cluster, `the pod on ${node} speaks`, LIMIT_MS, async () => {
        return (await logs(node)) === 'hello';
      });
    }
  });

  /** Of the pod on a node, or the error. */
  const logs = async (node: NodeName) =>
    await cluster.kubectl(['logs', `speaks-${node}`]).then(
      (text) => text.trim(),
      (error) => String(error),
    );

  /** The conditions of its requests: `Approved Issued`, or nothing. */
  const requestsOf = async (node: NodeName) => {
    const template =
      '{{range .items}}{{.spec.signerName}} {{.spec.username}}{{range .status.conditions}} {{.type}}{{end}}{{if .status.certificate}} Issued{{end}}\n{{end}}';
    const rows = (await cluster.kubectl(['get', 'csr', '-o', `go-template=${template}`])).split('\n');
    const prefix = `kubernetes.io/kubelet-serving system:node:${node}`;
    return rows.filter((row) => row.startsWith(prefix)).map((row) => row.slice(prefix.length).trim());
  };

  it('waits for an approver where Millwright is not told to be one', async () => {
    for (const [node, config] of CONFIGS) {
      await cluster.machine(node).output('sh', '-c', BOOTSTRAP, 'bootstrap', config);
      await eventually(cluster, `${node} has asked for a certificate`, LIMIT_MS, async () => {
        return (await requestsOf(node)).length > 0;
      });
      await eventually(cluster, `${node} has no certificate`, LIMIT_MS, async () => {
        return (await logs(node)).includes('tls: internal error');
      });
      expect(new Set(await requestsOf(node))).toEqual(new Set(['']));
    }
  });

  it('gets its certificate once Millwright approves them, and gives logs again', async () => {
    const values = { builder: { enabled: false }, servingCertificates: { approve: true } };
    await installMillwright(cluster, { values });
    for (const [node] of CONFIGS) {
      await eventually(cluster, `the pod on ${node} can be heard`, LIMIT_MS, async () => {
        return (await logs(node)) === 'hello';
      });
      expect(await requestsOf(node)).toContain('Approved Issued');
      const { output } = cluster.machine(node);
      const file = '/var/lib/kubelet/pki/kubelet-server-current.pem';
      expect(await output('grep', '-c', 'BEGIN CERTIFICATE', file)).toBe('1');
    }
  });
});

/** As an administrator would change it: the certificate that the node was installed with goes. */
const BOOTSTRAP = `set -e
sed -i '/^tlsCertFile:/d; /^tlsPrivateKeyFile:/d' "$1"
echo 'serverTLSBootstrap: true' >>"$1"
rm /etc/kubernetes/serving.crt /etc/kubernetes/serving.key
systemctl restart kubelet.service
`;
