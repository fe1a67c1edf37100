/**
 * Pre-flight: an update that would certainly lose the node is refused before anybody is drained, heals when the config or the node
 * is mended, and can be forced by an annotation.
 */
import { describe, expect, it } from 'vitest';
import { annotations, machineConfig as machineConfigKind } from '../../src/api/index.ts';
import { event as eventKind, node as nodeKind } from '../../src/kubernetes/types/index.ts';
import type { PulledImage } from '../../src/node/host/index.ts';
import { anImage } from '../host/an-image.ts';
import { NEW_OS } from './daemon-node.ts';
import type { JoinedNode } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { condition, join, pass, untilDegraded } = stories;

/** Without CRI-O. */
const BARE_OS = `registry.example/bare@sha256:${'e'.repeat(64)}`;

const KUBELET = {
  name: 'kubelet.service',
  enabled: true,
  contents:
    '[Unit]\nRequires=containerd.service\n[Service]\nExecStart=/usr/bin/kubelet\n[Install]\nWantedBy=multi-user.target\n',
};
const CONTAINERD = '[Service]\nExecStart=/usr/bin/containerd\n';
const REFUSED =
  /^pre-flight refuses this config, and the node is not drained: kubelet\.service: it requires containerd\.service/;

/** Nothing was asked of anybody else. */
async function expectUndisturbed({ node, first }: JoinedNode): Promise<void> {
  const found = await stories.cluster().node(node.name);
  expect(found.spec?.unschedulable ?? false).toBe(false);
  expect(await stories.cluster().annotation(node.name, 'desiredDrain')).toBe(`uncordon-${first}`);
  expect(await stories.cluster().annotation(node.name, 'currentConfig')).toBe(first);
  expect(await node.text('/etc/systemd/system/kubelet.service')).toBeUndefined();
}

async function events(joined: JoinedNode, reason: string): Promise<number> {
  const { items } = await stories.cluster().kube.list(eventKind, { namespace: 'default' });
  return items.filter((one) => one.reason === reason && one.involvedObject.name === joined.node.name).length;
}

/** Requires what the OS image has to bring. */
const WITH_CRIO = { ...KUBELET, contents: KUBELET.contents.replace('containerd', 'crio') };
const NO_CRIO =
  /^pre-flight refuses .*: kubelet\.service: it requires crio\.service, which neither the node, the new OS image nor the config has/;

function imageWithout(...names: readonly string[]): PulledImage {
  const image = anImage({ digest: 'e', version: '9.6.9' });
  return {
    ...image,
    tree: new Map([...image.tree].filter(([path]) => !names.some((name) => path.endsWith(name)))),
  };
}

describe('an OS image that would lose the node', () => {
  it('is refused once it is fetched, and nobody is drained', async () => {
    const joined = await join({ units: [WITH_CRIO] });
    joined.images[BARE_OS] = imageWithout('crio.service');
    const next = await joined.sendTo('next', { units: [WITH_CRIO], osImage: BARE_OS });
    const error = await untilDegraded(joined, NO_CRIO);
    await pass(10 * 60_000);
    const { name } = joined.node;
    expect((await stories.cluster().node(name)).spec?.unschedulable ?? false).toBe(false);
    expect(await stories.cluster().annotation(name, 'desiredDrain')).toBe(`uncordon-${joined.first}`);
    expect(await condition(joined, 'UpdatePrepared')).toBe(
      `Unknown UpdatePrepared: Update Failed compatibility validation. MachineConfigs ${joined.first} and ${next} are not compatible. Err: ${error}`,
    );
    expect(await condition(joined, 'UpdateExecuted')).toMatch(/^False /);
    expect(await condition(joined, 'AppliedFilesAndOS')).toMatch(/^False /);
    await joined.node.write('/etc/systemd/system/crio.service', CONTAINERD);
    await stories.cluster().untilDone(name, next);
  });

  it('is applied where it brings the unit that the node does not have', async () => {
    const joined = await join(
      { osImage: BARE_OS },
      {
        image: BARE_OS,
        images: { [BARE_OS]: imageWithout('crio.service'), [NEW_OS]: anImage({ digest: 'b' }) },
      },
    );
    const refused = await joined.sendTo('refused', { units: [WITH_CRIO], osImage: BARE_OS });
    await untilDegraded(joined, /it requires crio\.service/);
    expect(refused).toBeTruthy();
    const next = await joined.sendTo('next', { units: [WITH_CRIO], osImage: NEW_OS });
    await stories.cluster().untilDone(joined.node.name, next);
  });
});

