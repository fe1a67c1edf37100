import { expect, it } from 'vitest';
import {
  compareMachines,
  type MachineName,
  machineNames,
  machineRole,
  simulatedNode,
} from './machine-names.ts';

it('machines are numbered from 0, the control plane first', () => {
  expect(machineNames({ controlPlane: 1, workers: 2 })).toEqual(['master-0', 'worker-0', 'worker-1']);
});

it.each([
  ['worker-0', 'worker'],
  ['master-12', 'master'],
  ['worker-01', undefined],
  ['worker-', undefined],
  ['infra-0', undefined],
  ['worker-0/..', undefined],
])('the role of machine %s is %s', (name, role) => {
  expect(machineRole(name)).toBe(role);
});

it('machines are sorted by number', () => {
  const names: MachineName[] = ['worker-10', 'worker-2', 'master-1', 'master-0'];
  expect(names.toSorted(compareMachines)).toEqual(['master-0', 'master-1', 'worker-2', 'worker-10']);
});

it('control plane nodes have a taint', () => {
  expect(simulatedNode('master-0')).toMatchObject({
    labels: { 'node-role.kubernetes.io/master': '', 'node-role.kubernetes.io/control-plane': '' },
    taints: [{ key: 'node-role.kubernetes.io/master', effect: 'NoSchedule' }],
  });
  expect(simulatedNode('worker-0').taints).toBeUndefined();
});
