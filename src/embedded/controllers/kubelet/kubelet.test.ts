import { afterEach, describe, expect, it } from 'vitest';
import { aPod } from '../../../../test/support/a-pod.ts';
import {
  type NodeCluster,
  type NodeClusterOptions,
  startNodeCluster,
} from '../../../../test/support/node-cluster.ts';
import { event, lease, node, type Pod, pod } from '../../../kubernetes/types/index.ts';

describe('a simulated kubelet', () => {
  let cluster: NodeCluster;
  const begin = async (more: Partial<NodeClusterOptions> = {}): Promise<void> => {
    const nodes = ['a', 'b'].map((name) => ({ name }));
    cluster = await startNodeCluster({ nodes, ...more });
  };
  afterEach(() => cluster.stop());

  const place = (name: string) => ({ name, namespace: 'default' });
  const find = (name: string) => cluster.pods.get(place(name));
  const ready = (found: Pod | undefined) =>
    found?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  const restarts = (name: string) => find(name)?.status?.containerStatuses?.[0]?.restartCount;
  const bootOf = (name: string) => cluster.nodes.get({ name })?.status?.nodeInfo?.bootID;
  const events = async (name: string) => {
    const { items } = await cluster.kube.list(event);
    return items.filter(({ involvedObject }) => involvedObject.name === name).map(({ reason }) => reason);
  };
  const run = async (name: string, on: string, metadata: Partial<Pod['metadata']> = {}): Promise<void> => {
    await cluster.kube.create(pod, aPod(name, { nodeName: on }, metadata));
  };
  const pass = (seconds: number) => cluster.env.clock.advance(seconds * 1000);

  it('registers its node, also after its deletion', async () => {
    await begin();
    const first = cluster.nodes.get({ name: 'a' })?.metadata.uid;
    await cluster.kube.delete(node, { name: 'a' });
    await pass(1);
    const second = cluster.nodes.get({ name: 'a' });
    expect([second?.metadata.uid === first, second?.spec.taints ?? []]).toEqual([false, []]);
  });

  it('renews the lease of its node while the machine is up', async () => {
    await begin();
    const renewed = async () => {
      const found = await cluster.kube.get(lease, { name: 'a', namespace: 'kube-node-lease' });
      expect(found?.spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 40 });
      return Date.parse(found?.spec.renewTime ?? '');
    };
    await pass(20);
    const first = await renewed();
    await pass(30);
    expect((await renewed()) - first).toBe(30_000);
    cluster.power.switchOff('a');
    const last = await renewed();
    await pass(30);
    expect(await renewed()).toBe(last);
  });

  it('writes only leases while nothing happens', async () => {
    await begin();
    await run('p', 'a');
    await pass(60);
    const before = cluster.trace.length;
    await pass(200);
    expect(cluster.trace.slice(before)).toEqual([]);
  });

  it('ignores pods with the external annotation', async () => {
    await begin();
    await run('ours', 'a', { annotations: { 'millwright.dev/external': 'daemon' } });
    await pass(30);
    await cluster.kube.delete(pod, place('ours'));
    await pass(120);
    expect([find('ours')?.status?.phase, find('ours')?.metadata.deletionTimestamp]).toEqual([
      'Pending',
      expect.any(String),
    ]);
  });

  it('assigns unique addresses to the pods of a node', async () => {
    await begin();
    for (const name of ['p', 'q', 'r']) await run(name, 'b');
    await pass(30);
    await cluster.kube.delete(pod, place('q'));
    await pass(30);
    await run('s', 'b');
    await pass(30);
    expect(['p', 'r', 's'].map((name) => find(name)?.status?.podIP).toSorted()).toEqual([
      '10.128.2.2',
      '10.128.2.3',
      '10.128.2.4',
    ]);
  });

  it('does nothing while its machine is down, and starts its pods again after the boot', async () => {
    await begin();
    await run('p', 'a');
    await run('q', 'a');
    await pass(30);
    const boot = bootOf('a');
    cluster.power.switchOff('a');
    await cluster.kube.delete(pod, place('q'));
    await run('late', 'a');
    await pass(20);
    expect(find('late')?.status?.phase).toBe('Pending');
    expect([find('q')?.metadata.deletionTimestamp, restarts('p')]).toEqual([expect.any(String), 0]);
    await pass(60);
    expect(ready(find('p'))).toBe('False');
    cluster.power.switchOn('a', { osImage: 'Another Linux' });
    await pass(30);
    expect([ready(find('p')), restarts('p'), find('q'), ready(find('late'))]).toEqual([
      'True',
      1,
      undefined,
      'True',
    ]);
    expect(bootOf('a')).not.toBe(boot);
    expect(cluster.nodes.get({ name: 'a' })?.status?.nodeInfo?.osImage).toBe('Another Linux');
    expect(await events('a')).toEqual(expect.arrayContaining(['Rebooted', 'NodeNotReady', 'NodeReady']));
    expect(await events('p')).toContain('SandboxChanged');
  });

  it('reports a quick reboot', async () => {
    await begin();
    await run('p', 'a');
    await pass(30);
    cluster.power.switchOff('a');
    cluster.power.switchOn('a');
    await pass(30);
    expect([restarts('p'), ready(find('p'))]).toEqual([1, 'True']);
    expect(await events('a')).toContain('Rebooted');
  });

  it('restarts nothing after a network partition', async () => {
    await begin();
    await run('p', 'a');
    await pass(30);
    cluster.power.switchOff('a');
    await pass(60);
    expect(ready(find('p'))).toBe('False');
    cluster.power.reconnect('a');
    await pass(5);
    expect([ready(find('p')), restarts('p')]).toEqual(['True', 0]);
    expect(await events('a')).not.toContain('Rebooted');
  });

  it('reports when its node is cordoned and uncordoned', async () => {
    await begin();
    for (const unschedulable of [true, null]) {
      await cluster.kube.patch(node, { name: 'a' }, { type: 'merge', body: { spec: { unschedulable } } });
      await pass(1);
    }
    expect(await events('a')).toEqual(expect.arrayContaining(['NodeNotSchedulable', 'NodeSchedulable']));
  });

  it('continues after a restart of the process', async () => {
    await begin();
    await run('p', 'a');
    await pass(30);
    const annotations = { 'millwright.dev/simulated-run-seconds': '60' };
    await cluster.kube.create(pod, aPod('job', { restartPolicy: 'Never' }, { annotations }));
    await pass(30);
    const boot = bootOf('a');
    await cluster.restart();
    await pass(30);
    expect([find('job')?.status?.phase, restarts('p'), ready(find('p')), bootOf('a') === boot]).toEqual([
      'Running',
      0,
      'True',
      true,
    ]);
    await pass(10);
    expect(find('job')?.status?.phase).toBe('Succeeded');
  });

  it.each([1, 2, 3, 4])(
    'counts one restart for one reboot, whatever is lost on the way (seed %i)',
    async (seed) => {
      let isOn = true;
      const unreliability = { lost: 0.2, cut: 0.05, lateMs: 3000, isOn: () => isOn };
      await begin({ seed, isQuiet: true, unreliability });
      for (let index = 0; index < 8; index++) await run(`p${index}`, index % 2 === 0 ? 'a' : 'b');
      await pass(120);
      cluster.power.switchOff('a');
      for (const name of ['p0', 'p1']) await cluster.ask(cluster.kube.delete(pod, place(name)));
      await pass(20);
      cluster.power.switchOn('a');
      await pass(120);
      isOn = false;
      await pass(120);
      const left = [...cluster.pods.all()].map(
        (one) => `${one.metadata.name} ${ready(one)} ${one.status?.containerStatuses?.[0]?.restartCount}`,
      );
      expect(left.toSorted()).toEqual(
        [2, 3, 4, 5, 6, 7].map((index) => `p${index} True ${index % 2 === 0 ? 1 : 0}`),
      );
    },
  );
});
