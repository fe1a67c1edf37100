/**
 * What a daemon may not write, in every way that the API has. Nothing here is a dry run: afterwards the objects are compared with what
 * they were before.
 */
import type { Method } from '../../contract/http-client.ts';
import { NS } from './installed-cluster.ts';

const MC = 'machineconfiguration.openshift.io';
const KINDS = `/apis/${MC}/v1`;

export type Attempt = {
  /** Completes `node A is refused …`. */
  readonly what: string;
  readonly method: Method;
  readonly path: string;
  readonly body?: object | readonly object[];
  readonly contentType?: string;
  /** Instead of the refusal where the server gives another reason first. */
  readonly status?: 404 | 415;
};

/** Which images a node pulls and keeps, by the controllers. */
const PINNED = 'millwright.dev/pinned-image-sets';
/** Which configs must not be pruned because the node may still need them, by its daemon. */
const DISK_CONFIGS = 'millwright.dev/disk-configs';

export const aNode = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    labels: { 'node-role.kubernetes.io/worker': '' },
    annotations: {
      [`${MC}/currentConfig`]: 'rendered-worker-1',
      [`${MC}/desiredConfig`]: 'rendered-worker-1',
      [PINNED]: 'set-of-all',
      [DISK_CONFIGS]: 'rendered-worker-0',
      theirs: 'x',
    },
  },
});

export const aMachineConfigNode = (name: string) => ({
  apiVersion: `${MC}/v1`,
  kind: 'MachineConfigNode',
  metadata: { name },
  spec: { node: { name }, pool: { name: 'worker' }, configVersion: { desired: 'rendered-worker-1' } },
});

export const anEventAbout = (kind: string, about: string, name: string) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name, namespace: 'default' },
  involvedObject: { kind, name: about, ...(kind === 'Pod' ? { namespace: 'default' } : {}) },
  reason: 'Any',
  type: 'Normal',
});

const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const PATCHES = [
  ['a merge patch', MERGE],
  ['a strategic merge patch', STRATEGIC],
] as const;

/** Every way to change one field of an object, in itself and in its subresources. */
function changesOf(object: ChangedObject): readonly Attempt[] {
  const { apiVersion, kind, collection, name, subresources, change, pointer, value } = object;
  const metadata = { name };
  return ['', ...subresources].flatMap((subresource) => {
    const path = `${collection}/${name}${subresource === '' ? '' : `/${subresource}`}`;
    const at = subresource === '' ? '' : ` of its ${subresource}`;
    const whole = { apiVersion, kind, metadata, ...change };
    return [
      { what: `an update${at}`, method: 'PUT', path, body: whole },
      ...PATCHES.map(
        ([what, contentType]): Attempt => ({
          what: `${what}${at}`,
          method: 'PATCH',
          path,
          body: change,
          contentType,
        }),
      ),
      {
        what: `a JSON patch${at}`,
        method: 'PATCH',
        path,
        body: [{ op: 'add', path: pointer, value }],
        contentType: 'application/json-patch+json',
      },
      {
        what: `server-side apply${at}`,
        method: 'PATCH',
        path: `${path}?fieldManager=daemon&force=true`,
        body: whole,
        contentType: APPLY,
      },
    ] satisfies readonly Attempt[];
  });
}

type ChangedObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly collection: string;
  readonly name: string;
  readonly subresources: readonly string[];
  readonly change: object;
  readonly pointer: string;
  readonly value: unknown;
};

const state = `${MC}/state`;
const escaped = state.replace('/', '~1');

const nodeChanges = (name: string) =>
  changesOf({
    ...{ apiVersion: 'v1', kind: 'Node', collection: '/api/v1/nodes', name, subresources: ['status'] },
    change: { metadata: { name, annotations: { [state]: 'Degraded' } } },
    ...{ pointer: `/metadata/annotations/${escaped}`, value: 'Degraded' },
  });

