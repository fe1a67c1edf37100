/** Validation errors of built-in kinds. Nothing is stored: all are dry runs. */
import { recorded, type Story } from './recorded.ts';

/** Posts each of the bodies and records the result. */
async function judged({ ask }: Story, collection: string, objects: readonly object[]): Promise<void> {
  for (const object of objects) {
    const body = { metadata: { name: 'a' }, ...object };
    await ask('POST', `${collection}?dryRun=All`, { body, pick: () => 'accepted' });
  }
}

const labels = { app: 'a' };
const template = (spec: object = {}) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'main', image: 'x' }], ...spec },
});
const workload = (spec: object) => ({
  spec: { selector: { matchLabels: labels }, template: template(), ...spec },
});
const service = (spec: object) => ({ spec: { ports: [{ port: 80 }], ...spec } });
const job = (spec: object, pods: object = { restartPolicy: 'Never' }) => ({
  spec: { template: template(pods), ...spec },
});

export const validationCases = recorded('validation', {
  Deployments: (story) =>
    judged(story, `/apis/apps/v1/namespaces/${story.space}/deployments`, [
      workload({ replicas: -1 }),
      workload({ selector: undefined }),
      workload({ selector: {} }),
      workload({ selector: { matchLabels: { app: 'b' } } }),
      workload({ selector: { matchExpressions: [{ key: 'app', operator: 'Foo' }] } }),
      workload({ template: undefined }),
      workload({ minReadySeconds: 600 }),
      workload({ revisionHistoryLimit: -1, progressDeadlineSeconds: 0 }),
      workload({ strategy: { type: 'X' } }),
      workload({ strategy: { type: 'Recreate', rollingUpdate: {} } }),
      workload({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      workload({ strategy: { rollingUpdate: { maxSurge: 'x', maxUnavailable: '101%' } } }),
      workload({ template: template({ restartPolicy: 'Never', activeDeadlineSeconds: 3 }) }),
      workload({ replicas: '3' }),
      { ...workload({}), metadata: { name: 'A B' } },
    ]),

  'ReplicaSets and DaemonSets': async (story) => {
    const apps = `/apis/apps/v1/namespaces/${story.space}`;
    await judged(story, `${apps}/replicasets`, [
      workload({ replicas: -1, minReadySeconds: -5 }),
      workload({ selector: { matchLabels: { app: 'b' } } }),
      workload({ template: template({ restartPolicy: 'OnFailure' }) }),
    ]);
    await judged(story, `${apps}/daemonsets`, [
      workload({ updateStrategy: { type: 'X' } }),
      workload({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }),
      workload({ updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      workload({ revisionHistoryLimit: -1, minReadySeconds: -1 }),
      workload({ template: template({ restartPolicy: 'Never' }) }),
    ]);
  },

  Jobs: (story) =>
    judged(story, `/apis/batch/v1/namespaces/${story.space}/jobs`, [
      job({}, {}),
      job({ parallelism: -1, completions: -1, backoffLimit: -1 }),
      job({ activeDeadlineSeconds: -1, ttlSecondsAfterFinished: -1 }),
      job({ completionMode: 'X' }),
      job({ completionMode: 'Indexed' }),
      job({ completionMode: 'Indexed', completions: 100_001, parallelism: 100_001 }),
      job({ manualSelector: true }),
      job({ podFailurePolicy: { rules: [{ action: 'X' }] } }),
      job({
        podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [0] } }] },
      }),
      job({ podFailurePolicy: { rules: [{ action: 'FailIndex', onPodConditions: [{ type: 'A' }] }] } }),
      job({ podReplacementPolicy: 'X', managedBy: 'x' }),
      job({ backoffLimitPerIndex: 1 }),
      job({
        successPolicy: { rules: [{ succeededIndexes: '1-' }] },
        completionMode: 'Indexed',
        completions: 3,
      }),
    ]),

  Services: (story) =>
    judged(story, `/api/v1/namespaces/${story.space}/services`, [
      service({ ports: [] }),
      service({ ports: [{ port: 0 }, { port: 70_000 }] }),
      service({
        ports: [
          { port: 1, name: 'a' },
          { port: 1, name: 'b' },
        ],
      }),
      service({ ports: [{ port: 1, name: 'A', protocol: 'X', targetPort: 'UPPER' }] }),
      service({ ports: [{ port: 1, nodePort: 30_000 }] }),
      service({ ports: [{ port: 1, appProtocol: 'a b' }] }),
      service({ type: 'X' }),
      service({ type: 'ExternalName' }),
      service({ type: 'ExternalName', externalName: 'a_b' }),
      service({ clusterIP: 'x' }),
      service({ clusterIP: 'None', type: 'NodePort' }),
      service({ sessionAffinity: 'X' }),
      service({ sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } }),
      service({ selector: { 'a b': 'c' } }),
      service({ externalIPs: ['x', '127.0.0.1'] }),
      service({ externalTrafficPolicy: 'Local' }),
      service({ type: 'NodePort', externalTrafficPolicy: 'Q', internalTrafficPolicy: 'Z' }),
      service({ ipFamilies: ['IPv6'] }),
      service({ ipFamilies: ['IPv4', 'IPv4'] }),
      service({ ipFamilyPolicy: 'RequireDualStack' }),
      service({ type: 'LoadBalancer', loadBalancerSourceRanges: ['x'] }),
      service({ healthCheckNodePort: 30_001 }),
      service({ loadBalancerClass: 'a', trafficDistribution: 'X' }),
      { ...service({}), metadata: { name: '1a' } },
    ]),

  'disruption budgets and leases': async (story) => {
    await judged(story, `/apis/policy/v1/namespaces/${story.space}/poddisruptionbudgets`, [
      { spec: { minAvailable: -1 } },
      { spec: { minAvailable: 'x', unhealthyPodEvictionPolicy: 'X' } },
      { spec: { minAvailable: '120%' } },
      { spec: { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } } },
      { spec: { minAvailable: 1.5 } },
      { spec: { minAvailable: true } },
    ]);
    await judged(story, `/apis/coordination.k8s.io/v1/namespaces/${story.space}/leases`, [
      { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } },
      { spec: { holderIdentity: '' } },
      { spec: { strategy: 'X' } },
      { spec: { preferredHolder: 'a' } },
      { spec: { renewTime: 'x' } },
    ]);
  },

  'roles and bindings': async (story) => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    await judged(story, `${rbac}/namespaces/${story.space}/roles`, [
      { rules: [{}] },
      { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] },
      { rules: [{ verbs: ['get'], resources: ['pods'] }] },
    ]);
    await judged(story, `${rbac}/clusterroles`, [
      { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], nonResourceURLs: ['/x'] }] },
      { metadata: { name: 'v:w%' } },
      { aggregationRule: {} },
      { aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'x', operator: 'Z' }] }] } },
    ]);
    await judged(story, `${rbac}/namespaces/${story.space}/rolebindings`, [
      { roleRef: {} },
      { roleRef: { kind: 'X', name: 'a', apiGroup: 'z' } },
      { roleRef: { kind: 'Role', name: 'a/b' }, subjects: [{ kind: 'Foo', name: 'x' }] },
      { roleRef: { kind: 'Role', name: 'a' }, subjects: [{ kind: 'User', name: '', apiGroup: 'q' }] },
      { roleRef: { kind: 'Role', name: 'a' }, subjects: [{ kind: 'ServiceAccount', name: 'A B' }] },
    ]);
    await judged(story, `${rbac}/clusterrolebindings`, [
      { roleRef: { kind: 'Role', name: 'a' }, subjects: [{ kind: 'ServiceAccount', name: 'a' }] },
    ]);
  },

  'nodes and namespaces': async (story) => {
    const taint = { key: 'a', effect: 'NoSchedule' };
    await judged(story, '/api/v1/nodes', [
      { metadata: { name: 'A' } },
      { spec: { podCIDR: 'x' } },
      { spec: { taints: [{ key: '', effect: 'X' }, taint, taint] } },
      { spec: { taints: [{ key: 'a', value: 'a b', effect: '' }] } },
      { spec: { podCIDRs: ['1.2.3.0/24', '1.2.4.0/24'] } },
      {
        status: {
          capacity: { cpu: '-1' },
          addresses: [
            { type: 'A', address: 'b' },
            { type: 'A', address: 'b' },
          ],
        },
      },
    ]);
    await judged(story, '/api/v1/namespaces', [
      { metadata: { name: 'a.b' } },
      { metadata: { name: 'a' }, spec: { finalizers: ['x'] } },
    ]);
  },

  'ConfigMaps, Secrets and Endpoints': async (story) => {
    const core = `/api/v1/namespaces/${story.space}`;
    await judged(story, `${core}/configmaps`, [
      { data: { a: 'x' }, binaryData: { a: 'eA==', '..': 'eA==' } },
      { data: { a: 3 } },
      { data: [] },
      { immutable: 'x' },
      { metadata: [] },
      { binaryData: { a: '!!' } },
    ]);
    await judged(story, `${core}/secrets`, [
      { type: 'kubernetes.io/service-account-token' },
      { type: 'kubernetes.io/dockerconfigjson' },
      { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'eA==' } },
      { type: 'kubernetes.io/tls' },
      { type: 'kubernetes.io/basic-auth' },
      { type: 'kubernetes.io/ssh-auth', data: { x: 'eA==' } },
    ]);
    await judged(story, `${core}/endpoints`, [
      { subsets: [{}] },
      { subsets: [{ addresses: [{ ip: '127.0.0.1' }, { ip: 'x', hostname: 'A B' }], ports: [{ port: 0 }] }] },
    ]);
  },

  metadata: (story) =>
    judged(story, `/api/v1/namespaces/${story.space}/configmaps`, [
      { metadata: { name: 'a', labels: { a: 3 } } },
      { metadata: { name: 'a', creationTimestamp: 'x' } },
      { metadata: { name: 'a', generation: 'x' } },
      { metadata: { name: 'a', generation: -7 } },
      { metadata: { name: 'a', generation: 7, uid: 'mine', selfLink: '/x' } },
      { metadata: { name: 'a', managedFields: [{ manager: 'x' }] } },
      {
        metadata: { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'a', uid: 'b' }] },
      },
      { metadata: { name: 'a', finalizers: ['a b', 'nodomain', 'orphan', 'foregroundDeletion'] } },
      { metadata: { name: 'a', finalizers: ['orphan', 'foregroundDeletion'] } },
      { metadata: { name: 'a', annotations: { x: 'y'.repeat(262_145) } } },
      { metadata: { name: 'a', labels: { b: 'y'.repeat(64) } } },
    ]),

  'Events of both groups': async (story) => {
    await judged(story, `/api/v1/namespaces/${story.space}/events`, [
      { involvedObject: {} },
      { involvedObject: { namespace: story.space }, firstTimestamp: 'bad' },
    ]);
    const regarding = { namespace: story.space };
    const eventTime = '2020-01-01T00:00:00.000000Z';
    const event = { regarding, eventTime, action: 'a', reason: 'r', type: 'Normal' };
    await judged(story, `/apis/events.k8s.io/v1/namespaces/${story.space}/events`, [
      { regarding },
      { ...event, type: 'X', action: '', reportingController: 'a b', reportingInstance: 'x'.repeat(129) },
      {
        ...event,
        reportingController: 'a/b',
        reportingInstance: 'x',
        series: { count: 1 },
        deprecatedCount: 4,
      },
    ]);
  },
});
