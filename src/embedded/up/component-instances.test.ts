import { describe, expect, it } from 'vitest';
import type { Pod } from '../../kubernetes/types/index.ts';
import { bootDigits } from '../controllers/index.ts';
import { desiredInstances, installerInstance } from './component-instances.ts';

const BOOT = 'boot-1';
const NAMESPACE = 'openshift-machine-config-operator';
const APP = 'machine-config-daemon';

type Changes = {
  readonly metadata?: object;
  readonly spec?: object;
  readonly container?: object;
};

function daemonPod({ metadata = {}, spec = {}, container = {} }: Changes = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'd', namespace: NAMESPACE, uid: 'u', labels: { 'k8s-app': APP }, ...metadata },
    spec: { nodeName: 'worker-0', containers: [{ name: APP, image: 'millwright' }], ...spec },
    status: {
      containerStatuses: [
        {
          name: APP,
          image: 'millwright',
          imageID: '',
          ready: true,
          restartCount: 2,
          containerID: `cri-o://${bootDigits(BOOT)}abc`,
          state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
          ...container,
        },
      ],
    },
  };
}

const upIn = (boot: string | undefined) => () => boot;

describe('a component does not run', () => {
  it.each<[string, Pod, string | undefined]>([
    ['while its machine is down', daemonPod(), undefined],
    ['in a boot that is over', daemonPod(), 'boot-2'],
    ['before its container does', daemonPod({ container: { state: { waiting: {} } } }), BOOT],
    ['once its pod is terminating', daemonPod({ metadata: { deletionTimestamp: 'now' } }), BOOT],
    ['for a pod of another namespace', daemonPod({ metadata: { namespace: 'default' } }), BOOT],
    ['for a pod with another app', daemonPod({ metadata: { labels: { 'k8s-app': 'constructor' } } }), BOOT],
    ['for another image', daemonPod({ spec: { containers: [{ name: APP, image: 'other' }] } }), BOOT],
  ])('%s', (_, pod, boot) => {
    expect(desiredInstances([pod], upIn(boot))).toEqual([]);
  });
});

it('a component runs while its container does, and every start is a new instance', () => {
  const [first] = desiredInstances([daemonPod()], upIn(BOOT));
  expect(first).toMatchObject({ component: 'daemon', node: 'worker-0', slot: 'daemon/worker-0' });
  expect(first?.container).toEqual({
    namespace: NAMESPACE,
    pod: 'd',
    podUid: 'u',
    container: APP,
    restartCount: 2,
  });
  const again = daemonPod({ container: { containerID: `cri-o://${bootDigits(BOOT)}def` } });
  expect(desiredInstances([again], upIn(BOOT))[0]?.key).not.toBe(first?.key);
});

it('installer instances share the slots of operator and controllers in pods', () => {
  const labels = { 'k8s-app': 'machine-config-controller' };
  const containers = [{ name: 'machine-config-controller', image: 'millwright' }];
  const pod = daemonPod({
    metadata: { labels },
    spec: { containers },
    container: { name: labels['k8s-app'] },
  });
  const [byPod] = desiredInstances([pod], upIn(BOOT));
  const installer = installerInstance('controller');
  expect(byPod?.slot).toBe(installer.slot);
  expect(byPod?.key).not.toBe(installer.key);
});
