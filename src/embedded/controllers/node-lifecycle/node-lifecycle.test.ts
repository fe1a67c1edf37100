import { afterEach, describe, expect, it } from 'vitest';
import { aPod } from '../../../../test/support/a-pod.ts';
import { type NodeCluster, startNodeCluster } from '../../../../test/support/node-cluster.ts';
import {
  event,
  lease,
  type Node,
  node,
  type Pod,
  pod,
  type Toleration,
} from '../../../kubernetes/types/index.ts';

/**
 * Nodes without a kubelet: the test sends their heartbeats. The expected results were recorded with a real
 * kube-controller-manager of 1.33.
 */
class Story {
  readonly cluster: NodeCluster;
  readonly #alive = new Set<string>();

  constructor(cluster: NodeCluster) {
    this.cluster = cluster;
  }

  async join(name: string, { isSilent = false } = {}): Promise<void> {
    const { kube } = this.cluster;
    const status = isSilent ? {} : { conditions: this.#conditions('True') };
    await kube.create(node, { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: {}, status });
    if (isSilent) return;
    await kube.create(lease, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: 'kube-node-lease' },
      spec: { holderIdentity: name },
    });
    this.#alive.add(name);
  }

  fallSilent(name: string): void {
    this.#alive.delete(name);
  }

  async reportReady(name: string, ready: string): Promise<void> {
    const body = { status: { conditions: this.#conditions(ready) } };
    await this.cluster.kube.patch(node, { name }, { type: 'strategic', body }, { subresource: 'status' });
    this.#alive.add(name);
  }

  async place(name: string, nodeName: string, spec: Partial<Pod['spec']> = {}): Promise<void> {
    const { kube } = this.cluster;
    await kube.create(pod, aPod(name, { nodeName, ...spec }));
    const conditions = ['Ready', 'PodScheduled'].map((type) => ({ type, status: 'True' }));
    const body = { status: { phase: 'Running', conditions } };
    const place = { name, namespace: 'default' };
    await kube.patch(pod, place, { type: 'strategic', body }, { subresource: 'status' });
  }

  /** In steps of four seconds, with heartbeats of all live nodes. */
  async pass(seconds: number): Promise<void> {
    const { env, kube } = this.cluster;
    for (let passed = 0; passed < seconds; passed += 4) {
      for (const name of this.#alive) {
        const renewTime = `${new Date(env.clock.now()).toISOString().slice(0, -1)}000Z`;
        const place = { name, namespace: 'kube-node-lease' };
        await kube.patch(lease, place, { type: 'merge', body: { spec: { renewTime } } });
      }
      await env.clock.advance(4000);
    }
  }

  taints(name: string): readonly string[] {
    const { spec } = this.cluster.nodes.get({ name }) ?? { spec: {} as Node['spec'] };
    return (spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
  }

  conditions(name: string): readonly string[] {
    const { conditions = [] } = this.cluster.nodes.get({ name })?.status ?? {};
    return conditions.map(({ type, status, reason, message }) => `${type}=${status}/${reason}/${message}`);
  }

  pod(name: string): string {
    const found = this.cluster.pods.get({ name, namespace: 'default' });
    if (found === undefined) return 'gone';
    const conditions = (found.status?.conditions ?? []).map(
      ({ type, status, reason = '', message = '' }) => `${type}=${status}/${reason}/${message}`,
    );
    const isLeaving = found.metadata.deletionTimestamp === undefined ? '' : 'leaving ';
    return `${isLeaving}${found.status?.phase} ${conditions.join('; ')}`;
  }

  async events(): Promise<readonly string[]> {
    const { items } = await this.cluster.kube.list(event);
    return items
      .map(
        ({ type, reason, message, source, involvedObject }) =>
          `${involvedObject.name} ${type} ${reason}: ${message} (${source?.component})`,
      )
      .sort();
  }

  #conditions(ready: string) {
    const now = new Date(this.cluster.env.clock.now()).toISOString().replace(/\.\d+/, '');
    return ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => ({
      type,
      status: type === 'Ready' ? ready : 'False',
      reason: 'R',
      message: 'm',
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    }));
  }
}

