/** The cluster of the tests is one: its nodes run pods, and it goes away without a trace. */
import { afterAll, describe, expect, it } from 'vitest';
import { until } from '../lab/until.ts';
import type { Cluster } from './cluster.ts';
import type { ClusterMachine } from './cluster-machine.ts';
import { BUSYBOX_IMAGE } from './images.ts';
import { findPrograms } from './needs.ts';
import { snapshotDifferences } from './snapshot.ts';
import { story } from './story.ts';

const programs = await findPrograms();
const POD_LIMIT_MS = 120_000;
const PODS = ['-l', 'app=harness'];

describe.skipIf('unavailable' in programs)('the test cluster', () => {
  let cluster: Cluster;
  story.beforeAll(async ({ cluster: shared }) => {
    cluster = shared;
  });
  afterAll(() => cluster?.kubectl(['delete', 'pods', ...PODS, '--wait=false']));

  it('has three nodes without roles: two of CRI-O, one of containerd', async () => {
    const columns =
      'NAME:.metadata.name,RUNTIME:.status.nodeInfo.containerRuntimeVersion,OS:.status.nodeInfo.osImage';
    const nodes = await cluster.kubectl(['get', 'nodes', '--no-headers', '-o', `custom-columns=${columns}`]);
    expect(nodes.replace(/ +/g, ' ')).toMatch(
      /^debian-0 containerd:\/\/1\.6\..* Debian GNU\/Linux 12.*\nostree-0 cri-o:\/\/1\.34\.0 Lab CoreOS 1\.0\nostree-1 cri-o:\/\/1\.34\.0 Lab CoreOS 1\.0\n$/,
    );
    expect(await cluster.kubectl(['get', 'nodes', '--no-headers'])).not.toMatch(
      /worker|control-plane|master/,
    );
  });

  it('sees every change of a machine in snapshots of its files, and nothing else', async () => {
    const seesChanges = async ({ name, files, output }: ClusterMachine) => {
      await output(
        'sh',
        '-ec',
        'echo 1 >/etc/one; echo 2 >/etc/two; ln -s ./one /etc/link; echo 3 >/etc/three',
      );
      const before = await files();
      expect([name, before.size > 100]).toEqual([name, true]);
      await output(
        'sh',
        '-ec',
        'echo 0 >/etc/one; chmod 600 /etc/two; ln -sf ./two /etc/link; rm /etc/three; echo >/etc/four',
      );
      const changed = snapshotDifferences(before, await files()).map((line) => line.replace(/:.*$/s, ''));
      expect([name, ...changed]).toEqual([
        name,
        ...['four', 'link', 'one', 'three', 'two'].map((one) => `/etc/${one}`),
      ]);
    };
    await Promise.all(cluster.machines.map(seesChanges));
  });

  it('runs a pod on each node, with logs, exec and the API behind its Service', async () => {
    const pods = cluster.machines.map(({ name }) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels: { app: 'harness' } },
      spec: {
        nodeName: name,
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'shell',
            image: BUSYBOX_IMAGE,
            command: ['sh', '-c', 'echo hello from $(hostname); sleep 100000'],
          },
        ],
      },
    }));
    await cluster.kubectl(
      ['apply', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: pods }),
    );
    const running = ['get', 'pods', ...PODS, '--field-selector=status.phase=Running', '-o', 'name'];
    await until('all pods are Running', { limitMs: POD_LIMIT_MS, explain: cluster.explain }, async () => {
      return (await cluster.kubectl(running)).split('\n').length - 1 === pods.length;
    });
    const version =
      'wget -q -O - --no-check-certificate https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT/version';
    for (const { name } of cluster.machines) {
      expect(await cluster.kubectl(['logs', name])).toBe(`hello from ${name}\n`);
      expect(await cluster.kubectl(['exec', name, '--', 'sh', '-c', version])).toContain(
        '"gitVersion": "v1.33.',
      );
    }
    expect(cluster.registry('registry.millwright.dev').requests).toContain('GET /v2/lab/busybox/manifests/1');
    expect(cluster.registry('mirror.cluster.test').requests).toEqual([]);
  });
});
