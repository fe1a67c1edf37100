/** What is wrong with pods, and what their makers are warned of. Nothing is kept: all are dry runs. */
import { recorded, type Story } from './recorded.ts';

async function judged({ ask, space }: Story, specs: readonly object[]): Promise<void> {
  for (const spec of specs) {
    const whole = {
      automountServiceAccountToken: false,
      containers: [{ name: 'main', image: 'x' }],
      ...spec,
    };
    const body = { metadata: { name: 'a' }, spec: whole };
    await ask('POST', `/api/v1/namespaces/${space}/pods?dryRun=All`, { body, pick: () => 'accepted' });
  }
}

const container = (fields: object) => ({ containers: [{ name: 'main', image: 'x', ...fields }] });
const volume = (source: object) => ({ volumes: [{ name: 'a', ...source }] });
const spread = { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} };
const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

export const podValidationCases = recorded('validation of pods', {
  'names and policies': (story) =>
    judged(story, [
      { restartPolicy: 'Sometimes', dnsPolicy: 'X' },
      { dnsPolicy: 'None' },
      { activeDeadlineSeconds: 0 },
      { nodeSelector: { 'a b': 'c' } },
      { hostname: 'A_b', subdomain: 'A.b' },
      { nodeName: 'A B', serviceAccountName: 'default' },
      { priorityClassName: 'nope' },
      { priority: 5 },
      { preemptionPolicy: 'X' },
      { os: { name: 'dos' } },
      { hostUsers: false, hostNetwork: true },
      { shareProcessNamespace: true, hostPID: true },
      { schedulingGates: [{ name: 'a b' }, { name: 'c' }, { name: 'c' }] },
      { readinessGates: [{ conditionType: 'a b' }] },
      { hostAliases: [{ ip: 'x', hostnames: ['A B'] }] },
      { dnsConfig: { nameservers: ['x'], searches: ['A B', 'a_b.c.', '.'], options: [{}] } },
      { nodeName: 'n', schedulingGates: [{ name: 'example.com/a' }] },
    ]),

  'tolerations, affinity and spreading': (story) =>
    judged(story, [
      {
        tolerations: [
          { operator: 'Exists', value: 'x' },
          { key: 'a', effect: 'X' },
        ],
      },
      {
        tolerations: [
          { key: 'a', operator: 'Zz' },
          { key: 'a', tolerationSeconds: 3 },
        ],
      },
      { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'X' }] },
      { topologySpreadConstraints: [spread, spread] },
      {
        topologySpreadConstraints: [
          { ...spread, minDomains: 0, nodeAffinityPolicy: 'Y', nodeTaintsPolicy: 'Z' },
        ],
      },
      { affinity: { nodeAffinity: { [required]: { nodeSelectorTerms: [] } } } },
      {
        affinity: {
          nodeAffinity: {
            [required]: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a b', operator: 'Foo' }] }] },
          },
        },
      },
      { affinity: { nodeAffinity: { [preferred]: [{ weight: 0, preference: {} }] } } },
      { affinity: { podAntiAffinity: { [required]: [{ topologyKey: '' }] } } },
      {
        affinity: {
          podAffinity: {
            [preferred]: [{ weight: 101, podAffinityTerm: { topologyKey: 'a b', namespaces: ['A B'] } }],
          },
        },
      },
    ]),

  volumes: (story) =>
    judged(story, [
      { volumes: [{ name: 'a' }, { name: 'a' }, { name: 'A_' }] },
      volume({ hostPath: { path: '/../x' } }),
      volume({ hostPath: { path: '', type: 'Q' } }),
      volume({ emptyDir: {}, configMap: { name: 'x' } }),
      volume({ configMap: {} }),
      volume({ configMap: { name: 'x', defaultMode: 99_999 } }),
      volume({ secret: {} }),
      volume({
        secret: {
          secretName: 'x',
          items: [
            { key: '', path: '../x' },
            { key: 'b', path: '/abs' },
          ],
        },
      }),
      volume({ persistentVolumeClaim: {} }),
      volume({ nfs: { server: '', path: 'x' } }),
      volume({ projected: { sources: [{ serviceAccountToken: { path: '', expirationSeconds: 10 } }] } }),
      volume({ downwardAPI: { items: [{ path: 'x' }] } }),
      container({
        volumeMounts: [
          { name: 'z', mountPath: '/x' },
          { name: 'z', mountPath: '', subPath: '/x' },
        ],
      }),
    ]),

  containers: (story) =>
    judged(story, [
      { containers: [] },
      {
        containers: [
          { name: 'a', image: 'x' },
          { name: 'a', image: 'x' },
        ],
      },
      container({ image: '' }),
      container({ image: ' x ', name: 'A_' }),
      container({ imagePullPolicy: 'Z', terminationMessagePolicy: 'X' }),
      container({ ports: [{ containerPort: 70_000, protocol: 'X', hostPort: -1, name: 'UPPER' }] }),
      container({
        ports: [
          { containerPort: 1, name: 'a' },
          { containerPort: 2, name: 'a' },
        ],
      }),
      container({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
      container({ resources: { requests: { cpu: '-1', foo: '1' } } }),
      container({ resources: { limits: { 'example.com/x': '1.5' } } }),
      container({ resources: { requests: { cpu: 'abc' } } }),
      { initContainers: [{ name: 'main', image: 'x' }] },
      { initContainers: [{ name: 'i', image: 'x', livenessProbe: { exec: { command: ['x'] } } }] },
      { initContainers: [{ name: 'i', image: 'x', restartPolicy: 'Never' }] },
      { ephemeralContainers: [{ name: 'e', image: 'x' }] },
    ]),

  'environments, probes and hooks': (story) =>
    judged(story, [
      container({ env: [{ name: '' }, { name: 'a=b' }] }),
      container({
        env: [{ name: 'a', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      }),
      container({ env: [{ name: 'a', valueFrom: { fieldRef: { fieldPath: 'metadata.nope' } } }] }),
      container({ env: [{ name: 'a', valueFrom: { configMapKeyRef: { name: '', key: 'a/b' } } }] }),
      container({ envFrom: [{}, { prefix: '1 x', configMapRef: { name: 'A B' } }] }),
      container({ livenessProbe: {} }),
      container({ livenessProbe: { httpGet: { port: 0 }, exec: { command: ['x'] } } }),
      container({
        livenessProbe: { tcpSocket: { port: 'UPPER!' }, timeoutSeconds: -1, successThreshold: 2 },
      }),
      container({ readinessProbe: { httpGet: { port: 1, scheme: 'FTP', httpHeaders: [{ name: 'a b' }] } } }),
      container({ lifecycle: { postStart: {}, preStop: { sleep: { seconds: -1 } } } }),
    ]),

  security: (story) =>
    judged(story, [
      container({ securityContext: { runAsUser: -1, procMount: 'X' } }),
      container({ securityContext: { seccompProfile: { type: 'Localhost' } } }),
      container({ securityContext: { appArmorProfile: { type: 'Localhost' } } }),
      container({ securityContext: { appArmorProfile: { type: 'X' } } }),
      container({ securityContext: { appArmorProfile: {} } }),
      container({ securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: ' x' } } }),
      { securityContext: { appArmorProfile: { type: 'Unconfined', localhostProfile: 'x' } } },
      { securityContext: { sysctls: [{ name: 'A' }, { name: 'a' }, { name: 'a' }] } },
      { securityContext: { fsGroupChangePolicy: 'X', supplementalGroupsPolicy: 'Z' } },
      { securityContext: { supplementalGroups: [-1], fsGroup: -1, runAsGroup: -5 } },
    ]),

  'what is accepted with a warning': (story) =>
    judged(story, [
      { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } },
      { topologySpreadConstraints: [{ ...spread, labelSelector: undefined }] },
      {
        hostAliases: [
          { ip: '1.2.3.4', hostnames: ['a'] },
          { ip: '1.2.3.4', hostnames: ['b'] },
        ],
      },
      { imagePullSecrets: [{ name: 'a' }, { name: 'a' }] },
      volume({ gitRepo: { repository: 'x' } }),
      volume({ projected: { sources: [{}] } }),
      container({
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      }),
      container({ resources: { limits: { memory: '0.5' } } }),
      container({
        ports: [
          { containerPort: 80, name: 'a' },
          { containerPort: 80, name: 'b' },
        ],
      }),
      { terminationGracePeriodSeconds: -1 },
    ]),
});
