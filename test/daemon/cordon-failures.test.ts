/** A cordon that the cluster refuses is reported where an administrator looks: in the MachineConfigNode and as an event. */
import { expect, it } from 'vitest';
import {
  event as eventKind,
  validatingAdmissionPolicy,
  validatingAdmissionPolicyBinding,
} from '../../src/kubernetes/types/index.ts';
import { setUpStories } from './story-cluster.ts';

const MINUTE = 60_000;
const stories = setUpStories();

/** Refuses changes of a node as the administrator of a cluster may. Returns how to remove the policy. */
async function refuse(name: string, expression: string): Promise<() => Promise<unknown>> {
  const { kube, env } = stories.cluster();
  const metadata = { name };
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const rule = {
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['nodes'],
    operations: ['UPDATE' as const],
  };
  await kube.create(validatingAdmissionPolicy, {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata,
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression, message: 'nodes are frozen' }],
    },
  });
  await kube.create(validatingAdmissionPolicyBinding, {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata,
    spec: { policyName: name, validationActions: ['Deny'] },
  });
  await env.clock.advance(5_000);
  return async () => {
    await kube.delete(validatingAdmissionPolicyBinding, metadata);
    await env.clock.advance(5_000);
  };
}

/** As `kubectl describe node` finds them. */
async function events(node: string, reason: string): Promise<readonly string[]> {
  const { uid } = (await stories.cluster().node(node)).metadata;
  const { items } = await stories.cluster().kube.list(eventKind, { namespace: 'default' });
  return items
    .filter((event) => event.involvedObject?.uid === uid && event.reason === reason)
    .map(({ message = '' }) => message);
}

it('a cordon that is refused is reported, retried, and done once it is allowed', async () => {
  const joined = await stories.join({ files: { '/etc/a': 'one' } });
  const { name } = joined.node;
  const allow = await refuse('no-cordon', '!has(object.spec.unschedulable) || !object.spec.unschedulable');
  const next = await joined.sendTo('next', { files: { '/etc/a': 'two' } });
  await stories.pass(5 * MINUTE);
  const error = `node ${name}: failed to cordon (1 tries): nodes "${name}" is forbidden: ValidatingAdmissionPolicy 'no-cordon' with binding 'no-cordon' denied request: nodes are frozen`;
  expect(await stories.condition(joined, 'UpdateExecuted')).toBe(
    'Unknown Cordoned: Failed to Cordon Node as part of In progress update phase',
  );
  expect(await stories.condition(joined, 'Cordoned')).toBe(
    `Unknown UpdateExecutedCordoned: Error: Failed to Cordon node. Error is ${error}, The node is reporting Unschedulable = false`,
  );
  expect(await events(name, 'FailedToCordon')).toEqual([error]);
  await allow();
  await stories.cluster().untilDone(name, next);
});

it('an uncordon that is refused is reported, retried, and done once it is allowed', async () => {
  const joined = await stories.join({ files: { '/etc/a': 'one' } });
  const { name } = joined.node;
  const allow = await refuse(
    'no-uncordon',
    '!has(oldObject.spec.unschedulable) || !oldObject.spec.unschedulable || (has(object.spec.unschedulable) && object.spec.unschedulable)',
  );
  const next = await joined.sendTo('next', { files: { '/etc/a': 'two' } });
  await stories.pass(5 * MINUTE);
  const error = `node ${name}: failed to uncordon (1 tries): nodes "${name}" is forbidden: ValidatingAdmissionPolicy 'no-uncordon' with binding 'no-uncordon' denied request: nodes are frozen`;
  expect(await stories.condition(joined, 'UpdateComplete')).toBe(
    'Unknown Uncordoned: Failed to Uncordon Node as part of completing upgrade phase',
  );
  expect(await stories.condition(joined, 'Uncordoned')).toBe(
    `Unknown UpdateCompleteUncordoned: Error: Failed to UnCordon node. Error is: ${error}. The node is reporting Unschedulable = true`,
  );
  expect(await events(name, 'FailedToUncordon')).toEqual([error]);
  await allow();
  await stories.cluster().untilDone(name, next);
});
