/**
 * Workloads and their pods for tests, with defaults.
 */

import type { AnyObject } from '../../src/kubernetes/client/index.ts';
import type { OwnerReference } from '../../src/kubernetes/meta/index.ts';
import type {
  DaemonSet,
  Deployment,
  Job,
  Node,
  Pod,
  PodDisruptionBudget,
  PodTemplateSpec,
  ReplicaSet,
} from '../../src/kubernetes/types/index.ts';

export const NAMESPACE = 'space';
/** 2026-01-01T00:00:00Z */
export const NOW_MS = 1_767_225_600_000;

export type Meta = Partial<AnyObject['metadata']>;

/** This many seconds ago, as a timestamp of an object. */
export function ago(seconds: number): string {
  return new Date(NOW_MS - seconds * 1000).toISOString().replace('.000Z', 'Z');
}

function metadata(name: string, given: Meta = {}): AnyObject['metadata'] {
  return {
    ...{ name, namespace: NAMESPACE, uid: `uid-${name}`, resourceVersion: '1', generation: 1 },
    creationTimestamp: ago(3600),
    ...given,
  };
}

export function aTemplate(image = 'a', spec: Partial<PodTemplateSpec['spec']> = {}): PodTemplateSpec {
  return {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image }], terminationGracePeriodSeconds: 0, ...spec },
  };
}

const selector = { matchLabels: { app: 'web' } };

export function ownedBy({
  kind = '',
  apiVersion = '',
  metadata: { name, uid = '' },
}: AnyObject): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export type PodState = {
  /** Seconds since it became ready; absent: not ready. */
  readonly readyFor?: number;
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly node?: string;
  readonly restarts?: number;
  /** Seconds since its creation. */
  readonly age?: number;
  readonly leaves?: boolean;
};

export function aPod(name: string, state: PodState = {}, given: Meta = {}): Pod {
  const { readyFor, phase = readyFor === undefined ? 'Pending' : 'Running', node, restarts, age } = state;
  return {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: metadata(name, {
      labels: { app: 'web' },
      ...(age === undefined ? {} : { creationTimestamp: ago(age) }),
      ...(state.leaves === true ? { deletionTimestamp: ago(0) } : {}),
      ...given,
    }),
    spec: { containers: [{ name: 'main', image: 'a' }], ...(node === undefined ? {} : { nodeName: node }) },
    status: {
      phase,
      conditions: [
        {
          type: 'Ready',
          status: readyFor === undefined ? 'False' : 'True',
          lastTransitionTime: ago(readyFor ?? 0),
        },
      ],
      ...(restarts === undefined ? {} : { containerStatuses: [containerStatus(restarts)] }),
    },
  };
}

function containerStatus(restartCount: number) {
  return { name: 'main', ready: true, restartCount, image: 'a', imageID: '' };
}

export function aReplicaSet(
  name = 'web',
  spec: Partial<ReplicaSet['spec']> = {},
  given: Meta & { readonly status?: Partial<NonNullable<ReplicaSet['status']>> } = {},
): ReplicaSet {
  const { status, ...meta } = given;
  return {
    ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet' },
    metadata: metadata(name, { labels: { app: 'web' }, ...meta }),
    spec: { replicas: 1, selector, template: aTemplate(), ...spec },
    status: { replicas: 0, observedGeneration: 1, ...status },
  };
}

export function aDeployment(
  spec: Partial<Deployment['spec']> = {},
  given: Meta & { readonly status?: NonNullable<Deployment['status']> } = {},
): Deployment {
  const { status, ...meta } = given;
  return {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
    metadata: metadata('web', meta),
    spec: {
      replicas: 4,
      selector,
      template: aTemplate(),
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 2,
      ...spec,
    },
    status: status ?? {},
  };
}

export function aDaemonSet(
  spec: Partial<DaemonSet['spec']> = {},
  given: Meta & { readonly status?: Partial<NonNullable<DaemonSet['status']>> } = {},
): DaemonSet {
  const { status, ...meta } = given;
  return {
    ...{ apiVersion: 'apps/v1', kind: 'DaemonSet' },
    metadata: metadata('agent', meta),
    spec: {
      selector,
      template: aTemplate(),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      ...spec,
    },
    status: {
      ...{ desiredNumberScheduled: 0, currentNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
      ...status,
    },
  };
}

export function aNode(
  name: string,
  given: { readonly labels?: { readonly [key: string]: string }; readonly taints?: Taints } = {},
): Node {
  const { labels = {}, taints } = given;
  return {
    ...{ apiVersion: 'v1', kind: 'Node' },
    metadata: { name, uid: `uid-${name}`, labels },
    spec: taints === undefined ? {} : { taints },
  };
}

type Taints = NonNullable<Node['spec']['taints']>;

export function aJob(
  spec: Partial<Job['spec']> = {},
  given: Meta & { readonly status?: NonNullable<Job['status']> } = {},
): Job {
  const { status, ...meta } = given;
  return {
    ...{ apiVersion: 'batch/v1', kind: 'Job' },
    metadata: metadata('work', meta),
    spec: {
      ...{ completions: 1, parallelism: 1, backoffLimit: 6 },
      selector,
      template: aTemplate('a', { restartPolicy: 'Never' }),
      ...spec,
    },
    status: status ?? {},
  };
}

export function aBudget(
  spec: Partial<PodDisruptionBudget['spec']>,
  status?: Partial<NonNullable<PodDisruptionBudget['status']>>,
): PodDisruptionBudget {
  return {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
    metadata: metadata('budget'),
    spec: { selector, ...spec },
    ...(status === undefined ? {} : { status: { ...nothingAllowed, ...status } }),
  };
}

const nothingAllowed = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };

export function aConfigMap(name: string, given: Meta = {}): AnyObject {
  return { ...{ apiVersion: 'v1', kind: 'ConfigMap' }, metadata: metadata(name, given) };
}
