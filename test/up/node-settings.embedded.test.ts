/**
 * KubeletConfig, ContainerRuntimeConfig and node disruption policies: applied, rejected with upstream's messages, and
 * reverted.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KubeletConfig, MachineConfiguration } from '../../src/api/index.ts';
import { Cluster, withKubectl } from './cluster.ts';
import { fileConfig } from './configs.ts';
import { bootId, currentConfig, isCordoned, nodesDuring } from './node-states.ts';
import { moved, targetOf } from './pool-updates.ts';

const WORKERS = ['worker-0', 'worker-1'];
const KUBELET_CONF = 'etc/kubernetes/kubelet.conf';
const DROP_INS = 'etc/crio/crio.conf.d';
const FAILURE = '{.status.conditions[-1:].type}: {.status.conditions[-1:].message}';

withKubectl('settings of nodes', () => {
  let cluster: Cluster;
  /** The files of workers without settings. */
  let base = '';
  let before = '';

  beforeAll(async () => {
    cluster = await Cluster.start(['--speed', '50', '--control-plane', '1', '--workers', '2']);
    base = textOf('worker-0', KUBELET_CONF);
    before = await targetOf(cluster, 'worker');
  });
  afterAll(() => cluster.end());

  const textOf = (node: string, path: string) => readFileSync(cluster.onNode(node, path), 'utf8');
  const settled = (of: string) => cluster.wait(of, '--for=jsonpath={.status.observedGeneration}=1');

  it('of kubelet and CRI-O are rolled out to workers together, with one reboot each, and to no master', async () => {
    const from = await targetOf(cluster, 'worker');
    const course = await nodesDuring(cluster, async () => {
      await cluster.apply(
        settings('KubeletConfig', 'pods', { kubeletConfig: { maxPods: 321 } }),
        settings('ContainerRuntimeConfig', 'pids', { containerRuntimeConfig: { pidsLimit: 4096 } }),
      );
      await moved(cluster, 'worker', from);
    });
    for (const worker of WORKERS) {
      expect(course.of(worker, bootId), worker).toHaveLength(2);
      expect(course.of(worker, isCordoned), worker).toEqual([false, true, false]);
      expect(textOf(worker, KUBELET_CONF)).toMatch(/^maxPods: 321$/m);
      expect(textOf(worker, `${DROP_INS}/01-ctrcfg-pidsLimit`)).toBe('[crio.runtime]\npids_limit = 4096\n');
    }
    expect(course.atOnce(isCordoned)).toBe(1);
    expect(course.of('master-0', bootId)).toHaveLength(1);
    expect(textOf('master-0', KUBELET_CONF)).not.toMatch(/^maxPods: 321$/m);
    const { metadata, status } = await cluster.object<KubeletConfig>('kubeletconfig/pods');
    expect(metadata.finalizers).toEqual(['99-worker-generated-kubelet']);
    expect(status?.conditions?.map(({ type, status: is, message }) => [type, is, message])).toEqual([
      ['Accepted', 'True', 'Success'],
      ['Success', 'True', 'Success'],
    ]);
    expect(await cluster.field('ctrcfg/pids', FAILURE)).toBe('Success: Success');
  });

  it('that are invalid report why, and nodes are unchanged', async () => {
    const from = await targetOf(cluster, 'worker');
    await cluster.apply(
      settings('KubeletConfig', 'dns', { kubeletConfig: { clusterDNS: ['10.0.0.1'] } }),
      settings('ContainerRuntimeConfig', 'few', { containerRuntimeConfig: { pidsLimit: 7 } }),
    );
    await settled('kubeletconfig/dns');
    await settled('ctrcfg/few');
    expect(await cluster.field('kubeletconfig/dns', FAILURE)).toBe(
      'Failure: Error: KubeletConfiguration: clusterDNS is not allowed to be set, but contains: [10.0.0.1]',
    );
    expect(await cluster.field('ctrcfg/few', FAILURE)).toBe('Failure: Error: invalid PidsLimit 7');
    const generated = (await cluster.kubectl(['get', 'mc', '-o', 'name'])).match(/generated-[kc].*/g);
    expect(generated).toEqual(['generated-containerruntime', 'generated-kubelet']);
    await cluster.kubectl(['delete', 'kubeletconfig/dns', 'ctrcfg/few']);
    expect(await targetOf(cluster, 'worker')).toBe(from);
  });

  it('restore the previous files when they are deleted', async () => {
    const from = await targetOf(cluster, 'worker');
    await cluster.kubectl(['delete', 'kubeletconfig/pods', 'ctrcfg/pids']);
    // The same content has the same name.
    expect(await moved(cluster, 'worker', from)).toBe(before);
    for (const worker of WORKERS) {
      expect(textOf(worker, KUBELET_CONF), worker).toBe(base);
      expect(existsSync(cluster.onNode(worker, `${DROP_INS}/01-ctrcfg-pidsLimit`)), worker).toBe(false);
    }
  });

  it('define the action for a changed file: a service reload without drain or reboot', async () => {
    const path = `/${DROP_INS}/50-story`;
    const actions = [{ type: 'Reload', reload: { serviceName: 'crio.service' } }];
    const patch = JSON.stringify({ spec: { nodeDisruptionPolicy: { files: [{ path, actions }] } } });
    await cluster.kubectl(['patch', 'machineconfiguration/cluster', '--type', 'merge', '--patch', patch]);
    await cluster.wait('machineconfiguration/cluster', '--for=jsonpath={.status.observedGeneration}=2');
    const { status } = await cluster.object<MachineConfiguration>('machineconfiguration/cluster');
    expect(status?.nodeDisruptionPolicyStatus?.clusterPolicies?.files?.at(-1)).toEqual({ path, actions });
    const from = await targetOf(cluster, 'worker');
    const course = await nodesDuring(cluster, async () => {
      await cluster.apply(fileConfig({ name: '50-story', role: 'worker', path, text: '# story\n' }));
      await moved(cluster, 'worker', from);
    });
    for (const worker of WORKERS) {
      expect(course.of(worker, currentConfig), worker).toHaveLength(2);
      expect(course.of(worker, bootId), worker).toHaveLength(1);
      expect(course.of(worker, isCordoned), worker).toEqual([false]);
      expect(textOf(worker, path)).toBe('# story\n');
      const log = readFileSync(join(cluster.dataDir, 'nodes', worker, 'log'), 'utf8');
      expect(log.match(/Running: systemctl reload crio\.service/g), worker).toHaveLength(1);
    }
  });
});

/** For the workers. */
function settings(kind: string, name: string, spec: object): string {
  const matchLabels = { 'pools.operator.machineconfiguration.openshift.io/worker': '' };
  return JSON.stringify({
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind,
    metadata: { name },
    spec: { machineConfigPoolSelector: { matchLabels }, ...spec },
  });
}
