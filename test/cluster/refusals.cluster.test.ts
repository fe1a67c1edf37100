/** What a node cannot follow, or would be lost by, is refused before anything is drained. */
import { afterAll, describe, expect, it } from 'vitest';
import { annotations, type MachineConfig, machineConfig as machineConfigKind } from '../../src/api/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { aConfig } from '../lab/lab-actions.ts';
import { watchDrains } from './audit.ts';
import type { Cluster, NodeName } from './cluster.ts';
import { eventually, installMillwright, ROLLOUT_LIMIT_MS } from './millwright.ts';
import { findPrograms } from './needs.ts';
import { PLAIN_POOL, PLAIN_ROLE } from './plain-pool.ts';
import { story } from './story.ts';

const programs = await findPrograms();
const OSTREE = ['ostree-0', 'ostree-1'] as const;
const DEBIAN = 'debian-0';

describe.skipIf('unavailable' in programs)('nodes of two kinds', () => {
  let cluster: Cluster;
  story.beforeAll(async ({ cluster: shared }) => {
    cluster = shared;
    await installMillwright(cluster);
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(PLAIN_POOL));
    await cluster.kubectl(['label', 'node', DEBIAN, `${PLAIN_ROLE}=`]);
    for (const name of [...OSTREE, DEBIAN] as const) await untilState(name, /^Done$/);
  });
  afterAll(async () => {
    await cluster?.kubectl(['label', 'node', DEBIAN, `${PLAIN_ROLE}-`]);
    await cluster?.kubectl(['delete', 'machineconfigpool', 'plain']);
  });

  /** With the reason, if any. */
  const stateOf = async (name: NodeName) => {
    const node = await cluster.kube.get(nodeKind, { name });
    const { state, reason } = annotations;
    return `${node?.metadata.annotations?.[state] ?? ''} ${node?.metadata.annotations?.[reason] ?? ''}`.trim();
  };
  const untilState = (name: NodeName, state: RegExp) =>
    eventually(cluster, `${name} is ${state}`, ROLLOUT_LIMIT_MS, async () => state.test(await stateOf(name)));
  const isReady = async (name: NodeName) => {
    const node = await cluster.kube.get(nodeKind, { name });
    return node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  };

  it('get a new OS where they boot from images, and refuse it undrained where they do not', async () => {
    const bootId = await cluster.machine(DEBIAN).bootId();
    const drains = await watchDrains(cluster);
    await cluster.kube.apply(machineConfigKind, aConfig('60-os', { osImageURL: cluster.osImage('2.0') }));
    await untilState(DEBIAN, /non-CoreOS/);
    for (const name of OSTREE) {
      const { machine } = cluster.machine(name);
      await eventually(cluster, `${name} runs the new OS`, ROLLOUT_LIMIT_MS, async () => {
        const version = ['cat', '/usr/share/lab/version'];
        const { stdout } = await machine.run(version, { allowsFailure: true }).catch(() => ({ stdout: '' }));
        return stdout === '2.0\n' && (await stateOf(name)) === 'Done';
      });
    }
    expect(await drains()).not.toContain(`cordon ${DEBIAN}`);
    expect(await isReady(DEBIAN)).toBe('True');
    expect(await cluster.machine(DEBIAN).bootId()).toBe(bootId);
    await cluster.kube.delete(machineConfigKind, { name: '60-os' });
    await untilState(DEBIAN, /^Done$/);
  });

  it('report a file that was changed behind their back, until it is as declared again', async () => {
    const config = forPlain(aConfig('60-drift', { files: { '/etc/drift': 'as declared\n' } }));
    await cluster.kube.apply(machineConfigKind, config);
    const { output } = cluster.machine(DEBIAN);
    await eventually(cluster, 'the file is there', ROLLOUT_LIMIT_MS, async () => {
      const read = ['sh', '-c', 'cat /etc/drift || true'];
      const text = await output(...read).catch(() => '');
      return text === 'as declared' && (await stateOf(DEBIAN)) === 'Done';
    });
    await output('sh', '-c', 'echo changed >/etc/drift');
    await untilState(DEBIAN, /^Degraded .*\/etc\/drift/s);
    await output('sh', '-c', 'echo as declared >/etc/drift');
    await untilState(DEBIAN, /^Done$/);
  });
});

function forPlain(config: MachineConfig): MachineConfig {
  const labels = { 'machineconfiguration.openshift.io/role': 'plain' };
  return { ...config, metadata: { ...config.metadata, labels } };
}