const report = { observedGeneration: 7 };
const nodeReports = (name: string): readonly Attempt[] =>
  changesOf({
    ...{ apiVersion: `${MC}/v1`, kind: 'MachineConfigNode', name, subresources: ['status'] },
    collection: `${KINDS}/machineconfignodes`,
    change: { ...aMachineConfigNode(name), status: report },
    ...{ pointer: '/status', value: report },
  }).map((one) =>
    // Custom resources have none of these.
    one.contentType === STRATEGIC && one.path.endsWith('/status') ? { ...one, status: 415 } : one,
  );

const on = (what: string, attempts: readonly Attempt[]): readonly Attempt[] =>
  attempts.map((one) => ({ ...one, what: `${one.what} ${what}` }));

const remove = (what: string, path: string): Attempt => ({ what, method: 'DELETE', path });
const post = (what: string, path: string, body: object): Attempt => ({ what, method: 'POST', path, body });
const merge = (what: string, path: string, body: object): Attempt => ({
  ...{ what, method: 'PATCH', path, body },
  contentType: MERGE,
});

const annotate = (what: string, node: string, annotations: object): Attempt =>
  merge(what, `/api/v1/nodes/${node}`, { metadata: { annotations } });

/** Of the daemon of another node. */
export const elsewhere: readonly Attempt[] = [
  ...on('of Node b', nodeChanges('b')),
  ...on('of MachineConfigNode b', nodeReports('b')),
  ...[PINNED, DISK_CONFIGS].flatMap((key) => [
    annotate(`annotation ${key} of Node b`, 'b', { [key]: 'other' }),
    annotate(`the removal of annotation ${key} of Node b`, 'b', { [key]: null }),
  ]),
  remove('the deletion of Node b', '/api/v1/nodes/b'),
  remove('the deletion of all Nodes', '/api/v1/nodes'),
  remove('the deletion of MachineConfigNode b', `${KINDS}/machineconfignodes/b`),
  remove('the deletion of all MachineConfigNodes', `${KINDS}/machineconfignodes`),
  post('a new Node', '/api/v1/nodes', aNode('c')),
  post('a new MachineConfigNode', `${KINDS}/machineconfignodes`, aMachineConfigNode('c')),
  ...on(
    'of a Node that does not exist',
    nodeChanges('c').filter(({ contentType }) => contentType === APPLY),
  ),
  ...on(
    'of a MachineConfigNode that does not exist',
    nodeReports('c')
      .filter(({ contentType }) => contentType === APPLY)
      .map((one) => (one.path.includes('/status?') ? { ...one, status: 404 } : one)),
  ),
  { what: 'the kubelet of Node b through the proxy', method: 'GET', path: '/api/v1/nodes/b/proxy/pods' },
];

/** On its own node, beyond what is its own. */
export const beyondItsOwn: readonly Attempt[] = [
  merge('a label', '/api/v1/nodes/a', { metadata: { labels: { 'node-role.kubernetes.io/master': '' } } }),
  merge('the removal of a label', '/api/v1/nodes/a', {
    metadata: { labels: { 'node-role.kubernetes.io/worker': null } },
  }),
  merge('a taint', '/api/v1/nodes/a', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }),
  merge('the removal of its taints', '/api/v1/nodes/a', { spec: { taints: null } }),
  merge('being schedulable or not', '/api/v1/nodes/a', { spec: { unschedulable: true } }),
  merge('a provider id', '/api/v1/nodes/a', { spec: { providerID: 'other://1' } }),
  merge('a finalizer', '/api/v1/nodes/a', { metadata: { finalizers: ['example.com/x'] } }),
  merge('an owner', '/api/v1/nodes/a', {
    metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'b', uid: 'x' }] },
  }),
  merge('its desired config', '/api/v1/nodes/a', {
    metadata: { annotations: { [`${MC}/desiredConfig`]: 'rendered-worker-2' } },
  }),
  merge('the drain that was applied', '/api/v1/nodes/a', {
    metadata: { annotations: { [`${MC}/lastAppliedDrain`]: 'drain-x' } },
  }),
  annotate('the sets of images that are pinned on it', 'a', { [PINNED]: 'other' }),
  annotate('the removal of the sets of images that are pinned on it', 'a', { [PINNED]: null }),
  post('a new PinnedImageSet', `${KINDS}/pinnedimagesets`, {
    apiVersion: `${MC}/v1`,
    kind: 'PinnedImageSet',
    metadata: { name: 'mine' },
    spec: { pinnedImages: [{ name: `registry.example/app@sha256:${'a'.repeat(64)}` }] },
  }),
  merge('an annotation of others', '/api/v1/nodes/a', { metadata: { annotations: { theirs: 'y' } } }),
  merge('the removal of an annotation of others', '/api/v1/nodes/a', {
    metadata: { annotations: { theirs: null } },
  }),
  merge('its addresses and conditions', '/api/v1/nodes/a/status', { status: { conditions: [] } }),
  remove('its deletion', '/api/v1/nodes/a'),
  merge('the spec of its MachineConfigNode', `${KINDS}/machineconfignodes/a`, {
    spec: { configVersion: { desired: 'rendered-worker-2' } },
  }),
  remove('the deletion of its MachineConfigNode', `${KINDS}/machineconfignodes/a`),
];

