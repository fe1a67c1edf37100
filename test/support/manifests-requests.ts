/**
 * Requests of the components and the expected answers, with the objects that must exist first.
 *
 * Every write is a dry run, so rows are independent. A denial is given by a part of the server's message; all
 * messages contain `forbidden`, from RBAC or from a policy.
 */
import { aClusterImagePolicy, anImagePolicy } from './build-registries.ts';
import { buildRows, buildScene } from './manifests-build-requests.ts';
import { daemonIdentity, identities, unboundDaemon } from './manifests-identities.ts';
import { type Refused, type Row, rowsOf, type SceneObject } from './manifests-rows.ts';
import { secretRows, secretScene } from './manifests-secret-requests.ts';

const MC = 'machineconfiguration.openshift.io';
const KINDS = `/apis/${MC}/v1`;
const NS = 'openshift-machine-config-operator';
const HERE = `/api/v1/namespaces/${NS}`;
const SYSTEM = '/api/v1/namespaces/kube-system';
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NS}/leases`;
const OS_IMAGES = `${HERE}/configmaps?fieldSelector=metadata.name%3Dmachine-config-osimageurl`;
const OPERATOR_KINDS = '/apis/operator.openshift.io/v1/machineconfigurations';
const CONFIG_KINDS = '/apis/config.openshift.io/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

const role = (name: string) => ({ matchLabels: { [`${MC}/role`]: name } });
const object = (apiVersion: string, kind: string, name: string, rest: object = {}) => ({
  ...{ apiVersion, kind, metadata: { name } },
  ...rest,
});
const annotated = (annotations: object) => ({ metadata: { annotations } });
const machineConfigNode = (name: string) =>
  object(`${MC}/v1`, 'MachineConfigNode', name, {
    spec: { node: { name }, pool: { name: 'worker' }, configVersion: { desired: 'not-yet-set' } },
  });
const pool = (name: string, machineConfigSelector?: object, spec: object = {}) =>
  object(`${MC}/v1`, 'MachineConfigPool', name, {
    spec: { ...(machineConfigSelector && { machineConfigSelector }), ...spec },
  });
const event = {
  ...object('v1', 'Event', 'a.1'),
  involvedObject: { apiVersion: 'v1', kind: 'Node', name: 'a', namespace: NS },
};
/** In `default`, where events about objects without a namespace are. */
const eventAbout = (kind: string, name: string) => ({
  ...object('v1', 'Event', `${name}.2`),
  involvedObject: { apiVersion: 'v1', kind, name, ...(kind === 'Pod' ? { namespace: 'default' } : {}) },
});
const DEFAULT_EVENTS = '/api/v1/namespaces/default/events';
const lease = (name: string) => object('coordination.k8s.io/v1', 'Lease', name, { spec: {} });
const controllerConfig = (name: string) =>
  object(`${MC}/v1`, 'ControllerConfig', name, {
    spec: {
      ...{ clusterDNSIP: '', cloudProviderConfig: '', ipFamilies: 'IPv4', images: {}, releaseImage: '' },
      ...{ kubeAPIServerServingCAData: 'Y2E=', rootCAData: 'Y2E=', cloudProviderCAData: null, proxy: null },
      ...{ additionalTrustBundle: null, network: null, dns: null, infra: null, baseOSContainerImage: '' },
    },
  });
const machineConfig = object(`${MC}/v1`, 'MachineConfig', 'rendered-worker-1', { spec: {} });
/** All that the controllers delete: when what they were generated from is gone, and when nothing needs a rendered one. */
const GENERATED_NAMES = [
  '99-worker-generated-kubelet-1',
  '99-worker-generated-registries',
  '00-worker',
  '01-master-container-runtime',
  'rendered-worker-0123456789abcdef0123456789abcdef',
];
const pinnedImageSet = object(`${MC}/v1`, 'PinnedImageSet', 'set', {
  spec: { pinnedImages: [{ name: `registry.example/app@sha256:${'a'.repeat(64)}` }] },
});
const kubeletConfig = object(`${MC}/v1`, 'KubeletConfig', 'pods', { spec: {} });
const pod = object('v1', 'Pod', 'app', { spec: { containers: [{ name: 'app', image: 'app' }] } });

/** The initial objects, in this order. */
export const scene: readonly SceneObject[] = [
  ['/api/v1/nodes', { ...object('v1', 'Node', 'new') }],
  ...['a', 'b'].map((name) => {
    const configs = {
      [`${MC}/currentConfig`]: 'rendered-worker-1',
      [`${MC}/desiredConfig`]: 'rendered-worker-1',
    };
    const metadata = { name, annotations: { ...configs, theirs: 'x' } };
    return ['/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata }] as const;
  }),
  [`${KINDS}/machineconfignodes`, machineConfigNode('a')],
  [`${KINDS}/machineconfignodes`, machineConfigNode('b')],
  [`${KINDS}/machineconfigpools`, pool('worker', role('worker'))],
  [`${KINDS}/machineconfigpools`, pool('infra', role('worker'))],
  [`${KINDS}/machineconfigs`, machineConfig],
  ...GENERATED_NAMES.map(
    (name) => [`${KINDS}/machineconfigs`, { ...machineConfig, metadata: { name } }] as const,
  ),
  [`${KINDS}/kubeletconfigs`, kubeletConfig],
  [`${KINDS}/controllerconfigs`, controllerConfig('machine-config-controller')],
  [
    `${KINDS}/osimagestreams`,
    object(`${MC}/v1`, 'OSImageStream', 'cluster', { spec: { defaultStream: 'el9' } }),
  ],
  [OPERATOR_KINDS, object('operator.openshift.io/v1', 'MachineConfiguration', 'cluster', { spec: {} })],
  [`${CONFIG_KINDS}/images`, object('config.openshift.io/v1', 'Image', 'cluster', { spec: {} })],
  [`${CONFIG_KINDS}/clusterimagepolicies`, aClusterImagePolicy('signed', ['quay.io'])],
  [
    `${CONFIG_KINDS}/namespaces/default/imagepolicies`,
    anImagePolicy({ namespace: 'default', name: 'signed' }, ['quay.io']),
  ],
  [`${HERE}/configmaps`, object('v1', 'ConfigMap', 'machine-config-osimageurl')],
  [`${SYSTEM}/configmaps`, object('v1', 'ConfigMap', 'extension-apiserver-authentication')],
  [`${HERE}/secrets`, object('v1', 'Secret', 'pull-secret')],
  [`${HERE}/secrets`, object('v1', 'Secret', 'signing-key')],
  ['/api/v1/namespaces/default/secrets', object('v1', 'Secret', 'pull-secret')],
  ['/api/v1/namespaces/default/serviceaccounts', object('v1', 'ServiceAccount', 'default')],
  ['/api/v1/namespaces/default/pods', pod],
  ...['a', 'b'].map(
    (name) => [DEFAULT_EVENTS, { ...eventAbout('Node', name), metadata: { name: `of-${name}` } }] as const,
  ),
  [LEASES, lease('machine-config')],
  [LEASES, lease('machine-config-controller')],
  ...buildScene,
  ...secretScene,
];

const operatorRows = rowsOf(
  'the operator',
  identities.operator,
  [
    ['GET /api/v1/nodes'],
    ['GET /api/v1/nodes?watch=1'],
    [`GET ${OS_IMAGES}`],
    [`GET ${OS_IMAGES}&watch=1`],
    [`GET ${SYSTEM}/configmaps/extension-apiserver-authentication`],
    [`GET ${KINDS}/machineconfigpools?watch=1`],
    [`POST ${KINDS}/machineconfigpools`, pool('master', role('master'))],
    [`PATCH ${KINDS}/machineconfigpools/worker`, { metadata: { labels: { [`${MC}/mco-built-in`]: '' } } }],
    [`POST ${KINDS}/controllerconfigs`, controllerConfig('another')],
    [`PATCH ${KINDS}/controllerconfigs/machine-config-controller`, { spec: { releaseImage: 'x' } }],
    [`POST ${KINDS}/machineconfignodes`, machineConfigNode('new')],
    [`PATCH ${KINDS}/machineconfignodes/a`, { spec: { pool: { name: 'infra' } } }],
    [`DELETE ${KINDS}/machineconfignodes/a`],
    [`GET ${OPERATOR_KINDS}?watch=1`],
    [`PATCH ${OPERATOR_KINDS}/cluster/status`, { status: { observedGeneration: 1 } }],
    [`POST ${LEASES}`, lease('another')],
    [`GET ${LEASES}/machine-config`],
    [`POST ${HERE}/events`, event],
  ],
  [
    ['PATCH /api/v1/nodes/a', 'cannot patch resource "nodes"', annotated({ any: 'x' })],
    ['PATCH /api/v1/nodes/a/status', 'cannot patch resource "nodes/status"', {}],
    ['DELETE /api/v1/nodes/a', 'cannot delete resource "nodes"'],
    ['POST /api/v1/nodes', 'cannot create resource "nodes"', object('v1', 'Node', 'c')],
    [`PATCH ${KINDS}/machineconfigpools/infra`, 'cannot patch resource "machineconfigpools"', {}],
    [`DELETE ${KINDS}/machineconfigpools/worker`, 'cannot delete resource "machineconfigpools"'],
    [`PATCH ${KINDS}/machineconfigpools/worker/status`, 'cannot patch', {}],
    [`PATCH ${KINDS}/machineconfignodes/a/status`, 'cannot patch resource "machineconfignodes/status"', {}],
    [`PATCH ${KINDS}/controllerconfigs/machine-config-controller/status`, 'cannot patch', {}],
    [`PATCH ${OPERATOR_KINDS}/cluster`, 'cannot patch resource "machineconfigurations"', {}],
    [`DELETE ${OPERATOR_KINDS}/cluster`, 'cannot delete resource "machineconfigurations"'],
    [`GET ${KINDS}/machineconfigs`, 'cannot list resource "machineconfigs"'],
    [`GET ${HERE}/configmaps`, 'cannot list resource "configmaps"'],
    [`GET ${SYSTEM}/configmaps/others`, 'cannot get resource "configmaps"'],
    [`GET ${HERE}/secrets`, 'cannot list resource "secrets"'],
    [`GET ${HERE}/secrets/signing-key`, 'cannot get resource "secrets"'],
    [`GET ${LEASES}/machine-config-controller`, 'cannot get resource "leases"'],
    ['GET /api/v1/pods', 'cannot list resource "pods"'],
    [`GET ${RBAC}/clusterroles`, 'cannot list resource "clusterroles"'],
  ],
);

const controllerRows = rowsOf(
  'the controller',
  identities.controller,
  [
    ['GET /api/v1/nodes?watch=1'],
    ['PATCH /api/v1/nodes/a', annotated({ [`${MC}/desiredConfig`]: 'rendered-worker-2' })],
    ['PATCH /api/v1/nodes/a', { metadata: { labels: { x: 'y' } }, spec: { unschedulable: true } }],
    ['GET /api/v1/pods?watch=1'],
    ['POST /api/v1/namespaces/default/pods/app/eviction', object('policy/v1', 'Eviction', 'app')],
    ['GET /apis/apps/v1/daemonsets?watch=1'],
    ['GET /apis/policy/v1/poddisruptionbudgets?watch=1'],
    [`GET ${OS_IMAGES}&watch=1`],
    [`GET ${HERE}/secrets/pull-secret`],
    [`GET ${KINDS}/machineconfigs?watch=1`],
    [`POST ${KINDS}/machineconfigs`, { ...machineConfig, metadata: { name: 'rendered-worker-2' } }],
    ...GENERATED_NAMES.map((name) => [`DELETE ${KINDS}/machineconfigs/${name}`] as const),
    [`GET ${KINDS}/kubeletconfigs?watch=1`],
    [`GET ${KINDS}/containerruntimeconfigs?watch=1`],
    [`PATCH ${KINDS}/kubeletconfigs/pods`, { metadata: { finalizers: ['99-worker-generated-kubelet'] } }],
    [`PATCH ${KINDS}/kubeletconfigs/pods/status`, { status: { observedGeneration: 1 } }],
    [`PATCH ${KINDS}/machineconfigpools/infra`, { spec: { configuration: { name: 'rendered-infra-1' } } }],
    [`PATCH ${KINDS}/machineconfigpools/infra/status`, { status: { machineCount: 1 } }],
    [`PATCH ${KINDS}/machineconfignodes/a`, { spec: { configVersion: { desired: 'rendered-worker-2' } } }],
    [
      `PATCH ${KINDS}/controllerconfigs/machine-config-controller/status`,
      { status: { observedGeneration: 1 } },
    ],
    [`GET ${KINDS}/osimagestreams?watch=1`],
    [`GET ${KINDS}/machineosconfigs?watch=1`],
    [`GET ${KINDS}/machineosbuilds?watch=1`],
    [`GET ${OPERATOR_KINDS}?watch=1`],
    ['GET /apis/operator.openshift.io/v1alpha1/imagecontentsourcepolicies?watch=1'],
    ...['images', 'imagetagmirrorsets', 'imagedigestmirrorsets', 'clusterimagepolicies', 'imagepolicies'].map(
      (plural) => [`GET ${CONFIG_KINDS}/${plural}?watch=1`] as const,
    ),
    [`PATCH ${CONFIG_KINDS}/clusterimagepolicies/signed/status`, {}],
    [`PATCH ${CONFIG_KINDS}/namespaces/default/imagepolicies/signed/status`, {}],
    [`GET ${LEASES}/machine-config-controller`],
    [`POST ${HERE}/events`, event],
  ],
  [
    [`PATCH ${CONFIG_KINDS}/images/cluster`, 'cannot patch resource "images"', {}],
    [`PATCH ${CONFIG_KINDS}/clusterimagepolicies/signed`, 'cannot patch', {}],
    [`DELETE ${CONFIG_KINDS}/imagetagmirrorsets/a`, 'cannot delete resource "imagetagmirrorsets"'],
    ['GET /api/v1/secrets', 'cannot list resource "secrets"'],
    [`GET ${HERE}/secrets`, 'cannot list resource "secrets"'],
    [`GET ${HERE}/secrets/signing-key`, 'cannot get resource "secrets"'],
    ['GET /api/v1/namespaces/default/secrets/pull-secret', 'cannot get resource "secrets"'],
    ['DELETE /api/v1/nodes/a', 'cannot delete resource "nodes"'],
    ['PATCH /api/v1/nodes/a/status', 'cannot patch resource "nodes/status"', {}],
    ['POST /api/v1/namespaces/default/pods', 'cannot create resource "pods"', pod],
    ['DELETE /api/v1/namespaces/default/pods/app', 'cannot delete resource "pods"'],
    [
      `DELETE ${KINDS}/machineconfigs/rendered-worker-1`,
      'the controllers delete only MachineConfigs that they generated, not rendered-worker-1',
    ],
    [`DELETE ${KINDS}/kubeletconfigs/pods`, 'cannot delete resource "kubeletconfigs"'],
    [`PATCH ${OPERATOR_KINDS}/cluster/status`, 'cannot patch resource "machineconfigurations/status"', {}],
    [`DELETE ${KINDS}/machineconfigpools/infra`, 'cannot delete resource "machineconfigpools"'],
    [
      `POST ${KINDS}/machineconfigpools`,
      'cannot create resource "machineconfigpools"',
      pool('gpu', role('worker')),
    ],
    [`PATCH ${KINDS}/machineconfignodes/a/status`, 'cannot patch resource "machineconfignodes/status"', {}],
    [`POST ${KINDS}/machineconfignodes`, 'cannot create resource', machineConfigNode('new')],
    [`PATCH ${KINDS}/controllerconfigs/machine-config-controller`, 'cannot patch', {}],
    [`GET ${LEASES}/machine-config`, 'cannot get resource "leases"'],
    [
      `POST ${RBAC}/clusterroles`,
      'cannot create',
      object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'x'),
    ],
  ],
);

/** Which images a node keeps, and which configs must not be pruned because a node may still need them. */
const PINNED = 'millwright.dev/pinned-image-sets';
const DISK_CONFIGS = 'millwright.dev/disk-configs';
const NOT_ITS_EVENT = 'the machine-config-daemon may write events about its own Node and about nothing else';
const NOT_ITS_NODE = 'updates to Node b can only be done from that node';
const ONLY_ANNOTATIONS = 'the machine-config-daemon may change annotations of its Node and nothing else';
const notIts = (...keys: readonly string[]) =>
  `these annotations are not the machine-config-daemon's to change: ${keys.join(', ')}`;
