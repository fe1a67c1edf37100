/** What an administrator declares reaches nodes of all kinds. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { machineConfig as machineConfigKind } from '../../src/api/index.ts';
import { aConfig } from '../lab/lab-actions.ts';
import { mostCordoned, watchDrains } from './audit.ts';
import type { Cluster } from './cluster.ts';
import { pushBusybox } from './images.ts';
import { eventually, installMillwright, poolOf, ROLLOUT_LIMIT_MS, untilUpdated } from './millwright.ts';
import { findPrograms } from './needs.ts';
import { story } from './story.ts';

const programs = await findPrograms();

describe.skipIf('unavailable' in programs)('a change of a pool', () => {
  let cluster: Cluster;
  let adopted = '';
  story.beforeAll(async ({ cluster: shared }) => {
    cluster = shared;
    await installMillwright(cluster);
    adopted = await untilUpdated(cluster);
  });

  it('brings a file, a unit and a kernel argument to OSTree and plain nodes, one node at a time', async () => {
    const bootIds = await bootIdsOf(cluster);
    const drains = await watchDrains(cluster);
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
    await atOnce(cluster, async () => {
      await cluster.kube.apply(machineConfigKind, config);
      await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(KUBELET_CONFIG));
      await untilRendered(cluster, DECLARED);
    });
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
    const cordons = (await drains()).filter((line) => line.startsWith('cordon '));
    expect(mostCordoned(await drains())).toBe(1);
    expect(cordons.toSorted()).toEqual(['cordon debian-0', 'cordon ostree-0', 'cordon ostree-1']);
  });

  it('sets options of kubelets, which they report in /configz', async () => {
    for (const { name } of cluster.machines) {
      const { maxPods, nodeLeaseDurationSeconds } = await kubeletOptions(cluster, name);
      // The second one is what the nodes had before.
      expect([name, maxPods, nodeLeaseDurationSeconds]).toEqual([name, 77, 10]);
    }
  });

  it('is undone on all nodes when the configs are deleted', async () => {
    const after = await untilUpdated(cluster);
    await atOnce(cluster, async () => {
      await cluster.kube.delete(machineConfigKind, { name: '50-story' });
      await cluster.kubectl(['delete', 'kubeletconfig', 'story']);
      await untilRendered(cluster, []);
    });
    expect(await untilUpdated(cluster, { after })).toBe(adopted);
    for (const { name, machine, output } of cluster.machines) {
      const { stdout } = await machine.run(['ls', '/etc/story', '/run/story'], { allowsFailure: true });
      expect([name, stdout]).toEqual([name, '']);
      expect([name, await output('cat', '/proc/cmdline')]).toEqual([
        name,
        expect.not.stringContaining('story'),
      ]);
      expect([name, (await kubeletOptions(cluster, name)).maxPods]).toEqual([name, DEFAULT_MAX_PODS]);
    }
  });

  it('sends pulls through a mirror, on CRI-O and on containerd', async () => {
    const mirror = cluster.registry('mirror.cluster.test');
    const after = await untilUpdated(cluster);
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(MIRROR_SET));
    await untilUpdated(cluster, { after });
    // By its tag it is seen which node has asked.
    for (const { name } of cluster.machines) {
      await pushBusybox(mirror, { folder: join(cluster.folder, name), name: `lab/mirrored:${name}` });
      const image = `--image=source.cluster.test/lab/mirrored:${name}`;
      await cluster.kubectl(['run', `mirrored-${name}`, image, ...onNode(name)]);
    }
    for (const { name } of cluster.machines) {
      const phase = ['get', 'pod', `mirrored-${name}`, '-o', 'jsonpath={.status.phase}'];
      await eventually(cluster, `the pod on ${name} has run`, POD_LIMIT_MS, async () => {
        return (await cluster.kubectl(phase)) === 'Succeeded';
      });
      expect([name, mirror.requests.filter((request) => request.endsWith(`/manifests/${name}`))]).toEqual([
        name,
        expect.arrayContaining([expect.stringMatching(/^(GET|HEAD) \/v2\/lab\/mirrored\/manifests\//)]),
      ]);
    }
  });
});

const POD_LIMIT_MS = 120_000;
/** Of kubelets. */
const DEFAULT_MAX_PODS = 110;

const DECLARED = ['50-story', '99-worker-generated-kubelet'];

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

/** Several declarations, one rollout: the pool is paused meanwhile. */
async function atOnce({ kubectl }: Cluster, declare: () => Promise<void>): Promise<void> {
  const pause = (isPaused: boolean) => JSON.stringify({ spec: { paused: isPaused } });
  await kubectl(['patch', 'machineconfigpool', 'worker', '--type=merge', '--patch', pause(true)]);
  await declare();
  await kubectl(['patch', 'machineconfigpool', 'worker', '--type=merge', '--patch', pause(false)]);
}

/** Of what the story declares, the config of the pool has `expected`. */
async function untilRendered(cluster: Cluster, expected: readonly string[]): Promise<void> {
  await eventually(cluster, `the config of the pool is of [${expected}]`, ROLLOUT_LIMIT_MS, async () => {
    const sources = (await poolOf(cluster))?.spec.configuration?.source ?? [];
    return DECLARED.every((name) => sources.some((one) => one.name === name) === expected.includes(name));
  });
}

/** What the kubelet runs with. */
async function kubeletOptions(
  { kubectl }: Cluster,
  node: string,
): Promise<Readonly<Record<string, unknown>>> {
  const configz = await kubectl(['get', '--raw', `/api/v1/nodes/${node}/proxy/configz`]);
  // It is documented so.
  const answer = JSON.parse(configz) as { kubeletconfig: Readonly<Record<string, unknown>> };
  return answer.kubeletconfig;
}

async function bootIdsOf({ machines }: Cluster): Promise<Readonly<Record<string, string>>> {
  const pairs = machines.map(async ({ name, bootId }) => [name, await bootId()] as const);
  return Object.fromEntries(await Promise.all(pairs));
}
