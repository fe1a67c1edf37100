/** Our client on the real server, which has the last word on what the client may rely on. */
import { describe, it } from 'vitest';
import { systemClock } from '../../src/base/env.ts';
import { createNodeTransport } from '../../src/kubernetes/client/transport-node.ts';
import { runKubeContract } from '../kube/kube-contract.ts';
import { startKubernetes } from './kubernetes.ts';

const cluster = await startKubernetes();
if ('unavailable' in cluster) {
  describe.skip(`the client (${cluster.unavailable})`, () => it('has no server to talk to', () => undefined));
} else {
  const { url, caPem: authorityPem, adminCert: certPem, adminKey: keyPem, users, expireHistory } = cluster;
  const clock = systemClock;
  const certificate = { certPem, keyPem };
  const transport = createNodeTransport({ access: { url, authorityPem, certificate }, clock });
  const token = () => Promise.resolve(users[0]?.token);
  const stranger = createNodeTransport({ access: { url, authorityPem, token }, clock });
  runKubeContract('on a real server', async () => ({
    transport,
    stranger,
    ...(expireHistory === undefined ? {} : { expireHistory }),
    async stop() {
      transport.close();
      stranger.close();
      await cluster.stop();
    },
  }));
}