const NO_CLAIM = 'this user must have a "authentication.kubernetes.io/node-name" claim';
const state = annotated({ [`${MC}/state`]: 'Working', [`${MC}/desiredDrain`]: 'drain-rendered-worker-2' });
const status = { status: { observedGeneration: 1 } };

const daemonRows = rowsOf(
  'the daemon of node a',
  daemonIdentity('a'),
  [
    ['GET /api/v1/nodes/a'],
    ['GET /api/v1/nodes?fieldSelector=metadata.name%3Da&watch=1'],
    ['PATCH /api/v1/nodes/a', state],
    ['PATCH /api/v1/nodes/a', annotated({ [`${MC}/currentConfig`]: null })],
    ['PATCH /api/v1/nodes/a', annotated({ [DISK_CONFIGS]: 'rendered-worker-0' })],
    ['PATCH /api/v1/nodes/a', annotated({ 'millwright.dev/retried': 'now' })],
    ['PATCH /api/v1/nodes/a', {}],
    [`GET ${KINDS}/machineconfignodes?fieldSelector=metadata.name%3Da&watch=1`],
    [`PATCH ${KINDS}/machineconfignodes/a/status`, status],
    [`GET ${KINDS}/machineconfigs/rendered-worker-1`],
    [`GET ${KINDS}/controllerconfigs?fieldSelector=metadata.name%3Dmachine-config-controller&watch=1`],
    [`GET ${OPERATOR_KINDS}/cluster`],
    [`POST ${HERE}/events`, event],
    [`POST ${DEFAULT_EVENTS}`, eventAbout('Node', 'a')],
    [`PATCH ${DEFAULT_EVENTS}/of-a`, { count: 2 }],
  ],
  [
    [`POST ${DEFAULT_EVENTS}`, NOT_ITS_EVENT, eventAbout('Node', 'b')],
    [`POST ${DEFAULT_EVENTS}`, NOT_ITS_EVENT, eventAbout('Pod', 'a')],
    [`PATCH ${DEFAULT_EVENTS}/of-b`, NOT_ITS_EVENT, { count: 2 }],
    [`GET ${DEFAULT_EVENTS}/of-a`, 'cannot get resource "events"'],
    [`DELETE ${DEFAULT_EVENTS}/of-a`, 'cannot delete resource "events"'],
    ['POST /api/v1/namespaces/kube-system/events', 'cannot create resource "events"', event],
    ['PATCH /api/v1/nodes/b', NOT_ITS_NODE, state],
    ['PATCH /api/v1/nodes/a', ONLY_ANNOTATIONS, { metadata: { labels: { x: 'y' } } }],
    ['PATCH /api/v1/nodes/a', ONLY_ANNOTATIONS, { metadata: { finalizers: ['example.io/stay'] } }],
    ['PATCH /api/v1/nodes/a', ONLY_ANNOTATIONS, { spec: { unschedulable: true } }],
    ['PATCH /api/v1/nodes/a', ONLY_ANNOTATIONS, { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } }],
    ['PATCH /api/v1/nodes/a', notIts(`${MC}/desiredConfig`), annotated({ [`${MC}/desiredConfig`]: 'other' })],
    ['PATCH /api/v1/nodes/a', notIts(`${MC}/desiredImage`), annotated({ [`${MC}/desiredImage`]: 'other' })],
    [
      'PATCH /api/v1/nodes/a',
      notIts(`${MC}/lastAppliedDrain`),
      annotated({ [`${MC}/lastAppliedDrain`]: 'x' }),
    ],
    ['PATCH /api/v1/nodes/a', notIts('millwright.dev/drain'), annotated({ 'millwright.dev/drain': '{}' })],
    // Only administrators ask a node to apply everything again, and to reboot.
    [
      'PATCH /api/v1/nodes/a',
      notIts('millwright.dev/retry'),
      annotated({ 'millwright.dev/retry': 'force-1' }),
    ],
    ['PATCH /api/v1/nodes/a', notIts(PINNED), annotated({ [PINNED]: 'set' })],
    ['PATCH /api/v1/nodes/b', NOT_ITS_NODE, annotated({ [PINNED]: 'set' })],
    ['PATCH /api/v1/nodes/b', NOT_ITS_NODE, annotated({ [DISK_CONFIGS]: '' })],
    [
      'PATCH /api/v1/nodes/a',
      notIts('theirs', 'mine'),
      annotated({ theirs: null, mine: 'x', [`${MC}/reason`]: '' }),
    ],
    ['PATCH /api/v1/nodes/a/status', 'cannot patch resource "nodes/status"', {}],
    ['DELETE /api/v1/nodes/a', 'cannot delete resource "nodes"'],
    [
      `PATCH ${KINDS}/machineconfignodes/b/status`,
      "updates to MCN b can only be done from the MCN's owner node",
      status,
    ],
    [`PATCH ${KINDS}/machineconfignodes/a`, 'cannot patch resource "machineconfignodes"', {}],
    [`DELETE ${KINDS}/machineconfignodes/a`, 'cannot delete resource "machineconfignodes"'],
    [`GET ${KINDS}/machineconfigs`, 'cannot list resource "machineconfigs"'],
    [`PATCH ${KINDS}/machineconfigs/rendered-worker-1`, 'cannot patch resource "machineconfigs"', {}],
    [`GET ${KINDS}/controllerconfigs`, 'cannot list resource "controllerconfigs"'],
    [`GET ${KINDS}/machineconfigpools`, 'cannot list resource "machineconfigpools"'],
    [`POST ${KINDS}/pinnedimagesets`, 'cannot create resource "pinnedimagesets"', pinnedImageSet],
    [`GET ${HERE}/secrets/pull-secret`, 'cannot get resource "secrets"'],
    ['GET /api/v1/secrets', 'cannot list resource "secrets"'],
    ['GET /api/v1/pods', 'cannot list resource "pods"'],
    [
      'POST /api/v1/namespaces/default/pods/app/eviction',
      'cannot create',
      object('policy/v1', 'Eviction', 'app'),
    ],
  ],
);