const EVENTS = '/api/v1/namespaces/default/events';

export const aboutOthers: readonly Attempt[] = [
  post('an event about Node b', EVENTS, anEventAbout('Node', 'b', 'new-b')),
  post('an event about a pod', EVENTS, anEventAbout('Pod', 'a', 'new-pod')),
  merge('a change of an event about Node b', `${EVENTS}/of-b`, { message: 'changed' }),
  merge('turning an event about its Node into one about Node b', `${EVENTS}/of-a`, {
    involvedObject: { kind: 'Node', name: 'b' },
  }),
  {
    what: 'applying an event about Node b',
    method: 'PATCH',
    path: `${EVENTS}/applied-b?fieldManager=daemon&force=true`,
    body: anEventAbout('Node', 'b', 'applied-b'),
    contentType: APPLY,
  },
  post('an event about Node b by the newer API', '/apis/events.k8s.io/v1/namespaces/default/events', {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'newer-b', namespace: 'default' },
    regarding: { kind: 'Node', name: 'b' },
    ...{ eventTime: '2026-01-01T00:00:00.000000Z', reportingController: 'x', reportingInstance: 'x' },
    ...{ action: 'x', reason: 'x', type: 'Normal' },
  }),
  remove('the deletion of an event', `${EVENTS}/of-b`),
];

/** Ways to another identity. */
export const otherIdentities: readonly Attempt[] = [
  post(
    'a token of its own account for another node',
    `/api/v1/namespaces/${NS}/serviceaccounts/machine-config-daemon/token`,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  ),
  post('a certificate', '/apis/certificates.k8s.io/v1/certificatesigningrequests', {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'mine' },
    spec: { request: btoa('x'), signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] },
  }),
  post('a pod', `/api/v1/namespaces/${NS}/pods`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'mine' },
    spec: { nodeName: 'b', containers: [{ name: 'x', image: 'x' }] },
  }),
  post('another role', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'mine' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'machine-config-daemon', namespace: NS }],
  }),
  ...['machine-config-server-ca', 'machine-config-server-token', 'worker-user-data-managed'].map(
    (name): Attempt => ({
      what: `reading the Secret ${name}, with which machines join`,
      method: 'GET',
      path: `/api/v1/namespaces/${NS}/secrets/${name}`,
    }),
  ),
  { what: 'reading the Secrets of the cluster', method: 'GET', path: '/api/v1/secrets' },
  { what: 'listing MachineConfigs', method: 'GET', path: `${KINDS}/machineconfigs` },
];

/** Its own, which it may write. */
export const itsOwn: readonly Attempt[] = [
  merge('its state in annotations of its Node', '/api/v1/nodes/a', {
    metadata: { annotations: { [state]: 'Working' } },
  }),
  annotate('the configs that its disk refers to', 'a', { [DISK_CONFIGS]: 'rendered-worker-2' }),
  merge('the status of its MachineConfigNode', `${KINDS}/machineconfignodes/a/status`, {
    status: { observedGeneration: 3 },
  }),
  post('an event about its Node', EVENTS, anEventAbout('Node', 'a', 'new-a')),
  merge('a change of an event about its Node', `${EVENTS}/of-a`, { message: 'again' }),
];
