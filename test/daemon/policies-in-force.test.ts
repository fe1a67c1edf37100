/** Node disruption policies: the daemon uses those in the status of MachineConfiguration `cluster`. */
import { expect, it } from 'vitest';
import { machineConfiguration as machineConfigurationKind } from '../../src/api/index.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const PLACE = { name: 'cluster' };
const noAction = [{ type: 'None' }];

/** Without an operator: the test writes the status. */
async function writePolicies(spec: object, status: object): Promise<void> {
  const { kube } = stories.cluster();
  const metadata = PLACE;
  const object = { apiVersion: 'operator.openshift.io/v1', kind: 'MachineConfiguration', metadata, spec };
  const applied = await kube.apply(machineConfigurationKind, object);
  const body = { status: { observedGeneration: applied.metadata.generation, ...status } };
  await kube.patch(machineConfigurationKind, PLACE, { type: 'merge', body }, { subresource: 'status' });
  await stories.pass(1_000);
}

const policies = (path: string) => ({ files: [{ path, actions: noAction }], sshkey: { actions: noAction } });

it('the policies of the status apply, not those of the spec', async () => {
  const joined = await stories.join({ files: { '/etc/a': 'one', '/etc/b': 'one' } });
  const inForce = { nodeDisruptionPolicyStatus: { clusterPolicies: policies('/etc/a') } };
  await writePolicies({ nodeDisruptionPolicy: { files: [{ path: '/etc/b', actions: noAction }] } }, inForce);
  const { node } = joined;
  const bootId = await node.machine.host.bootId();
  const next = await joined.sendTo('next', { files: { '/etc/a': 'two', '/etc/b': 'one' } });
  await stories.cluster().untilDone(node.name, next);
  expect(await node.machine.host.bootId()).toBe(bootId);
  const other = await joined.sendTo('other', { files: { '/etc/a': 'two', '/etc/b': 'two' } });
  await stories.cluster().untilDone(node.name, other);
  expect(await node.machine.host.bootId()).not.toBe(bootId);
});

it('with a status of an earlier spec the daemon merges the policies itself', async () => {
  const joined = await stories.join({ files: { '/etc/a': 'one', '/etc/b': 'one' } });
  const inForce = {
    nodeDisruptionPolicyStatus: { clusterPolicies: policies('/etc/a') },
    observedGeneration: 0,
  };
  await writePolicies({ nodeDisruptionPolicy: { files: [{ path: '/etc/b', actions: noAction }] } }, inForce);
  const { node } = joined;
  const bootId = await node.machine.host.bootId();
  const next = await joined.sendTo('next', { files: { '/etc/a': 'one', '/etc/b': 'two' } });
  await stories.cluster().untilDone(node.name, next);
  expect(await node.machine.host.bootId()).toBe(bootId);
});
