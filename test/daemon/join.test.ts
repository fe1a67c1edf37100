/**
 * How a machine joins: installed with a config, with another OS than that of its config, or in a
 * plain cluster without a config.
 */
import { describe, expect, it } from 'vitest';
import { annotations, controllerConfig as controllerConfigKind } from '../../src/api/index.ts';
import { IGNITION_PRESET } from '../../src/node/daemon/index.ts';
import { INTERNAL_PULL_SECRET, KUBELET_CA } from '../../src/node/plan/index.ts';
import { aConfig, aUnit } from './a-config.ts';
import { createDaemonNode, NEW_OS, OLD_OS, osImages, provision } from './daemon-node.ts';
import { conditionOf } from './small-cluster.ts';
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
