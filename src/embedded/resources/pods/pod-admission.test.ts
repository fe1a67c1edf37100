/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import type { AdmissionContext, Admitted } from '../admission.ts';
import { admitNode } from '../node-admission.ts';
import { admitPod } from './pod-admission.ts';

const context: AdmissionContext = {
  operation: 'create',
  random: () => 0,
  findServiceAccount: (namespace, name) => accounts.get(`${namespace}/${name}`),
};
const accounts = new Map<string, JsonObject>([
  ['space/default', {}],
  ['space/quiet', { automountServiceAccountToken: false }],
  ['space/puller', { imagePullSecrets: [{ name: 's' }], automountServiceAccountToken: false }],
]);
const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const pod = (spec: JsonObject = {}): JsonObject => ({
  metadata: { name: 'a', namespace: 'space' },
  spec: { automountServiceAccountToken: false, containers: [{ name: 'm' }], ...spec },
});
const specOf = (admitted: Admitted) =>
  admitted.kind === 'admitted' ? admitted.object.spec : admitted.message;
const patience = ['not-ready', 'unreachable'].map((what) => ({
  key: `node.kubernetes.io/${what}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

describe('the admission of pods', () => {
  it('sets the ServiceAccount, the priority and default tolerations', () => {
    expect(specOf(admitPod(pod(), context))).toEqual({
      automountServiceAccountToken: false,
      containers: [{ name: 'm' }],
      serviceAccountName: 'default',
      serviceAccount: 'default',
      tolerations: patience,
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
    });
  });

  it.each<[JsonObject, string]>([
    [
      { serviceAccountName: 'none' },
      'error looking up service account space/none: serviceaccount "none" not found',
    ],
    [{ priorityClassName: 'none' }, 'no PriorityClass with name none was found'],
    [
      { priority: 5 },
      'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ],
    [
      { preemptionPolicy: 'Never' },
      'the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
    ],
    [{ runtimeClassName: 'r' }, 'pod rejected: RuntimeClass "r" not found'],
  ])('rejects a pod with %j', (spec, message) => {
    expect(admitPod(pod(spec), context)).toEqual({ kind: 'rejected', message });
  });

  it('sets the priority of the priority class', () => {
    expect(specOf(admitPod(pod({ priorityClassName: 'system-node-critical' }), context))).toMatchObject({
      priority: 2_000_001_000,
    });
  });

  it('mounts the token in every container without another mount at its path', () => {
    const mine = { name: 'b', volumeMounts: [{ name: 'v', mountPath: TOKEN_PATH }] };
    const sent = pod({
      initContainers: [{ name: 'i' }],
      containers: [{ name: 'm' }, mine],
      volumes: [{ name: 'v' }],
    });
    const spec = { ...(sent.spec as JsonObject), automountServiceAccountToken: true };
    const mount = { name: 'kube-api-access-bbbbb', readOnly: true, mountPath: TOKEN_PATH };
    expect(specOf(admitPod({ ...sent, spec }, context))).toMatchObject({
      initContainers: [{ name: 'i', volumeMounts: [mount] }],
      containers: [{ name: 'm', volumeMounts: [mount] }, mine],
      volumes: [
        { name: 'v' },
        {
          name: 'kube-api-access-bbbbb',
          projected: {
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
              {
                downwardAPI: {
                  items: [
                    { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } },
                  ],
                },
              },
            ],
            defaultMode: 420,
          },
        },
      ],
    });
  });

  it('follows the ServiceAccount where the pod does not set automountServiceAccountToken', () => {
    const silent = (serviceAccountName: string): JsonObject => ({
      metadata: { name: 'a', namespace: 'space' },
      spec: { serviceAccountName, containers: [{ name: 'm' }] },
    });
    expect(specOf(admitPod(silent('quiet'), context))).not.toHaveProperty('volumes');
    expect(specOf(admitPod(silent('default'), context))).toHaveProperty('volumes');
    expect(specOf(admitPod(silent('puller'), context))).toMatchObject({ imagePullSecrets: [{ name: 's' }] });
  });

  it('keeps existing tolerations, and adds them again when an update drops them', () => {
    const tolerations = [{ operator: 'Exists' }];
    expect(specOf(admitPod(pod({ tolerations }), context))).toMatchObject({ tolerations });
    const updated = admitPod(pod({ tolerations: [] }), { ...context, operation: 'update' });
    expect(specOf(updated)).toMatchObject({ tolerations: patience });
    expect(specOf(updated)).not.toHaveProperty('priority');
  });
});

describe('the admission of nodes', () => {
  const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

  it('adds the not-ready taint', () => {
    const own = { key: 'a', effect: 'NoSchedule' };
    expect(specOf(admitNode({ spec: { taints: [own] } }, context))).toEqual({ taints: [own, taint] });
    expect(specOf(admitNode({}, context))).toEqual({ taints: [taint] });
  });

  it('keeps an existing taint, and does not add it on update', () => {
    expect(specOf(admitNode({ spec: { taints: [taint] } }, context))).toEqual({ taints: [taint] });
    expect(specOf(admitNode({ spec: {} }, { ...context, operation: 'update' }))).toEqual({});
  });
});
