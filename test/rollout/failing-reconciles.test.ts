/** A reconcile that the server refuses is seen by administrators, not only in the log. */
import { afterEach, expect, it } from 'vitest';
import { clusterOperator, controllerConfig } from '../../src/api/index.ts';
import {
  customResourceDefinition,
  validatingAdmissionPolicy,
  validatingAdmissionPolicyBinding,
} from '../../src/kubernetes/types/index.ts';
import { clusterOperatorDefinition } from '../support/cluster-operator-definition.ts';
import { aMachineConfig, type World } from './build-world.ts';
import { eventsAbout, firstConfig, MINUTE, target } from './story-steps.ts';
import { startWorld } from './world.ts';

let world: World;
afterEach(() => world.stop());

const name = 'no-rendered-configs';
const API_VERSION = 'admissionregistration.k8s.io/v1';

/** Nothing more can be rendered for workers. */
async function forbidRendering(): Promise<void> {
  await world.kube.create(validatingAdmissionPolicy, {
    apiVersion: API_VERSION,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['machineconfiguration.openshift.io'],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['machineconfigs'],
          },
        ],
      },
      validations: [
        { expression: "!object.metadata.name.startsWith('rendered-worker')", message: 'not in this cluster' },
      ],
    },
  });
  await world.kube.create(validatingAdmissionPolicyBinding, {
    apiVersion: API_VERSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'] },
  });
}

const degraded = async () => {
  const found = await world.kube.get(clusterOperator, { name: 'machine-config' });
  return found?.status?.conditions?.find(({ type }) => type === 'Degraded');
};
const failing = async () => {
  const found = await world.kube.get(controllerConfig, { name: 'machine-config-controller' });
  return found?.status?.conditions?.find(({ type }) => type === 'ControllersFailing');
};

it('is an event on the pool, a condition of the ControllerConfig and of the ClusterOperator, until it succeeds', async () => {
  world = await startWorld({ masters: 1, workers: 1 });
  await world.kube.create(customResourceDefinition, clusterOperatorDefinition);
  await world.startControllers();
  await world.startDaemons();
  await firstConfig(world);
  const before = await target(world, 'worker');
  expect(await failing()).toBeUndefined();
  await forbidRendering();
  await world.apply(aMachineConfig('50-worker', 'worker', 'x'));
  await world.until('it is degraded', async () => (await degraded())?.status === 'True', 2 * MINUTE);
  expect(await degraded()).toMatchObject({
    reason: 'MachineConfigControllerFailed',
    message: expect.stringMatching(
      /^Failed to resync .* because: render MachineConfigPool worker: .*not in this cluster/,
    ),
  });
  expect(await failing()).toMatchObject({ status: 'True', reason: 'ReconcileFailed' });
  await world.env.clock.advance(20 * MINUTE);
  const events = (await eventsAbout(world, 'MachineConfigPool', 'worker')).filter(
    ({ reason }) => reason === 'ReconcileFailed',
  );
  expect(events).toMatchObject([
    { type: 'Warning', message: expect.stringContaining('not in this cluster'), count: 1 },
  ]);
  expect(await target(world, 'worker')).toBe(before);
  await world.kube.delete(validatingAdmissionPolicyBinding, { name });
  await world.until('it is over', async () => (await degraded())?.status === 'False', 10 * MINUTE);
  expect(await failing()).toMatchObject({ status: 'False', message: '' });
  expect(await target(world, 'worker')).not.toBe(before);
});
