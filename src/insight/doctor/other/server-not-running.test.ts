import { expect, it } from 'vitest';
import { anObject, found, needs } from '../../../../test/support/doctor-facts.ts';
import { serverNotRunning } from './server-not-running.ts';

const namespace = 'openshift-machine-config-operator';
const server = (status: object) => anObject('DaemonSet', 'machine-config-server', { status }, { namespace });
const DOWN = { observedGeneration: 1, desiredNumberScheduled: 3, numberReady: 0 };

it('is found where it is installed and no pod is ready', () => {
  expect(found(serverNotRunning, [server(DOWN)])).toMatchObject([
    { code: 'ServerNotRunning', evidence: [{ value: '0 of 3' }] },
  ]);
  expect(needs(serverNotRunning, [server(DOWN)])).toMatchObject([
    { labelSelector: 'k8s-app=machine-config-server' },
  ]);
});

it.each([
  ['it is not installed', []],
  ['a pod is ready', [server({ ...DOWN, numberReady: 1 })]],
  ['nobody has written its status yet', [server({})]],
])('is not asserted where %s', (_, objects) => {
  expect(found(serverNotRunning, objects)).toEqual([]);
});
