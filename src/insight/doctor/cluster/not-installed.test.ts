import { expect, it } from 'vitest';
import { anObject, found } from '../../../../test/support/doctor-facts.ts';
import { notInstalled } from './not-installed.ts';

const KINDS = ['Lease.coordination.k8s.io', 'Deployment.apps', 'DaemonSet.apps'];
const NAMESPACE = 'openshift-machine-config-operator';

it('is found where there is neither a workload nor a Lease', () => {
  expect(found(notInstalled, [], { kinds: KINDS })).toMatchObject([
    { code: 'NotInstalled', about: { kind: 'Namespace', name: NAMESPACE } },
  ]);
});

it('is not asserted where one of them exists, or where they were not read', () => {
  const deployment = anObject('Deployment', 'machine-config-operator', {}, { namespace: NAMESPACE });
  expect(found(notInstalled, [deployment], { kinds: KINDS })).toEqual([]);
  expect(found(notInstalled, [], { kinds: KINDS.slice(1) })).toEqual([]);
  expect(found(notInstalled, [], { kinds: KINDS.slice(0, 1) })).toEqual([]);
});
