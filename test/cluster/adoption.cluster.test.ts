/** Millwright is installed on a cluster that has been running without it. */
import { afterAll, describe, expect, it } from 'vitest';
import {
  machineConfig as machineConfigKind,
  machineConfigNode as machineConfigNodeKind,
} from '../../src/api/index.ts';
import { node as nodeKind, pod as podKind } from '../../src/kubernetes/types/index.ts';
import type { Cluster } from './cluster.ts';
import type { ClusterMachine } from './cluster-machine.ts';
import { BUSYBOX_IMAGE } from './images.ts';
import { eventually, installMillwright, NAMESPACE, poolOf, untilUpdated } from './millwright.ts';
import { findPrograms } from './needs.ts';
import { type FileSnapshot, snapshotDifferences } from './snapshot.ts';
import { story } from './story.ts';

const programs = await findPrograms();
const WORKLOAD_LIMIT_MS = 120_000;
const REPORT_LIMIT_MS = 60_000;
const WORKLOAD = 'app=workload';

type State = {
  readonly files: ReadonlyMap<string, FileSnapshot>;
  readonly bootIds: Readonly<Record<string, string>>;
  readonly pods: readonly string[];
};

describe.skipIf('unavailable' in programs)('an installation on a running cluster', () => {
  let cluster: Cluster;
  let before: State;
  story.beforeAll(async ({ cluster: shared }) => {
    cluster = shared;
    await runWorkload(cluster);
    before = await stateOf(cluster);
    await installMillwright(cluster);
  });
  afterAll(() => cluster?.kubectl(['delete', 'deployments', '-l', WORKLOAD, '--wait=false']));

  it('runs its daemon on every node', async () => {
    const selection = { namespace: NAMESPACE, labelSelector: 'k8s-app=machine-config-daemon' };
    const { items } = await cluster.kube.list(podKind, selection);
    const phases = items.map(({ spec, status }) => `${spec.nodeName} ${status?.phase}`).sort();
    expect(phases).toEqual(['debian-0 Running', 'ostree-0 Running', 'ostree-1 Running']);
  });

  it('takes all nodes into the pool worker with an empty config', async () => {
    const target = await untilUpdated(cluster);
    const rendered = await cluster.kube.get(machineConfigKind, { name: target });
    expect(rendered?.spec).toMatchObject({ kernelArguments: [], extensions: [] });
    expect(rendered?.spec?.config).toEqual({ ignition: { version: expect.any(String) } });
    for (const { name } of cluster.machines) {
      // The pool counts a node by its annotations; its daemon writes the report after them.
      await eventually(cluster, `${name} reports that it is updated`, REPORT_LIMIT_MS, async () => {
        const own = await cluster.kube.get(machineConfigNodeKind, { name });
        return own?.status?.conditions?.find(({ type }) => type === 'Updated')?.status === 'True';
      });
      const own = await cluster.kube.get(machineConfigNodeKind, { name });
      expect([own?.spec.pool.name, own?.spec.configVersion.desired]).toEqual(['worker', target]);
    }
    expect((await poolOf(cluster, 'master'))?.spec.paused).toBe(true);
  });

  it('changes no file, reboots no node and disturbs no pod', async () => {
    await untilUpdated(cluster);
    const after = await stateOf(cluster);
    for (const { name } of cluster.machines) {
      const [earlier, later] = [before.files.get(name) ?? new Map(), after.files.get(name) ?? new Map()];
      expect([name, earlier.size > 100]).toEqual([name, true]);
      expect([name, ...snapshotDifferences(earlier, later)]).toEqual([name]);
    }
    expect(after.bootIds).toEqual(before.bootIds);
    expect(after.pods).toEqual(before.pods);
  });

  it('drains and labels no node', async () => {
    expect(await cluster.drainRequests()).toEqual([]);
    const { items } = await cluster.kube.list(nodeKind);
    const traces = items.map(({ metadata, spec }) => ({
      name: metadata.name,
      isCordoned: spec.unschedulable ?? false,
      roles: Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith('node-role.kubernetes.io/')),
    }));
    expect(traces).toEqual(
      ['debian-0', 'ostree-0', 'ostree-1'].map((name) => ({
        name,
        isCordoned: false,
        roles: [],
      })),
    );
  });
});

/** A pod on each node, of the kind that a drain would evict. */
async function runWorkload(cluster: Cluster): Promise<void> {
  const labels = { app: 'workload' };
  const deployments = cluster.machines.map(({ name }) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `workload-${name}`, labels },
    spec: {
      selector: { matchLabels: { ...labels, node: name } },
      template: {
        metadata: { labels: { ...labels, node: name } },
        spec: {
          nodeSelector: { 'kubernetes.io/hostname': name },
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'sleep', image: BUSYBOX_IMAGE, command: ['sleep', '100000'] }],
        },
      },
    },
  }));
  const list = { apiVersion: 'v1', kind: 'List', items: deployments };
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(list));
  await eventually(cluster, 'the workload runs', WORKLOAD_LIMIT_MS, async () => {
    const { items } = await cluster.kube.list(podKind, { namespace: 'default', labelSelector: WORKLOAD });
    return items.filter(({ status }) => status?.phase === 'Running').length === cluster.machines.length;
  });
}

async function stateOf(cluster: Cluster): Promise<State> {
  const files = new Map<string, FileSnapshot>();
  const bootIds: Record<string, string> = {};
  const remember = async ({ name, files: read, bootId }: ClusterMachine) => {
    files.set(name, await read());
    bootIds[name] = await bootId();
  };
  await Promise.all(cluster.machines.map(remember));
  const { items } = await cluster.kube.list(podKind, { namespace: 'default', labelSelector: WORKLOAD });
  const pods = items.map(({ metadata, spec, status }) => {
    const restarts = status?.containerStatuses?.map(({ restartCount }) => restartCount);
    return `${metadata.name} ${metadata.uid} on ${spec.nodeName}: ${restarts}`;
  });
  return { files, bootIds, pods: pods.sort() };
}
