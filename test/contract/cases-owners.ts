/** The managers of fields after each verb and subresource. */
import { type Loose, listOf } from './loose.ts';
import { configMap, deployment, node, pod } from './objects.ts';
import { recorded } from './recorded.ts';

/** They are listed by time, in whole seconds: here by name. */
export function owners({ metadata }: Loose): unknown {
  const nameOf = ({ manager, operation, subresource }: Loose) => `${manager} ${operation} ${subresource}`;
  return [...listOf(metadata?.managedFields)].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

const types = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

export const ownerCases = recorded('owners', {
  'each verb leaves to others what it did not touch': async ({ space, ask }) => {
    const path = `/api/v1/namespaces/${space}/configmaps`;
    const metadata = {
      labels: { l: '1' },
      annotations: { x: 'y' },
      finalizers: ['example.com/a'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u' }],
    };
    const whole = { ...configMap('a', { a: '1', b: '2' }, metadata), binaryData: { c: 'eA==' } };
    await ask('POST', `${path}?fieldManager=creator`, { body: whole, pick: owners });
    const next = configMap('a', { a: '1', d: '4' }, { labels: { l: '2' }, finalizers: ['example.com/a'] });
    await ask('PUT', `${path}/a?fieldManager=replacer`, { body: next, pick: owners });
    const patch = (type: keyof typeof types, manager: string, body: unknown) =>
      ask('PATCH', `${path}/a?${manager}`, { contentType: types[type], body, pick: owners });
    await patch('json', 'fieldManager=json', [{ op: 'add', path: '/data/e', value: '5' }]);
    await patch('strategic', 'fieldManager=strategic', {
      metadata: { finalizers: ['example.com/b'], labels: { q: 'r' } },
      data: { a: null },
    });
    await patch(
      'apply',
      'fieldManager=applier&force=true',
      configMap('a', { z: '1' }, { labels: { q: 's' } }),
    );
    await patch('merge', 'fieldManager=applier', { data: { z: '2' } });
    await patch('merge', 'fieldManager=replacer', { metadata: { finalizers: null, labels: null } });
    await ask('DELETE', `${path}/a?propagationPolicy=Foreground`, { pick: owners });
    await patch('merge', 'fieldManager=collector', { metadata: { finalizers: [] } });
  },

  'whoever scales owns the number, and not when': async ({ space, ask }) => {
    const path = `/apis/apps/v1/namespaces/${space}/deployments`;
    await ask('POST', `${path}?fieldManager=creator`, { body: deployment('web'), pick: owners });
    const scale = { metadata: { name: 'web', namespace: space }, spec: { replicas: 3 } };
    await ask('PUT', `${path}/web/scale?fieldManager=one`, { body: scale, pick: ({ spec }) => spec });
    const more = { contentType: types.merge, body: { spec: { replicas: 4 } } };
    await ask('PATCH', `${path}/web/scale?fieldManager=two`, { ...more, pick: ({ spec }) => spec });
    await ask('GET', `${path}/web`, { pick: owners });
  },

  'the status of a Deployment belongs to its controller, by its door': async ({ space, ask }) => {
    const path = `/apis/apps/v1/namespaces/${space}/deployments`;
    await ask('POST', `${path}?fieldManager=creator`, { body: deployment('web'), pick: owners });
    const report = (type: 'merge' | 'strategic', body: object) =>
      ask('PATCH', `${path}/web/status?fieldManager=controller`, {
        contentType: types[type],
        body,
        pick: owners,
      });
    const condition = (type: string) => ({ conditions: [{ type, status: 'True' }] });
    await report('merge', { status: { replicas: 3, observedGeneration: 1, ...condition('Available') } });
    await report('strategic', {
      status: condition('Progressing'),
      metadata: { labels: { z: '1' }, annotations: { q: '1' } },
      spec: { replicas: 99 },
    });
    const applied = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } };
    await ask('PATCH', `${path}/web/status?fieldManager=other`, {
      contentType: types.apply,
      body: { ...applied, status: { availableReplicas: 2 } },
      pick: owners,
    });
  },

  'a template that is applied in part leaves the rest': async ({ space, ask }) => {
    const path = `/apis/apps/v1/namespaces/${space}/deployments`;
    await ask('POST', `${path}?fieldManager=creator`, { body: deployment('web'), pick: owners });
    const applied = (containers: readonly object[]) => ({
      contentType: types.apply,
      body: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: {
          selector: { matchLabels: { app: 'web' } },
          template: { metadata: { labels: { app: 'web' } }, spec: { containers } },
        },
      },
      pick: owners,
    });
    const side = { name: 'side', image: 'example.com/side', ports: [{ containerPort: 1 }] };
    const main = { name: 'main', image: 'example.com/other' };
    await ask('PATCH', `${path}/web?fieldManager=applier`, applied([main, side]));
    await ask('PATCH', `${path}/web?fieldManager=applier&force=true`, applied([main, side]));
    await ask('PATCH', `${path}/web?fieldManager=applier`, applied([main]));
  },

  'a pod belongs to its maker, its scheduler and its kubelet': async ({ space, ask }) => {
    const pods = `/api/v1/namespaces/${space}/pods`;
    await ask('POST', `${pods}?fieldManager=maker`, { body: pod('a'), pick: owners });
    const binding = { metadata: { name: 'a' }, target: { kind: 'Node', name: 'somewhere' } };
    await ask('POST', `${pods}/a/binding?fieldManager=scheduler`, { body: binding });
    const status = {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      podIP: '1.2.3.4',
      podIPs: [{ ip: '1.2.3.4' }],
    };
    await ask('PATCH', `${pods}/a/status?fieldManager=kubelet`, {
      contentType: types.strategic,
      body: { status },
      pick: owners,
    });
    const body = { spec: { containers: [{ name: 'main', image: 'example.com/new' }] } };
    await ask('PATCH', `${pods}/a?fieldManager=person`, { contentType: types.strategic, body, pick: owners });
  },

  'a node belongs to its maker and, by its door, to its kubelet': async ({ name, tidy, ask }) => {
    const path = `/api/v1/nodes/${name('node')}`;
    tidy(path);
    const body = node(path.split('/').at(-1) ?? '', { unschedulable: true });
    await ask('POST', '/api/v1/nodes?fieldManager=maker', { body, pick: owners });
    const status = { conditions: [{ type: 'Ready', status: 'True' }], capacity: { cpu: '1' } };
    await ask('PATCH', `${path}/status?fieldManager=kubelet`, {
      contentType: types.strategic,
      body: { status },
      pick: owners,
    });
    await ask('PATCH', `${path}?fieldManager=person`, {
      contentType: types.strategic,
      body: { spec: { unschedulable: null }, metadata: { labels: { a: 'b' } } },
      pick: owners,
    });
  },

  'what an Event does not say is nobody’s': async ({ space, ask }) => {
    const body = { metadata: { name: 'a' }, involvedObject: { kind: 'Pod', namespace: space }, reason: 'R' };
    await ask('POST', `/api/v1/namespaces/${space}/events`, { body, pick: owners });
  },
});