const UNKNOWN = 'NodeStatusUnknown/Kubelet stopped posting node status.';
const NEVER = 'NodeStatusNeverUpdated/Kubelet never posted node status.';
const UNREACHABLE = ['node.kubernetes.io/unreachable:NoSchedule', 'node.kubernetes.io/unreachable:NoExecute'];
const DISRUPTION =
  'DisruptionTarget=True/DeletionByTaintManager/Taint manager: deleting due to NoExecute taint';

describe('node lifecycle', () => {
  let story: Story;
  const begin = async (...names: readonly string[]): Promise<Story> => {
    story = new Story(await startNodeCluster({ nodes: [] }));
    for (const name of names) await story.join(name);
    await story.pass(4);
    return story;
  };
  afterEach(() => story.cluster.stop());

  it('removes the taint of a new node, and taints a cordoned one', async () => {
    const { cluster } = await begin('a');
    expect(story.taints('a')).toEqual([]);
    await cluster.kube.patch(
      node,
      { name: 'a' },
      {
        type: 'merge',
        body: { spec: { unschedulable: true, taints: [{ key: 'mine', effect: 'NoSchedule' }] } },
      },
    );
    await story.pass(4);
    expect(story.taints('a')).toEqual(['mine:NoSchedule', 'node.kubernetes.io/unschedulable:NoSchedule']);
    await cluster.kube.patch(node, { name: 'a' }, { type: 'merge', body: { spec: { unschedulable: null } } });
    await story.pass(4);
    expect(story.taints('a')).toEqual(['mine:NoSchedule']);
  });

  it('marks a silent node unreachable and its pods unready, and evicts intolerant pods', async () => {
    await begin('a', 'b');
    await story.place('plain', 'a');
    await story.place('patient', 'a', { tolerations: [toleration(4)] });
    await story.place('forever', 'a', { tolerations: [{ operator: 'Exists' }] });
    await story.place('elsewhere', 'b');
    story.fallSilent('a');
    await story.pass(32);
    expect(story.taints('a')).toEqual([]);
    await story.pass(4);
    expect(story.taints('a')).toEqual(UNREACHABLE);
    expect(story.conditions('a')).toEqual(
      ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => `${type}=Unknown/${UNKNOWN}`),
    );
    await story.pass(8);
    const unready = 'Running Ready=False//; PodScheduled=True//';
    expect(['plain', 'patient', 'forever', 'elsewhere'].map((name) => story.pod(name))).toEqual([
      unready,
      `leaving ${unready}; ${DISRUPTION}`,
      unready,
      'Running Ready=True//; PodScheduled=True//',
    ]);
    await story.reportReady('a', 'True');
    await story.pass(8);
    expect([story.taints('a'), story.conditions('a').at(-1)]).toEqual([[], 'Ready=True/R/m']);
    expect(await story.events()).toEqual([
      'a Normal NodeNotReady: Node a status is now: NodeNotReady (node-controller)',
      'a Normal RegisteredNode: Node a event: Registered Node a in Controller (node-controller)',
      'b Normal RegisteredNode: Node b event: Registered Node b in Controller (node-controller)',
      'forever Warning NodeNotReady: Node is not ready (node-controller)',
      'patient Normal TaintManagerEviction: Marking for deletion Pod default/patient (taint-eviction-controller)',
      'patient Warning NodeNotReady: Node is not ready (node-controller)',
      'plain Normal TaintManagerEviction: Cancelling deletion of Pod default/plain (taint-eviction-controller)',
      'plain Warning NodeNotReady: Node is not ready (node-controller)',
    ]);
  });

  it('marks a node that never reported', async () => {
    await begin('a');
    await story.join('never', { isSilent: true });
    await story.pass(56);
    expect(story.conditions('never')).toEqual([]);
    await story.pass(8);
    expect([story.taints('never'), story.conditions('never')]).toEqual([
      UNREACHABLE,
      ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => `${type}=Unknown/${NEVER}`),
    ]);
  });

  it('taints a node that reports not ready', async () => {
    await begin('a', 'b');
    await story.reportReady('a', 'False');
    await story.pass(4);
    expect(story.taints('a')).toEqual([
      'node.kubernetes.io/not-ready:NoSchedule',
      'node.kubernetes.io/not-ready:NoExecute',
    ]);
    await story.reportReady('a', 'True');
    await story.pass(4);
    expect(story.taints('a')).toEqual([]);
  });

  it('evicts no pod when all nodes fall silent at once, however little it tolerates', async () => {
    await begin('a', 'b', 'c');
    for (const name of ['a', 'b', 'c']) {
      await story.place(`on-${name}`, name, { tolerations: [toleration(0)] });
      story.fallSilent(name);
    }
    await story.pass(120);
    expect(['on-a', 'on-b', 'on-c'].map((name) => story.pod(name).split(' ')[0])).toEqual(
      Array(3).fill('Running'),
    );
    expect((await story.events()).filter((line) => line.includes('TaintManagerEviction'))).toEqual([]);
  });

  it('evicts no pods while no node is ready', async () => {
    await begin('a', 'b');
    await story.place('plain', 'a', { tolerations: [toleration(4)] });
    story.fallSilent('a');
    story.fallSilent('b');
    await story.pass(120);
    expect([story.taints('a'), story.taints('b')]).toEqual([
      ['node.kubernetes.io/unreachable:NoSchedule'],
      ['node.kubernetes.io/unreachable:NoSchedule'],
    ]);
    await story.reportReady('b', 'True');
    await story.pass(8);
    expect([story.taints('a'), story.taints('b')]).toEqual([UNREACHABLE, []]);
    expect(story.pod('plain')).toMatch(/^leaving /);
  });

  it('evicts at once after a NoExecute taint', async () => {
    const { cluster } = await begin('a');
    await story.place('plain', 'a');
    const taints = [{ key: 'out', value: '1', effect: 'NoExecute' }];
    await cluster.kube.patch(node, { name: 'a' }, { type: 'merge', body: { spec: { taints } } });
    await story.pass(4);
    expect(story.pod('plain')).toBe(`leaving Running Ready=True//; PodScheduled=True//; ${DISRUPTION}`);
  });

  it('deletes pods of a deleted node after a while, unless it registers again', async () => {
    const { cluster } = await begin('a', 'b', 'c');
    await story.place('lost', 'nowhere');
    await story.place('orphan', 'a');
    await story.place('lucky', 'c');
    for (const name of ['a', 'c']) {
      story.fallSilent(name);
      await cluster.kube.delete(node, { name });
    }
    await story.pass(32);
    await cluster.kube.create(node, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'c' },
      spec: {},
    });
    expect(['lost', 'orphan', 'lucky'].map((name) => story.pod(name).split(' ')[0])).toEqual(
      Array(3).fill('Running'),
    );
    await story.pass(16);
    expect(['lost', 'orphan'].map((name) => story.pod(name))).toEqual(['gone', 'gone']);
    expect(story.pod('lucky')).toMatch(/^Running /);
    const last = story.cluster.trace.filter((line) => line.includes(' pod orphan ')).at(-2);
    expect(last).toMatch(/ pod orphan Failed a ready=True$/);
    expect(await story.events()).toContain(
      'a Normal RemovingNode: Node a event: Removing Node a from Controller (node-controller)',
    );
  });
});

function toleration(tolerationSeconds: number): Toleration {
  const key = 'node.kubernetes.io/unreachable';
  return { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds };
}
