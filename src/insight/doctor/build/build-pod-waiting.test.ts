import { describe, expect, it } from 'vitest';
import { aPool } from '../../../../test/support/build.ts';
import { aCondition, ago, anObject, found, needs } from '../../../../test/support/doctor-facts.ts';
import { buildPodWaiting } from './build-pod-waiting.ts';

const namespace = 'openshift-machine-config-operator';
const TARGET = 'rendered-infra-1';
const JOB = 'build-infra-1';
const cluster = [
  aPool('infra', { configuration: { name: TARGET } }),
  anObject('MachineOSConfig', 'infra', { spec: { machineConfigPool: { name: 'infra' } } }),
  anObject('MachineOSBuild', 'infra-1', {
    spec: { machineOSConfig: { name: 'infra' }, machineConfig: { name: TARGET } },
    status: { conditions: [aCondition('Building', 'True')] },
  }),
];
const pod = (status: object, age = 90) =>
  anObject(
    'Pod',
    `${JOB}-x`,
    { status },
    {
      ...{ namespace, creationTimestamp: ago(age) },
      labels: { 'batch.kubernetes.io/job-name': JOB },
    },
  );
const job = (age: number, status: object = {}) =>
  anObject('Job', JOB, { status }, { namespace, creationTimestamp: ago(age) });
const waiting = (reason: string) => ({
  initContainerStatuses: [{ name: 'image-build', state: { waiting: { reason, message: 'why' } } }],
});

describe('the pod of a running build', () => {
  it('that no node takes is found after a minute', () => {
    const unschedulable = (since: string) => ({
      conditions: [aCondition('PodScheduled', 'False', '0/2 nodes are available', since, 'Unschedulable')],
    });
    expect(found(buildPodWaiting, [...cluster, pod(unschedulable(ago(30)))])).toEqual([]);
    expect(found(buildPodWaiting, [...cluster, pod(unschedulable(ago(60)))])).toMatchObject([
      { code: 'BuildPodUnschedulable', since: ago(60) },
    ]);
  });

  it.each([
    ['ImagePullBackOff', ['BuilderImageNotPulled']],
    ['ErrImagePull', ['BuilderImageNotPulled']],
    ['PodInitializing', []],
    ['CreateContainerConfigError', []],
  ])('that waits for %s', (reason, codes) => {
    expect(found(buildPodWaiting, [...cluster, pod(waiting(reason))]).map(({ code }) => code)).toEqual(codes);
  });

  it('that does not exist is one that was refused, by the event of its Job', () => {
    const event = anObject('Event', 'e', {
      ...{ reason: 'FailedCreate', message: 'pods "x" is forbidden: exceeded quota' },
      involvedObject: { kind: 'Job', name: JOB },
    });
    const looking = { kinds: ['Pod'] };
    expect(found(buildPodWaiting, [...cluster, job(59), event], looking)).toEqual([]);
    const [finding] = found(buildPodWaiting, [...cluster, job(60), event], looking);
    expect(finding).toMatchObject({ code: 'BuildPodRefused', since: ago(60) });
    expect(finding?.cause).toMatch(/exceeded quota$/);
  });

  it('is not said to be refused where pods were not read, or where some have ended', () => {
    expect(found(buildPodWaiting, [...cluster, job(600)])).toEqual([]);
    expect(found(buildPodWaiting, [...cluster, job(600, { failed: 1 })], { kinds: ['Pod'] })).toEqual([]);
  });

  it('is looked for only while a build runs', () => {
    expect(
      needs(buildPodWaiting, cluster).map(({ kind, namespace: place }) => `${kind.kind} ${place}`),
    ).toEqual([`Pod ${namespace}`, `Job ${namespace}`, `Event ${namespace}`]);
    expect(needs(buildPodWaiting, cluster.slice(0, 2))).toEqual([]);
  });
});