/** As kubeadm sets it up: the unit names the files that its flags and its configuration are in. */
async function setUpKubeadm({ node }: JoinedNode): Promise<void> {
  await node.write('/run/systemd/system/kubelet.service', '[Service]\nExecStart=/usr/bin/kubelet\n');
  await node.write(
    '/run/systemd/system/kubelet.service.d/10-kubeadm.conf',
    '[Service]\nEnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env\nEnvironmentFile=-/etc/default/kubelet\nExecStart=\nExecStart=/usr/bin/kubelet --config=/var/lib/kubelet/config.yaml $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS\n',
  );
  await node.write(
    '/etc/default/kubelet',
    'KUBELET_EXTRA_ARGS=--config-dir=/etc/kubernetes/kubelet.conf.d\n',
  );
  await node.write('/var/lib/kubelet/config.yaml', `${CONFIGURATION}imageGCLowThresholdPercent: 75\n`);
}

const CONFIGURATION = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

describe('a file that the kubelet reads by way of others', () => {
  it.each([
    [
      'names a socket that is not there',
      '/var/lib/kubelet/kubeadm-flags.env',
      'KUBELET_KUBEADM_ARGS="--container-runtime-endpoint=unix:///run/nothere.sock"\n',
      /kubelet\.service: its --container-runtime-endpoint is \/run\/nothere\.sock, which does not exist on the node/,
    ],
    [
      'does not fit to the configuration of the node',
      '/etc/kubernetes/kubelet.conf.d/a.conf',
      `${CONFIGURATION}imageGCHighThresholdPercent: 70\n`,
      /imageGCLowThresholdPercent must be less than imageGCHighThresholdPercent, but they are 75 and 70/,
    ],
  ])('is refused where it %s', async (_, path, text, why) => {
    const joined = await join();
    await setUpKubeadm(joined);
    await joined.sendTo('next', { files: { [path]: text } });
    await untilDegraded(joined, why);
    await expectUndisturbed(joined);
    expect(await joined.node.text(path)).toBeUndefined();
  });
});

describe('a configuration of CRI-O', () => {
  const DEFAULT = '/etc/crio/crio.conf.d/00-default';
  const NAMED = '[crio.runtime]\ndefault_runtime = "runc"\n[crio.runtime.runtimes.runc]\n';

  /** With its programs at a place that a config may write to. */
  async function setUpCrio({ node }: JoinedNode): Promise<void> {
    for (const name of ['crio', 'runc', 'conmon', 'pinns']) await node.write(`/opt/bin/${name}`, 'a program');
    await node.write(
      '/run/systemd/system/crio.service.d/10-lab.conf',
      '[Service]\nEnvironmentFile=-/etc/sysconfig/crio\nEnvironment=PATH=/opt/bin\nExecStart=\nExecStart=/opt/bin/crio $CRIO_OPTIONS\n',
    );
    await node.write(DEFAULT, NAMED);
    const body = { status: { nodeInfo: { containerRuntimeVersion: 'cri-o://1.34.0' } } };
    const { kube } = stories.cluster();
    await kube.patch(nodeKind, { name: node.name }, { type: 'merge', body }, { subresource: 'status' });
  }

  it('is refused where it replaces the file of the node that names its runtime, until the other one is there', async () => {
    const joined = await join();
    await setUpCrio(joined);
    const next = await joined.sendTo('next', { files: { [DEFAULT]: '[crio.image]\n' } });
    expect(await untilDegraded(joined, /default_runtime/)).toBe(
      `pre-flight refuses this config, and the node is not drained: ${DEFAULT}: no file sets default_runtime, so it is crun, which is in no folder of CRI-O's PATH, so cri-o would not run pods (install crun, or set default_runtime and its runtime_path to a program that the node has); to update anyway, annotate a MachineConfig of the pool with millwright.dev/skip-preflight=runtime-config`,
    );
    await expectUndisturbed(joined);
    expect(await joined.node.text(DEFAULT)).toBe(NAMED);
    await joined.node.write('/opt/bin/crun', 'a program');
    await stories.cluster().untilDone(joined.node.name, next);
  });

  it('is applied where the node has what it names', async () => {
    const joined = await join();
    await setUpCrio(joined);
    const files = { [DEFAULT]: `${NAMED}[crio.image]\npause_image = "a.example/pause:1"\n` };
    const next = await joined.sendTo('next', { files });
    await stories.cluster().untilDone(joined.node.name, next);
  });
});

