/**
 * How a machine joins: installed with a config, with another OS than that of its config, or in a
 * plain cluster without a config.
 */
import { describe, expect, it } from 'vitest';
import {
  annotations,
  controllerConfig as controllerConfigKind,
  type MachineConfig,
} from '../../src/api/index.ts';
import { formatMetrics } from '../../src/kubernetes/metrics/index.ts';
import { IGNITION_PRESET } from '../../src/node/daemon/index.ts';
import type { Host } from '../../src/node/host/index.ts';
import { INTERNAL_PULL_SECRET, KUBELET_CA } from '../../src/node/plan/index.ts';
import { aConfig, aUnit } from './a-config.ts';
import { createDaemonNode, NEW_OS, OLD_OS, osImages, provision } from './daemon-node.ts';
import type { JoinedNode } from './joined-node.ts';
import { conditionOf, nodeConfig } from './small-cluster.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const initial = (config: string) => ({
  [annotations.currentConfig]: config,
  [annotations.desiredConfig]: config,
  [annotations.firstPivotConfig]: config,
  [annotations.state]: 'Done',
});

describe('a machine that was installed with a config', () => {
  it('joins with it, and reports like upstream', async () => {
    const joined = await stories.join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    const record = await stories.cluster().machineConfigNode(node.name);
    expect(record.status?.configVersion).toEqual({ current: first, desired: first });
    const messages = ['UpdateComplete', 'Resumed', 'Uncordoned', 'NodeDegraded', 'Updated'].map(
      (type) => conditionOf(record, type)?.message,
    );
    expect(messages).toEqual([
      'Action during update to not-yet-set: Uncordoned Node as part of completing upgrade phase',
      'Action during update to not-yet-set: In desired config . Resumed normal operations.',
      'Action during update to not-yet-set: UnCordoned node. The node is reporting Unschedulable = false',
      'This node has not yet entered the NodeDegraded phase',
      `Node ${node.name} Updated`,
    ]);
    expect(await stories.cluster().annotation(node.name, 'firstPivotConfig')).toBe(first);
    expect(await node.text('/etc/machine-config-daemon/node-annotations.json')).toBe(undefined);
    expect(await node.text('/etc/machine-config-daemon/node-annotation.json.bak')).toContain(first);
  });

  it('boots the OS of its config first where it was installed with another one', async () => {
    const name = 'pivoting';
    const cluster = stories.cluster();
    const config = await cluster.addConfig(
      aConfig('rendered-pivot', { osImage: NEW_OS, kernelArguments: ['nosmt'] }),
    );
    await cluster.addNode(name);
    const node = await createDaemonNode({ ...cluster, name, images: osImages(), image: OLD_OS });
    await provision(node, config, initial('rendered-pivot'));
    await node.write(IGNITION_PRESET, 'enable a.service\n');
    node.startDaemon();
    await cluster.untilDone(name, 'rendered-pivot');
    expect(node.lines).toContain(`I "Bootstrap pivot required to: ${NEW_OS}"`);
    expect((await node.machine.host.os.deployments())[0]?.image).toBe(NEW_OS);
    expect((await node.machine.host.os.kernelArguments()).filter((one) => one === 'nosmt')).toHaveLength(1);
    expect(await node.text(IGNITION_PRESET)).toBe(undefined);
    node.stopDaemon();
  });

  /** The cluster has no such config any more: it was pruned while the machine was being installed. */
  async function joinAfterPruning(name: string, served: (config: MachineConfig) => string | undefined) {
    const cluster = stories.cluster();
    const config = aConfig(`rendered-worker-${name}`, { files: { '/etc/a': 'one' } });
    await cluster.addNode(name);
    const node = await createDaemonNode({ ...cluster, name, images: osImages(), image: OLD_OS });
    await provision(node, nodeConfig(config), initial(config.metadata.name));
    const text = served(config);
    if (text !== undefined) await node.write('/etc/mcs-machine-config-content.json', text, 0o600);
    node.startDaemon();
    return { node, config: config.metadata.name };
  }

  it('joins with its own copy where its config was pruned meanwhile, and is then updated', async () => {
    const cluster = stories.cluster();
    const served = (config: MachineConfig) => JSON.stringify(config, null, 4);
    const { node, config } = await joinAfterPruning('late', served);
    await cluster.untilDone('late', config);
    expect(node.lines).toContain(
      `W MachineConfig ${config} is gone from the cluster: joining with the copy that this machine was installed with`,
    );
    await cluster.addConfig(aConfig('rendered-worker-next', { files: { '/etc/a': 'two' } }));
    await cluster.send('late', 'rendered-worker-next');
    await cluster.untilDone('late', 'rendered-worker-next');
    expect(await node.text('/etc/a')).toBe('two');
    node.stopDaemon();
  });

  it.each([
    ['without', undefined],
    ['with-another', JSON.stringify(aConfig('rendered-worker-other'))],
    ['with-half', '{"metadata": {"name": "rendered'],
  ])('reports that its config is missing where it has no copy of it: %s', async (name, text) => {
    const { node, config } = await joinAfterPruning(name, () => text);
    const isReported = async () =>
      (await stories.cluster().annotation(name, 'reason')).includes(`"${config}" not found`);
    await stories.cluster().until('degraded', isReported);
    node.stopDaemon();
  });

  it('counts the packages that somebody has layered over its OS', async () => {
    const countOf = ({ node }: JoinedNode) =>
      node.metrics.families().find(({ name }) => name === 'mcd_local_unsupported_packages')?.samples;
    const plain = await stories.join();
    expect(countOf(plain)).toMatchObject([{ value: 0 }]);
    expect(JSON.stringify(countOf(plain))).toContain(plain.node.name);
    const deploymentsOf = async ({ os }: Host) =>
      (await os.deployments()).map((one) => ({ ...one, layeredPackages: ['vim', 'usbguard', 'tmux'] }));
    const osFor = (host: Host) => ({ ...host.os, deployments: () => deploymentsOf(host) });
    expect(countOf(await stories.join({}, { osFor }))).toMatchObject([{ value: 2 }]);
  });

  it('has its state and its config in the metrics of every daemon from its start on', async () => {
    const { node, first } = await stories.join();
    const measured = () =>
      formatMetrics([node.metrics])
        .split('\n')
        .filter((line) => /^mcd_(update_)?state\{/.test(line));
    const expected = [
      /^mcd_state\{state="Done",reason=""\} \d+$/,
      /^mcd_update_state\{config="rendered-.*",err=""\} \d+$/,
    ];
    const isMeasured = async () => measured().length === 2;
    await stories.cluster().until('it is measured', isMeasured);
    node.restartDaemon();
    expect(measured()).toEqual([]);
    await stories.cluster().until('it is measured again', isMeasured);
    expect(measured()).toEqual(expected.map((line) => expect.stringMatching(line)));
    expect(measured()[1]).toContain(first);
  });

  it('reports initial annotations that cannot be parsed', async () => {
    const name = 'wordless';
    const cluster = stories.cluster();
    await cluster.addNode(name);
    const node = await createDaemonNode({ ...cluster, name, images: osImages(), image: OLD_OS });
    await node.write('/etc/machine-config-daemon/node-annotations.json', '["no"]');
    node.startDaemon();
    const isReported = async () =>
      (await cluster.annotation(name, 'reason')).includes('node-annotations.json cannot be read');
    await cluster.until('degraded', isReported);
    node.stopDaemon();
  });
});

describe('a machine that was not installed with a config', () => {
  it('reports the empty config, waits for a desired one, and applies it', async () => {
    const name = 'adopted';
    const cluster = stories.cluster();
    const parts = {
      files: { '/etc/chrony.conf': 'ours' },
      units: [aUnit('a.service', 'one')],
      kernelArguments: ['rw', 'nosmt'],
    };
    await cluster.addConfig(aConfig('rendered-adopted', parts));
    await cluster.addNode(name);
    const node = await createDaemonNode({
      ...cluster,
      name,
      images: osImages(),
      image: OLD_OS,
      kernelArguments: ['rw'],
    });
    node.startDaemon();
    await stories.pass(60_000);
    expect([
      await cluster.annotation(name, 'state'),
      await cluster.annotation(name, 'currentConfig'),
    ]).toEqual(['Done', 'mco-empty-mc']);
    await cluster.send(name, 'rendered-adopted');
    await cluster.untilDone(name, 'rendered-adopted');
    expect(await node.text('/etc/chrony.conf')).toBe('ours');
    expect(await node.text('/etc/machine-config-daemon/orig/etc/chrony.conf.mcdorig')).toBe('pool default\n');
    expect(await node.machine.host.os.kernelArguments()).toEqual(['rw', 'nosmt']);
    expect(
      node.lines.some((line) => line.includes('Starting update from mco-empty-mc to rendered-adopted')),
    ).toBe(true);
    node.stopDaemon();
  });
});

describe('certificates of the ControllerConfig', () => {
  it('are synced without an update', async () => {
    const joined = await stories.join();
    const { kube } = stories.cluster();
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const spec = {
      clusterDNSIP: '',
      cloudProviderConfig: '',
      ipFamilies: 'IPv4',
      rootCAData: base64('root'),
      ...{
        kubeAPIServerServingCAData: base64('a certificate'),
        cloudProviderCAData: null,
        additionalTrustBundle: null,
      },
      ...{
        internalRegistryPullSecret: base64('{"auths":{}}'),
        images: {},
        baseOSContainerImage: '',
        releaseImage: '',
      },
      proxy: null,
      network: null,
      dns: null,
      infra: null,
    };
    const controllerConfig = {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'ControllerConfig',
      metadata: { name: 'machine-config-controller' },
      spec,
    };
    const created = await kube.create(controllerConfigKind, controllerConfig);
    const { node } = joined;
    const isSynced = async () =>
      (await stories.cluster().annotation(node.name, 'lastSyncedControllerConfigResourceVersion')) ===
      created.metadata.resourceVersion;
    await stories.cluster().until('synced', isSynced);
    expect(await node.text(KUBELET_CA)).toBe('a certificate\n');
    expect(await node.text(INTERNAL_PULL_SECRET)).toBe('{"auths":{}}');
    expect((await node.machine.host.files.stat(INTERNAL_PULL_SECRET))?.mode).toBe(0o600);
    expect(await stories.cluster().annotation(node.name, 'state')).toBe('Done');
  });
});
