/** What a server fills in, kind by kind, and how each is shown as a row. */
import type { Fields } from './objects.ts';
import { recorded, type Story } from './recorded.ts';
import { TABLE } from './table.ts';

const labels = { app: 'a' };
const template = (spec: object = {}) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'main', image: 'example.com/main' }], ...spec },
});

/** The object without what every object has, and its row. */
async function made({ ask }: Story, collection: string, object: Fields & Named): Promise<void> {
  await ask('POST', collection, { body: object, pick: withoutMetadata });
  const row = `${collection}/${object.metadata.name}?includeObject=None`;
  await ask('GET', row, { accept: TABLE, pick: ({ rows }) => rows });
}

type Named = { readonly metadata: { readonly name: string } };

const withoutMetadata = ({ metadata: _, ...rest }: { readonly [key: string]: unknown }): unknown => rest;

export const defaultCases = recorded('defaults', {
  'a Service is one of the cluster, with one family and a target for each port': async (story) => {
    const services = `/api/v1/namespaces/${story.space}/services`;
    const spec = { ports: [{ port: 80 }] };
    await made(story, services, { metadata: { name: 'plain' }, spec });
    const headless = { clusterIP: 'None', selector: labels };
    await made(story, services, { metadata: { name: 'headless' }, spec: headless });
    const named = { type: 'ExternalName', externalName: 'example.com' };
    await made(story, services, { metadata: { name: 'named' }, spec: named });
  },

  'a Service outside of the cluster gets ports on nodes and policies': async (story) => {
    const services = `/api/v1/namespaces/${story.space}/services`;
    const nodePort = 30_000 + Math.floor(Math.random() * 2700);
    const hidden = ({ spec }: { readonly [key: string]: unknown }) =>
      JSON.parse(JSON.stringify(spec).replaceAll(/"nodePort":\d+/g, '"nodePort":1'));
    const ports = [{ port: 80, nodePort, targetPort: 'web' }];
    for (const type of ['NodePort', 'LoadBalancer']) {
      const name = type.toLowerCase();
      const spec = {
        type,
        ports: type === 'NodePort' ? ports : [{ port: 81, protocol: 'UDP' }],
        sessionAffinity: 'ClientIP',
      };
      await story.ask('POST', services, { body: { metadata: { name }, spec }, pick: hidden });
    }
  },

  Endpoints: async (story) => {
    const subsets = [
      { addresses: [{ ip: '1.2.3.4' }, { ip: '1.2.3.5' }], ports: [{ port: 3 }, { port: 4, name: 'b' }] },
    ];
    await made(story, `/api/v1/namespaces/${story.space}/endpoints`, { metadata: { name: 'a' }, subsets });
  },

  'a ReplicaSet': async (story) => {
    const spec = { selector: { matchLabels: labels }, template: template() };
    await made(story, `/apis/apps/v1/namespaces/${story.space}/replicasets`, {
      metadata: { name: 'a' },
      spec,
    });
  },

  'a DaemonSet that surges': async (story) => {
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } };
    const spec = { selector: { matchLabels: labels }, template: template(), updateStrategy };
    await made(story, `/apis/apps/v1/namespaces/${story.space}/daemonsets`, {
      metadata: { name: 'a' },
      spec,
    });
  },

  'volumes of a template': async (story) => {
    const volumes = [
      { name: 'config', configMap: { name: 'x' } },
      { name: 'secret', secret: { secretName: 'x', items: [{ key: 'k', path: 'p' }] } },
      { name: 'host', hostPath: { path: '/x' } },
      { name: 'nothing' },
      { name: 'down', downwardAPI: { items: [{ path: 'x', fieldRef: { fieldPath: 'metadata.name' } }] } },
      { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
    ];
    const spec = { selector: { matchLabels: labels }, template: template({ volumes }) };
    const deployment = { metadata: { name: 'a' }, spec };
    await made(story, `/apis/apps/v1/namespaces/${story.space}/deployments`, deployment);
  },

  'containers of a template': async (story) => {
    const containers = [
      {
        name: 'main',
        image: 'example.com/main:latest',
        ports: [{ containerPort: 1 }],
        livenessProbe: { httpGet: { port: 3 } },
        readinessProbe: { tcpSocket: { port: 'x' } },
        startupProbe: { grpc: { port: 1 } },
        env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        resources: { limits: { cpu: '1000m', memory: '1024Mi' } },
        lifecycle: { preStop: { httpGet: { port: 1 } } },
        securityContext: { privileged: true },
      },
      { name: 'tagged', image: 'example.com/side:1' },
    ];
    const initContainers = [{ name: 'first', image: `example.com/first@sha256:${'a'.repeat(64)}` }];
    const spec = { selector: { matchLabels: labels }, template: template({ containers, initContainers }) };
    const deployment = { metadata: { name: 'a' }, spec };
    await made(story, `/apis/apps/v1/namespaces/${story.space}/deployments`, deployment);
  },

  'a pod with limits, of each class of service': async (story) => {
    const pods = `/api/v1/namespaces/${story.space}/pods`;
    const amounts = { cpu: '1', memory: '1Gi' };
    for (const [name, resources] of [
      ['guaranteed', { limits: amounts }],
      ['burstable', { requests: { cpu: '0.1' }, limits: { memory: '1Gi' } }],
      ['best-effort', {}],
    ] as const) {
      const containers = [{ name: 'main', image: 'example.com/main', resources }];
      const spec = { automountServiceAccountToken: false, containers };
      await made(story, pods, { metadata: { name }, spec });
    }
  },

  'an indexed Job with policies': async (story) => {
    const spec = {
      completionMode: 'Indexed',
      completions: 3,
      parallelism: 2,
      backoffLimitPerIndex: 1,
      podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
      template: template({ restartPolicy: 'Never' }),
    };
    await made(story, `/apis/batch/v1/namespaces/${story.space}/jobs`, { metadata: { name: 'a' }, spec });
  },

  'disruption budgets': async (story) => {
    const budgets = `/apis/policy/v1/namespaces/${story.space}/poddisruptionbudgets`;
    await made(story, budgets, { metadata: { name: 'empty' }, spec: {} });
    const spec = { maxUnavailable: '50%', selector: {}, unhealthyPodEvictionPolicy: 'AlwaysAllow' };
    await made(story, budgets, { metadata: { name: 'half' }, spec });
  },

  'roles and their bindings': async (story) => {
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${story.space}`;
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
    await made(story, `${rbac}/roles`, { metadata: { name: 'reader' }, rules });
    await made(story, `${rbac}/roles`, { metadata: { name: 'empty' } });
    const subjects = ['User', 'Group', 'ServiceAccount'].map((kind) => ({ kind, name: kind.toLowerCase() }));
    const roleRef = { kind: 'Role', name: 'reader' };
    await made(story, `${rbac}/rolebindings`, { metadata: { name: 'all' }, roleRef, subjects });
    const view = { kind: 'ClusterRole', name: 'view' };
    await made(story, `${rbac}/rolebindings`, { metadata: { name: 'nobody' }, roleRef: view });
  },

  'cluster roles and their bindings': async (story) => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const name = story.name('role');
    story.tidy(`${rbac}/clusterroles/${name}`);
    story.tidy(`${rbac}/clusterrolebindings/${name}`);
    const rules = [{ nonResourceURLs: ['/x'], verbs: ['get'] }];
    await made(story, `${rbac}/clusterroles`, { metadata: { name }, rules });
    const roleRef = { kind: 'ClusterRole', name };
    const subjects = [{ kind: 'ServiceAccount', name: 's', namespace: 'n' }];
    await made(story, `${rbac}/clusterrolebindings`, { metadata: { name }, roleRef, subjects });
  },

  'leases with and without a holder': async (story) => {
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${story.space}/leases`;
    await made(story, leases, { metadata: { name: 'empty' } });
    const spec = { holderIdentity: 'me', leaseDurationSeconds: 3, leaseTransitions: 2 };
    await made(story, leases, { metadata: { name: 'held' }, spec });
  },

  'accounts and secrets': async (story) => {
    const core = `/api/v1/namespaces/${story.space}`;
    const account = {
      metadata: { name: 'robot' },
      secrets: [{ name: 'x' }],
      imagePullSecrets: [{ name: 'y' }],
    };
    await made(story, `${core}/serviceaccounts`, account);
    const secret = { metadata: { name: 'sealed' }, immutable: true, stringData: { k: 'v' } };
    await made(story, `${core}/secrets`, secret);
    await made(story, `${core}/configmaps`, { metadata: { name: 'empty' } });
  },

  'a node': async (story) => {
    const name = story.name('node');
    story.tidy(`/api/v1/nodes/${name}`);
    const spec = { podCIDR: '10.0.0.0/24', unschedulable: true };
    await made(story, '/api/v1/nodes', { metadata: { name }, spec });
  },
});
