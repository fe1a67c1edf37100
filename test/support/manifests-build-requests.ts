/**
 * Requests about builds of OS images: of the builder, of build pods, of the Job controller, and of a user who may create
 * anything and must not be able to run anything.
 */
import type { User } from '../../src/embedded/rbac/index.ts';
import { buildPodIdentity, identities, unboundBuildPod } from './manifests-identities.ts';
import { type Asked, type Refused, type Row, rowsOf, type SceneObject } from './manifests-rows.ts';

const MC = 'machineconfiguration.openshift.io';
const KINDS = `/apis/${MC}/v1`;
const NS = 'openshift-machine-config-operator';
const HERE = `/api/v1/namespaces/${NS}`;
const THERE = '/api/v1/namespaces/default';
const JOBS = `/apis/batch/v1/namespaces/${NS}/jobs`;
const OTHER_JOBS = '/apis/batch/v1/namespaces/default/jobs';
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NS}/leases`;

const BUILD = 'infra-0123456789abcdef0123456789abcdef';
const OTHER_BUILD = 'infra-fedcba9876543210fedcba9876543210';
/** Names of its pods are cut. */
const LONG_BUILD = `${'long-'.repeat(10)}pool-0123456789abcdef0123456789abcdef`;

const object = (apiVersion: string, kind: string, name: string, rest: object = {}) => ({
  ...{ apiVersion, kind, metadata: { name } },
  ...rest,
});
const annotated = (annotations: object) => ({ metadata: { annotations } });
const build = (name: string) =>
  object(`${MC}/v1`, 'MachineOSBuild', name, {
    spec: {
      machineConfig: { name: 'rendered-infra-1' },
      machineOSConfig: { name: 'infra' },
      renderedImagePushSpec: 'quay.io/example/os:1',
    },
  });
const config = object(`${MC}/v1`, 'MachineOSConfig', 'infra', {
  spec: {
    machineConfigPool: { name: 'infra' },
    imageBuilder: { imageBuilderType: 'Job' },
    renderedImagePushSecret: { name: 'push' },
    renderedImagePushSpec: 'quay.io/example/os:latest',
  },
});

const owned = (kind: string, uid: string) => ({
  ownerReferences: [
    { apiVersion: kind === 'Job' ? 'batch/v1' : `${MC}/v1`, kind, name: 'x', uid, controller: true },
  ],
});
const podSpec = { restartPolicy: 'Never', containers: [{ name: 'image-build', image: 'x' }] };
const job = (name: string, metadata: object = {}) => ({
  ...object('batch/v1', 'Job', name, { spec: { template: { spec: podSpec } } }),
  metadata: { name, ...metadata },
});
const pod = (name: string, metadata: object = {}) => ({
  ...object('v1', 'Pod', name, { spec: { ...podSpec, serviceAccountName: 'machine-os-build-pod' } }),
  metadata: { name, ...metadata },
});
const configMap = (name: string, data: object = {}) => object('v1', 'ConfigMap', name, { data });
const secret = (name: string) => object('v1', 'Secret', name, { stringData: { a: 'b' } });
const JOB_LABELS = [
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
  'controller-uid',
  'job-name',
];

const { builder } = identities;
const jobController: User = {
  name: 'system:serviceaccount:kube-system:job-controller',
  groups: ['system:masters'],
};
const controllerManager: User = { name: 'system:kube-controller-manager', groups: ['system:masters'] };
/** May do everything that RBAC can grant. */
const user: User = { name: 'mallory', groups: ['system:masters'] };

/** The initial objects. */
export const buildScene: readonly SceneObject[] = [
  [`${KINDS}/machineosconfigs`, config],
  [`${KINDS}/machineosbuilds`, build(BUILD), builder],
  [JOBS, job(`build-${BUILD}`, owned('MachineOSBuild', 'uid-1')), builder],
  [JOBS, job('own')],
  [`${HERE}/serviceaccounts`, object('v1', 'ServiceAccount', 'default')],
  [`${HERE}/pods`, pod(`build-${BUILD}-abcde`, owned('Job', 'uid-2')), jobController],
  [`${HERE}/pods`, pod('own')],
  ...[`digest-${BUILD}`, `digest-${OTHER_BUILD}`, `digest-${LONG_BUILD}`, `containerfile-${BUILD}`].map(
    (name): SceneObject => [`${HERE}/configmaps`, configMap(name, { repository: 'x' }), builder],
  ),
  [`${HERE}/configmaps`, configMap('own')],
  [`${HERE}/secrets`, secret(`final-${BUILD}`), builder],
  [LEASES, object('coordination.k8s.io/v1', 'Lease', 'machine-os-builder', { spec: {} })],
];

const builderRows = rowsOf(
  'the builder',
  builder,
  [
    ['GET /api/v1/nodes?watch=1'],
    ...[
      'controllerconfigs',
      'machineconfigpools',
      'machineconfigs',
      'machineosbuilds',
      'machineosconfigs',
    ].map((plural): Asked => [`GET ${KINDS}/${plural}?watch=1`]),
    [`PATCH ${KINDS}/machineosconfigs/infra`, annotated({ [`${MC}/current-machine-os-build`]: BUILD })],
    [`PATCH ${KINDS}/machineosconfigs/infra/status`, { status: { observedGeneration: 1 } }],
    [`POST ${KINDS}/machineosbuilds`, build(OTHER_BUILD)],
    [`PATCH ${KINDS}/machineosbuilds/${BUILD}`, annotated({ [`${MC}/job-uid`]: 'uid-2' })],
    [`PATCH ${KINDS}/machineosbuilds/${BUILD}/status`, { status: { buildStart: '2026-01-01T00:00:00Z' } }],
    [`DELETE ${KINDS}/machineosbuilds/${BUILD}`],
    [`GET ${JOBS}?watch=1`],
    [`POST ${JOBS}`, job(`build-${OTHER_BUILD}`, owned('MachineOSBuild', 'uid-3'))],
    [`DELETE ${JOBS}/build-${BUILD}`],
    [`GET ${HERE}/pods?watch=1`],
    [`GET ${HERE}/secrets?watch=1`],
    [`POST ${HERE}/secrets`, secret(`base-${BUILD}`)],
    [`PATCH ${HERE}/secrets/final-${BUILD}`, { stringData: { a: 'other' } }],
    [`DELETE ${HERE}/secrets/final-${BUILD}`],
    [`GET ${HERE}/configmaps?watch=1`],
    [`POST ${HERE}/configmaps`, configMap(`mc-${BUILD}`)],
    [`PATCH ${HERE}/configmaps/digest-${BUILD}`, { data: { former: 'x' } }],
    [`DELETE ${HERE}/configmaps/digest-${BUILD}`],
    [`GET ${LEASES}/machine-os-builder`],
  ],
  [
    ['PATCH /api/v1/nodes/a', 'cannot patch resource "nodes"', {}],
    [`PATCH ${KINDS}/machineconfigpools/infra`, 'cannot patch resource "machineconfigpools"', {}],
    [`PATCH ${KINDS}/machineconfigpools/infra/status`, 'cannot patch', {}],
    [`PATCH ${KINDS}/machineconfigs/rendered-worker-1`, 'cannot patch resource "machineconfigs"', {}],
    [`DELETE ${KINDS}/machineosconfigs/infra`, 'cannot delete resource "machineosconfigs"'],
    [`POST ${HERE}/pods`, 'cannot create resource "pods"', pod('new')],
    [`POST ${HERE}/pods/own/exec`, 'cannot create resource "pods/exec"', {}],
    [`PATCH ${JOBS}/build-${BUILD}`, 'cannot patch resource "jobs"', {}],
    ['GET /api/v1/secrets', 'cannot list resource "secrets"'],
    ['GET /api/v1/namespaces/openshift-config/secrets', 'cannot list resource "secrets"'],
    [`GET ${THERE}/configmaps`, 'cannot list resource "configmaps"'],
    [`POST ${OTHER_JOBS}`, 'cannot create resource "jobs"', job('new')],
    [`GET ${LEASES}/machine-config`, 'cannot get resource "leases"'],
  ],
);

const ITS_DIGEST = 'may only write the ConfigMap with the digest of its own image';
const digest = { metadata: { annotations: { [`${MC}/job-uid`]: 'uid-2' } }, data: { digest: 'sha256:1' } };

const buildPodRows = [
  ...rowsOf(
    'a build pod',
    buildPodIdentity(`build-${BUILD}-abcde`),
    [[`PATCH ${HERE}/configmaps/digest-${BUILD}`, digest]],
    [
      [`PATCH ${HERE}/configmaps/digest-${OTHER_BUILD}`, ITS_DIGEST, digest],
      [`PATCH ${HERE}/configmaps/digest-${LONG_BUILD}`, ITS_DIGEST, digest],
      [`PATCH ${HERE}/configmaps/containerfile-${BUILD}`, ITS_DIGEST, digest],
      [`PATCH ${HERE}/configmaps/own`, ITS_DIGEST, digest],
      [`POST ${HERE}/configmaps`, ITS_DIGEST, configMap('machine-config-osimageurl-2')],
      [`GET ${HERE}/configmaps/digest-${BUILD}`, 'cannot get resource "configmaps"'],
      [`DELETE ${HERE}/configmaps/digest-${BUILD}`, 'cannot delete resource "configmaps"'],
      [`GET ${HERE}/secrets/final-${BUILD}`, 'cannot get resource "secrets"'],
      [`PATCH ${THERE}/configmaps/any`, 'cannot patch resource "configmaps"', digest],
      [
        `PATCH ${KINDS}/machineosbuilds/${BUILD}/status`,
        'cannot patch resource "machineosbuilds/status"',
        {},
      ],
      [`POST ${JOBS}`, 'cannot create resource "jobs"', job('new')],
    ],
  ),
  ...rowsOf(
    'a build pod with a long name',
    buildPodIdentity(`${`build-${LONG_BUILD}-`.slice(0, 58)}abcde`),
    [[`PATCH ${HERE}/configmaps/digest-${LONG_BUILD}`, digest]],
    [[`PATCH ${HERE}/configmaps/digest-${BUILD}`, ITS_DIGEST, digest]],
  ),
  ...rowsOf(
    'a pod of another Job with the account of build pods',
    buildPodIdentity('build-abcde'),
    [],
    [[`PATCH ${HERE}/configmaps/digest-${BUILD}`, ITS_DIGEST, digest]],
  ),
  ...rowsOf(
    'the account of build pods with a token that is bound to no pod',
    unboundBuildPod,
    [],
    [
      [
        `PATCH ${HERE}/configmaps/digest-${BUILD}`,
        'this user must have a "authentication.kubernetes.io/pod-name" claim',
        digest,
      ],
    ],
  ),
];

const JOB_POD = 'pods of Jobs in this namespace are created by the Job controller alone';
const BUILD_JOB = 'Jobs of MachineOSBuilds are created by the machine-os-builder alone';
const objectOfBuild = (name: string) =>
  `the machine-os-builder alone writes objects of builds, such as ${name}`;
const theirs = (key: string) => `these annotations are the machine-os-builder's: ${key}`;
const INPUTS = ['additionaltrustbundle', 'etc-policy', 'etc-registries', 'mc', 'digest'];

