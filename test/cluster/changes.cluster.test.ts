/** What an administrator declares reaches nodes of all kinds. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { machineConfig as machineConfigKind } from '../../src/api/index.ts';
import { aConfig } from '../lab/lab-actions.ts';
import { mostCordoned } from './audit.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { pushBusybox } from './images.ts';
import { eventually, installMillwright, untilUpdated } from './millwright.ts';
import { findPrograms } from './needs.ts';

const programs = await findPrograms();

describe.skipIf('unavailable' in programs)('a change of a pool', () => {
  let cluster: Cluster;
  let adopted = '';
  beforeAll(async () => {
    if ('unavailable' in programs) return;
    cluster = await startCluster({ programs });
    await installMillwright(cluster);
    adopted = await untilUpdated(cluster);
  });
  afterAll(() => cluster?.stop());

  it('brings a file, a unit and a kernel argument to OSTree and plain nodes, one node at a time', async () => {
    const bootIds = await bootIdsOf(cluster);
    const unit = `[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'echo told >/run/story'
[Install]
WantedBy=multi-user.target
`;
    const config = aConfig('50-story', {
      files: { '/etc/story': 'once upon a time\n' },
      units: { 'story.service': unit },
      kernelArguments: ['story=told'],
    });
    await cluster.kube.apply(machineConfigKind, config);
    await untilUpdated(cluster, { after: adopted });
    for (const { name, output } of cluster.machines) {
      expect([name, await output('cat', '/etc/story')]).toEqual([name, 'once upon a time']);
      expect([name, await output('cat', '/run/story')]).toEqual([name, 'told']);
      expect([name, (await output('cat', '/proc/cmdline')).split(' ')]).toEqual([
        name,
        expect.arrayContaining(['story=told']),
      ]);
    }
    const after = await bootIdsOf(cluster);
    for (const { name } of cluster.machines) expect(after[name]).not.toBe(bootIds[name]);
    const cordons = (await cluster.drainRequests()).filter((line) => line.startsWith('cordon '));
    expect(mostCordoned(await cluster.drainRequests())).toBe(1);
    expect(cordons.toSorted()).toEqual(['cordon debian-0', 'cordon ostree-0', 'cordon ostree-1']);
  });

  it('is undone on all nodes when the config is deleted', async () => {
    const after = await untilUpdated(cluster);
    await cluster.kube.delete(machineConfigKind, { name: '50-story' });
    expect(await untilUpdated(cluster, { after })).toBe(adopted);
    for (const { name, machine, output } of cluster.machines) {
      const { stdout } = await machine.run(['ls', '/etc/story', '/run/story'], { allowsFailure: true });
      expect([name, stdout]).toEqual([name, '']);
      expect([name, await output('cat', '/proc/cmdline')]).toEqual([
        name,
        expect.not.stringContaining('story'),
      ]);
    }
  });

  it('sets options of kubelets, which they report in /configz', async () => {
    const after = await untilUpdated(cluster);
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(KUBELET_CONFIG));
    await untilUpdated(cluster, { after });
    for (const { name } of cluster.machines) {
      const configz = await cluster.kubectl(['get', '--raw', `/api/v1/nodes/${name}/proxy/configz`]);
      const { kubeletconfig } = JSON.parse(configz) as { kubeletconfig: Readonly<Record<string, unknown>> };
      // The second one is what the nodes had before.
      expect([name, kubeletconfig.maxPods, kubeletconfig.nodeLeaseDurationSeconds]).toEqual([name, 77, 10]);
    }
  });

  it('sends pulls through a mirror, on CRI-O and on containerd', async () => {
    const mirror = cluster.registry('mirror.cluster.test');
    await pushBusybox(mirror, { folder: join(cluster.folder, 'mirrored'), name: 'lab/mirrored:1' });
    const after = await untilUpdated(cluster);
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(MIRROR_SET));
    await untilUpdated(cluster, { after });
    for (const { name } of cluster.machines) {
      const earlier = mirror.requests.length;
      await cluster.kubectl(['run', name, '--image=source.cluster.test/lab/mirrored:1', ...onNode(name)]);
      await eventually(cluster, `the pod on ${name} has run`, POD_LIMIT_MS, async () => {
        return (
          (await cluster.kubectl(['get', 'pod', name, '-o', 'jsonpath={.status.phase}'])) === 'Succeeded'
        );
      });
      expect([name, mirror.requests.slice(earlier)]).toEqual([
        name,
        expect.arrayContaining([expect.stringMatching(/^(GET|HEAD) \/v2\/lab\/mirrored\/manifests\/1$/)]),
      ]);
    }
  });
});

const POD_LIMIT_MS = 120_000;

const KUBELET_CONFIG = {
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'KubeletConfig',
  metadata: { name: 'story' },
  spec: {
    machineConfigPoolSelector: {
      matchLabels: { 'pools.operator.machineconfiguration.openshift.io/worker': '' },
    },
    kubeletConfig: { maxPods: 77 },
  },
};

/** Nodes cannot reach the source: it does not exist. */
const MIRROR_SET = {
  apiVersion: 'config.openshift.io/v1',
  kind: 'ImageTagMirrorSet',
  metadata: { name: 'story' },
  spec: { imageTagMirrors: [{ source: 'source.cluster.test', mirrors: ['mirror.cluster.test'] }] },
};

function onNode(nodeName: string): readonly string[] {
  const spec = { nodeName, terminationGracePeriodSeconds: 1 };
  return ['--restart=Never', `--overrides=${JSON.stringify({ spec })}`, '--command', '--', 'true'];
}

async function bootIdsOf({ machines }: Cluster): Promise<Readonly<Record<string, string>>> {
  const pairs = machines.map(async ({ name, bootId }) => [name, await bootId()] as const);
  return Object.fromEntries(await Promise.all(pairs));
}