describe('a config that would lose the node', () => {
  it('is refused: nobody is drained, and the node says why', async () => {
    const joined = await join();
    const next = await joined.sendTo('next', { units: [KUBELET] });
    const error = await untilDegraded(joined, REFUSED);
    await pass(10 * 60_000);
    await expectUndisturbed(joined);
    expect(await stories.cluster().annotation(joined.node.name, 'state')).toBe('Degraded');
    expect(await condition(joined, 'UpdatePrepared')).toBe(
      `Unknown UpdatePrepared: Update Failed compatibility validation. MachineConfigs ${joined.first} and ${next} are not compatible. Err: ${error}`,
    );
    expect(await condition(joined, 'NodeDegraded')).toBe(
      `True NodeDegraded: Node ${joined.node.name} upgrade failure. ${error}`,
    );
    expect(await condition(joined, 'UpdateExecuted')).toMatch(/^False /);
    expect(await events(joined, 'PreflightRefused')).toBe(1);
  });

  it('is applied once the node is mended', async () => {
    const joined = await join();
    const next = await joined.sendTo('next', { units: [KUBELET] });
    await untilDegraded(joined, REFUSED);
    await joined.node.write('/etc/systemd/system/containerd.service', CONTAINERD);
    await stories.cluster().untilDone(joined.node.name, next);
    expect(await condition(joined, 'NodeDegraded')).toMatch(/^False /);
  });

  it('is left for another config', async () => {
    const joined = await join();
    await joined.sendTo('next', { units: [KUBELET] });
    await untilDegraded(joined, REFUSED);
    const units = [KUBELET, { name: 'containerd.service', contents: CONTAINERD }];
    const mended = await joined.sendTo('mended', { units });
    await stories.cluster().untilDone(joined.node.name, mended);
    expect(await stories.cluster().annotation(joined.node.name, 'reason')).toBe('');
  });

  it.each(['true', 'kubelet-unit', 'something, kubelet-unit'])(
    'is applied with the annotation %j, with the refusal as a warning',
    async (value) => {
      const joined = await join();
      const next = await joined.sendTo('next', { units: [KUBELET] });
      await untilDegraded(joined, REFUSED);
      const body = { metadata: { annotations: { [annotations.skipPreflight]: value } } };
      await stories.cluster().kube.patch(machineConfigKind, { name: next }, { type: 'merge', body });
      await stories.cluster().untilDone(joined.node.name, next);
      expect(await condition(joined, 'UpdatePrepared')).toMatch(
        /Update Compatible\. Post Cfg Actions: \[\] Drain Required: true\. Pre-flight warnings: kubelet\.service: it requires containerd\.service/,
      );
    },
  );

  it('is not applied with the annotation for another check', async () => {
    const joined = await join();
    const next = await joined.sendTo('next', { units: [KUBELET] });
    const body = { metadata: { annotations: { [annotations.skipPreflight]: 'space' } } };
    await stories.cluster().kube.patch(machineConfigKind, { name: next }, { type: 'merge', body });
    await untilDegraded(joined, REFUSED);
    await pass(10 * 60_000);
    await expectUndisturbed(joined);
  });
});