const firstBoot = annotated({
  ...{ [`${MC}/currentConfig`]: 'rendered-worker-1', [`${MC}/desiredConfig`]: 'rendered-worker-1' },
  ...{ [`${MC}/firstPivotConfig`]: 'rendered-worker-1', [`${MC}/state`]: 'Done' },
});

const otherRows = [
  ...rowsOf(
    'the daemon of a new node',
    daemonIdentity('new'),
    [['PATCH /api/v1/nodes/new', firstBoot]],
    [
      [
        'PATCH /api/v1/nodes/new',
        notIts(`${MC}/lastAppliedDrain`),
        annotated({ [`${MC}/lastAppliedDrain`]: 'x' }),
      ],
    ],
  ),
  ...rowsOf(
    'a daemon whose token is bound to no node',
    unboundDaemon,
    [],
    [
      ['PATCH /api/v1/nodes/a', NO_CLAIM, state],
      [`POST ${DEFAULT_EVENTS}`, NO_CLAIM, eventAbout('Node', 'a')],
      [`PATCH ${KINDS}/machineconfignodes/a/status`, NO_CLAIM, status],
    ],
  ),
];

const WORKERS_ONLY =
  "All custom MachineConfigPools must inherit from the worker pool and must have a machineConfigSelector that matches for a 'machineconfiguration.openshift.io/role: worker' label";