const userRows = rowsOf(
  'a user who may create anything',
  user,
  [
    [`DELETE ${KINDS}/machineosbuilds/${BUILD}`],
    [`DELETE ${JOBS}/build-${BUILD}`],
    [`DELETE ${HERE}/pods/build-${BUILD}-abcde`],
    [`DELETE ${HERE}/configmaps/digest-${BUILD}`],
    [`DELETE ${HERE}/secrets/final-${BUILD}`],
    [
      `PATCH ${KINDS}/machineosbuilds/${BUILD}`,
      { metadata: { labels: { team: 'a' }, ownerReferences: null } },
    ],
    [`PATCH ${KINDS}/machineosconfigs/infra`, annotated({ [`${MC}/rebuild`]: '' })],
    [`PATCH ${JOBS}/build-${BUILD}`, { metadata: { labels: { team: 'a' } }, spec: { suspend: true } }],
    [`PATCH ${JOBS}/build-${BUILD}`, { metadata: { ownerReferences: null } }],
    [`POST ${JOBS}`, job('another')],
    [`POST ${OTHER_JOBS}`, job('another', owned('MachineOSBuild', 'uid-1'))],
    [`POST ${HERE}/pods`, pod('another')],
    [`POST ${THERE}/pods`, { ...pod('another', owned('Job', 'uid-2')), spec: podSpec }],
    [`PATCH ${HERE}/pods/build-${BUILD}-abcde`, { metadata: { labels: { team: 'a' } } }],
    [`PATCH ${HERE}/configmaps/containerfile-${BUILD}`, { metadata: { labels: { team: 'a' } } }],
    [`PATCH ${HERE}/configmaps/own`, { data: { a: 'b' } }],
    [`POST ${HERE}/configmaps`, configMap('digest-of-today')],
    [`POST ${HERE}/secrets`, secret('base-pull-secret')],
    [`POST ${THERE}/configmaps`, configMap(`containerfile-${OTHER_BUILD}`)],
  ],
  [
    [`POST ${KINDS}/machineosbuilds`, 'MachineOSBuilds are created by the machine-os-builder', build('x-1')],
    ...[
      `${MC}/job-uid`,
      `${MC}/rendered-image-push-secret`,
      'millwright.dev/credentials',
      'millwright.dev/image-inputs',
    ].map(
      (key): Refused => [
        `PATCH ${KINDS}/machineosbuilds/${BUILD}`,
        theirs(key),
        annotated({ [key]: 'uid-2' }),
      ],
    ),
    [
      `PATCH ${KINDS}/machineosbuilds/${BUILD}/status`,
      `the status of MachineOSBuild ${BUILD} is written by the machine-os-builder alone`,
      { status: { digestedImagePushSpec: `quay.io/a/b@sha256:${'a'.repeat(64)}` } },
    ],
    [
      `PATCH ${KINDS}/machineosconfigs/infra/status`,
      'the status of MachineOSConfig infra is written by the machine-os-builder alone',
      { status: { currentImagePullSpec: `quay.io/a/b@sha256:${'a'.repeat(64)}` } },
    ],
    [`POST ${JOBS}`, BUILD_JOB, job('another', owned('MachineOSBuild', 'uid-1'))],
    [`PATCH ${JOBS}/own`, BUILD_JOB, { metadata: owned('MachineOSBuild', 'uid-1') }],
    [`PATCH ${JOBS}/build-${BUILD}`, BUILD_JOB, { metadata: owned('MachineOSBuild', 'uid-9') }],
    [`POST ${HERE}/pods`, JOB_POD, pod('another', owned('Job', 'uid-2'))],
    [`PATCH ${HERE}/pods/own`, JOB_POD, { metadata: owned('Job', 'uid-2') }],
    // The Job controller would adopt it.
    ...JOB_LABELS.map(
      (key): Refused => [`POST ${HERE}/pods`, JOB_POD, pod('another', { labels: { [key]: 'uid-2' } })],
    ),
    [`PATCH ${HERE}/pods/own`, JOB_POD, { metadata: { labels: { 'job-name': 'x' } } }],
    ...INPUTS.map((prefix): Refused => {
      const name = `${prefix}-pool-${'b'.repeat(32)}`;
      return [`POST ${HERE}/configmaps`, objectOfBuild(name), configMap(name)];
    }),
    [
      `PATCH ${HERE}/configmaps/containerfile-${BUILD}`,
      objectOfBuild(`containerfile-${BUILD}`),
      { data: { Containerfile: 'FROM scratch' } },
    ],
    [`PATCH ${HERE}/configmaps/digest-${BUILD}`, objectOfBuild(`digest-${BUILD}`), digest],
    [
      `PATCH ${HERE}/configmaps/digest-${BUILD}`,
      objectOfBuild(`digest-${BUILD}`),
      annotated({ [`${MC}/job-uid`]: 'uid-2' }),
    ],
    [`POST ${HERE}/secrets`, objectOfBuild(`base-${OTHER_BUILD}`), secret(`base-${OTHER_BUILD}`)],
    [`PATCH ${HERE}/secrets/final-${BUILD}`, objectOfBuild(`final-${BUILD}`), { stringData: { a: 'other' } }],
  ],
);

const controllerRows = [jobController, controllerManager].flatMap((one) =>
  rowsOf(
    one.name,
    one,
    [
      [`POST ${HERE}/pods`, pod('another', { ...owned('Job', 'uid-2'), labels: { 'job-name': 'x' } })],
      [`PATCH ${HERE}/pods/own`, { metadata: owned('Job', 'uid-2') }],
    ],
    [],
  ),
);

export const buildRows: readonly Row[] = [...builderRows, ...buildPodRows, ...userRows, ...controllerRows];
