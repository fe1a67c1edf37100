import { describe, expect, it } from 'vitest';
import { ago, anObject, found, needs, texts } from '../../../../test/support/doctor-facts.ts';
import { componentNotRunning } from './component-not-running.ts';

const namespace = 'openshift-machine-config-operator';
const aLease = (name: string, renewTime: string, holderIdentity = 'pod_1') =>
  anObject('Lease', name, { spec: { renewTime, holderIdentity, leaseDurationSeconds: 137 } }, { namespace });
const operator = aLease('machine-config', ago(1));
const KINDS = ['Deployment.apps', 'DaemonSet.apps'];

describe('a component that does not run', () => {
  it.each([
    ['runs', ago(1), []],
    ['is being restarted', ago(200), []],
    ['has ended', ago(600), ['ControllerNotRunning']],
  ])('is found by its Lease: %s', (_, renewed, codes) => {
    const leases = [aLease('machine-config-controller', renewed), operator];
    expect(found(componentNotRunning, leases).map(({ code }) => code)).toEqual(codes);
  });

  it('is named with what follows, and since when', () => {
    const leases = [aLease('machine-config-controller', ago(1)), aLease('machine-config', ago(900), '')];
    const [finding] = found(componentNotRunning, leases);
    expect(finding).toMatchObject({
      code: 'OperatorNotRunning',
      cause: 'machine-config-operator does not run: new nodes and changes of the cluster are not noticed',
      since: ago(900),
    });
    expect(finding?.evidence[0]).toMatchObject({ value: `${ago(900)}, by nobody: released` });
  });

  it('is found at once by its Deployment, with what keeps its pod', () => {
    const deployment = anObject(
      'Deployment',
      'machine-config-controller',
      { spec: { replicas: 2 }, status: { observedGeneration: 1, readyReplicas: 0 } },
      { namespace },
    );
    const pod = anObject(
      'Pod',
      'machine-config-controller-x',
      {
        status: {
          containerStatuses: [
            { name: 'main', state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } } },
          ],
        },
      },
      { namespace, labels: { 'k8s-app': 'machine-config-controller' } },
    );
    const leases = [aLease('machine-config-controller', ago(1)), operator];
    const all = [...leases, deployment, pod];
    const [finding] = found(componentNotRunning, all, { kinds: KINDS });
    expect(finding?.cause).toMatch(/^machine-config-controller has no ready pod: nothing is rendered/);
    expect(finding?.evidence.at(-1)).toMatchObject({
      object: { kind: 'Pod', name: 'machine-config-controller-x' },
      value: 'CrashLoopBackOff: back-off',
    });
    expect(needs(componentNotRunning, all, { kinds: KINDS })).toMatchObject([
      { namespace, labelSelector: 'k8s-app=machine-config-controller' },
    ]);
  });

  it('that is scaled to 0 is said to be so', () => {
    const deployment = anObject(
      'Deployment',
      'machine-config-controller',
      { spec: { replicas: 0 } },
      { namespace },
    );
    const leases = [aLease('machine-config-controller', ago(1)), operator];
    expect(texts(found(componentNotRunning, [...leases, deployment], { kinds: KINDS }))[0]).toMatch(
      /^ControllerNotRunning: machine-config-controller is scaled to 0/,
    );
  });
});
