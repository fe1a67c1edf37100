/**
 * What a failing update reports to the cluster, from retry to retry.
 */
import { describe, expect, it } from 'vitest';
import { type Event, event as eventKind } from '../../src/kubernetes/types/index.ts';
import { aUnit, POLICY } from './a-config.ts';
import { GONE_OS } from './daemon-node.ts';
import type { JoinedNode } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, untilDegraded, pass } = stories;
const MINUTE = 60_000;

/** Every different value of the annotation `reason` and of the condition from now on. */
function reportsOf({ node }: JoinedNode): { readonly reasons: Set<string>; readonly messages: Set<string> } {
  const reasons = new Set<string>();
  const messages = new Set<string>();
  const { nodes, machineConfigNodes } = stories.cluster();
  nodes.onChange(({ after }) => {
    if (after?.metadata.name !== node.name) return;
    reasons.add(after.metadata.annotations?.['machineconfiguration.openshift.io/reason'] ?? '');
  });
  machineConfigNodes.onChange(({ after }) => {
    if (after?.metadata.name !== node.name) return;
    const condition = after.status?.conditions?.find(({ type }) => type === 'NodeDegraded');
    if (condition?.status === 'True') messages.add(condition.message);
  });
  return { reasons, messages };
}

/** What `kubectl describe node` lists: in all namespaces, but only of an object that is in none. */
async function describedEvents({ node }: JoinedNode): Promise<readonly Event[]> {
  const { kube } = stories.cluster();
  const { uid = '' } = (await stories.cluster().node(node.name)).metadata;
  const fieldSelector = `involvedObject.kind=Node,involvedObject.name=${node.name},involvedObject.namespace=,involvedObject.uid=${uid}`;
  return (await kube.list(eventKind, { fieldSelector })).items;
}

/** What `kubectl get events --field-selector involvedObject.name=NODE` lists. */
async function listedEvents({ node }: JoinedNode): Promise<readonly Event[]> {
  const { kube } = stories.cluster();
  const fieldSelector = `involvedObject.name=${node.name}`;
  return (await kube.list(eventKind, { namespace: 'default', fieldSelector })).items;
}

describe('a failing update', () => {
  it('reports a file that cannot be written with the same text at every retry', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    joined.node.disk.addFault({ path: '/rootfs/etc/blocked', code: 'EEXIST', calls: ['rename'] });
    const { reasons, messages } = reportsOf(joined);
    await joined.sendTo('next', { files: { '/etc/a': 'two', '/etc/blocked': 'no' } });
    await untilDegraded(joined, /file exists/);
    await pass(10 * MINUTE);
    expect([...reasons].filter((reason) => reason !== '')).toHaveLength(1);
    expect(messages.size).toBe(1);
  });

  it('waits longer after each failed pull of an OS image, up to a minute', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { clock } = stories.cluster().env;
    const pulls: number[] = [];
    Object.defineProperty(joined.images, GONE_OS, {
      get: () => {
        pulls.push(clock.now());
        return undefined;
      },
    });
    await joined.sendTo('next', { osImage: GONE_OS });
    await untilDegraded(joined, /^Failed to update OS/);
    await pass(20 * MINUTE);
    const waits = pulls.slice(1).map((at, index) => Math.round((at - (pulls[index] ?? 0)) / 1000));
    const betweenUpdates = waits.filter((_, index) => index % 4 === 3);
    expect(waits.slice(0, 3)).toEqual([10, 20, 40]);
    expect(betweenUpdates.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it.each<[string, RegExp, Parameters<JoinedNode['sendTo']>[1]]>([
    ['an OS image that cannot be pulled', /manifest unknown: exit status 1$/, { osImage: GONE_OS }],
    [
      'a service that cannot be reloaded',
      /^could not apply update: reloading crio.service configuration failed.*: exit status 1$/,
      { files: { '/etc/containers/policy.json': POLICY } },
    ],
  ])('reports %s in one line', async (_, expected, parts) => {
    const joined = await join();
    joined.node.machine.faults.failingUnits.add('crio.service');
    const { messages } = reportsOf(joined);
    await joined.sendTo('next', parts);
    const reason = await untilDegraded(joined, /exit status/);
    expect(reason).toMatch(expected);
    expect([...messages, reason].filter((text) => text.includes('\n'))).toEqual([]);
  });

  it.each<[string, RegExp, RegExp, Parameters<JoinedNode['sendTo']>[1]]>([
    ['a file that cannot be written', /^UpdateFailed$/, /file exists$/, { files: { '/etc/blocked': 'no' } }],
    ['an OS image that cannot be pulled', /^UpdateFailed$/, /manifest unknown/, { osImage: GONE_OS }],
    [
      'a service that cannot be reloaded',
      /^FailedServiceReload$/,
      /^Reloading service crio.service failed/,
      { files: { '/etc/containers/policy.json': POLICY } },
    ],
    [
      'a unit that cannot be enabled',
      /^UpdateFailed$/,
      /error enabling units: .*b\.timer\.$/,
      { units: [aUnit('a.service', 'a', { contents: '[Service]\n[Install]\nAlias=b.timer\n' })] },
    ],
    [
      'a config that cannot be followed',
      /^FailedToReconcile$/,
      /can't reconcile config/,
      { extra: { fips: true } },
    ],
  ])('is an event on the Node, where people look: %s', async (_, reason, message, parts) => {
    const joined = await join();
    const { machine } = joined.node;
    joined.node.disk.addFault({ path: '/rootfs/etc/blocked', code: 'EEXIST', calls: ['rename'] });
    machine.faults.failingUnits.add('crio.service');
    const next = await joined.sendTo('next', parts);
    await untilDegraded(joined, /./);
    await pass(1_000);
    const warnings = (await describedEvents(joined)).filter(({ type }) => type === 'Warning');
    const isPointer = (one: Event) => one.reason === 'NodeDegraded';
    const [event, ...others] = warnings.filter((one) => !isPointer(one));
    expect(others).toEqual([]);
    const { name } = joined.node;
    const where = `Node ${name} is degraded: look at MachineConfigNode ${name} (kubectl describe mcn ${name})`;
    expect(warnings.filter(isPointer)).toMatchObject([{ message: where, count: 1 }]);
    expect(event).toMatchObject({
      reason: expect.stringMatching(reason),
      message: expect.stringMatching(message),
      source: { component: 'machineconfigdaemon' },
    });
    if (event?.reason === 'UpdateFailed')
      expect(event.message).toMatch(new RegExp(`^Update to ${next} failed: `));
    expect((await listedEvents(joined)).map(({ metadata }) => metadata.name)).toContain(event?.metadata.name);
  });

  it('counts its retries in one event, and writes it no more than once for each', async () => {
    const joined = await join();
    joined.node.disk.addFault({ path: '/rootfs/etc/blocked', code: 'EEXIST', calls: ['rename'] });
    await joined.sendTo('next', { files: { '/etc/blocked': 'no' } });
    await untilDegraded(joined, /file exists/);
    await pass(30 * MINUTE);
    const warnings = (await listedEvents(joined)).filter(({ type }) => type === 'Warning');
    expect(warnings.map(({ reason }) => reason).toSorted()).toEqual(['NodeDegraded', 'UpdateFailed']);
    // Where to look is reported once.
    expect(warnings.find(({ reason }) => reason === 'NodeDegraded')?.count).toBe(1);
    const events = warnings.filter(({ reason }) => reason === 'UpdateFailed');
    // 1, 2, 4, … 32 seconds apart, then every minute.
    expect(events[0]?.count).toBeGreaterThan(30);
    expect(events[0]?.count).toBeLessThan(40);
  });
});