const NO_STREAM =
  'The specified osImageStream name must reference a valid stream from the cluster OSImageStream resource';
const roleIs = (operator: string, ...values: readonly string[]) => ({
  matchExpressions: [{ key: `${MC}/role`, operator, values }],
});
const newPool = (machineConfigSelector?: object, spec?: object) =>
  [`POST ${KINDS}/machineconfigpools`, pool('gpu', machineConfigSelector, spec)] as const;
const refusedPool = (machineConfigSelector: object | undefined): Refused => {
  const [request, body] = newPool(machineConfigSelector);
  return [request, WORKERS_ONLY, body];
};

const administratorRows = rowsOf(
  'an administrator',
  { name: 'admin', groups: ['system:masters'] },
  [
    newPool(role('worker')),
    newPool(role('arbiter')),
    newPool(roleIs('In', 'gpu', 'worker')),
    newPool(roleIs('NotIn', 'master')),
    newPool(role('worker'), { osImageStream: { name: 'el9' } }),
    [`PATCH ${KINDS}/machineconfignodes/a/status`, status],
    ['PATCH /api/v1/nodes/a', { metadata: { labels: { x: 'y' } } }],
    ['DELETE /api/v1/nodes/a'],
  ],
  [
    refusedPool(role('gpu')),
    refusedPool({ matchLabels: { other: 'x' } }),
    refusedPool({}),
    refusedPool(undefined),
    refusedPool(roleIs('In', 'gpu')),
    refusedPool(roleIs('NotIn', 'worker')),
    refusedPool(roleIs('Exists')),
    [
      `PATCH ${KINDS}/machineconfigpools/infra`,
      WORKERS_ONLY,
      { spec: { machineConfigSelector: { matchLabels: null } } },
    ],
    [newPool()[0], NO_STREAM, pool('gpu', role('worker'), { osImageStream: { name: 'el8' } })],
    [`DELETE ${KINDS}/osimagestreams/cluster`, 'Deletion of OSImageStream resources is not allowed'],
    [
      `POST ${OPERATOR_KINDS}`,
      'Only a single object of MachineConfiguration is allowed and it must be named cluster.',
      object('operator.openshift.io/v1', 'MachineConfiguration', 'other', { spec: {} }),
    ],
  ],
);

export const rows: readonly Row[] = [
  ...operatorRows,
  ...controllerRows,
  ...daemonRows,
  ...otherRows,
  ...administratorRows,
  ...buildRows,
  ...secretRows,
];
