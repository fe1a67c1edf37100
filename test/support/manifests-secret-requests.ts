/**
 * Requests of those components that handle Secrets: the server reads what it serves and nothing else, the operator writes what the
 * server needs and reads no other, and nobody gets a token of another account by a Secret.
 *
 * The same rows are asked on a real server: `test/kubernetes/rbac`.
 */
import { identities } from './manifests-identities.ts';
import { type Refused, type Row, rowsOf, type SceneObject } from './manifests-rows.ts';

const MC = 'machineconfiguration.openshift.io';
const KINDS = `/apis/${MC}/v1`;
const NS = 'openshift-machine-config-operator';
const HERE = `/api/v1/namespaces/${NS}`;
const SECRETS = `${HERE}/secrets`;
const CONFIG_MAPS = `${HERE}/configmaps`;
const DEFAULT_SECRETS = '/api/v1/namespaces/default/secrets';

/** Of a Secret that no row may read. */
export const CREDENTIALS = { name: 'credentials', content: btoa('nobody reads this') };

const secret = (name: string, rest: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  data: { content: CREDENTIALS.content },
  ...rest,
});
const tls = (name: string) =>
  secret(name, { type: 'kubernetes.io/tls', data: { 'tls.crt': btoa('a'), 'tls.key': btoa('b') } });
/** Kubernetes puts a token of the account into it. */
const tokenSecret = (name: string, account: string) =>
  secret(name, {
    metadata: { name, annotations: { 'kubernetes.io/service-account.name': account } },
    type: 'kubernetes.io/service-account-token',
  });
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: {} });
const pool = {
  apiVersion: `${MC}/v1`,
  kind: 'MachineConfigPool',
  metadata: { name: 'served' },
  spec: { machineConfigSelector: { matchLabels: { [`${MC}/role`]: 'worker' } } },
};
const machineConfig = {
  apiVersion: `${MC}/v1`,
  kind: 'MachineConfig',
  metadata: { name: 'rendered-served-1' },
  spec: {},
};

export const secretScene: readonly SceneObject[] = [
  ...['machine-config-server-ca', 'machine-config-server-tls'].map((name) => [SECRETS, tls(name)] as const),
  ...['machine-config-server-token', 'served-user-data-managed', CREDENTIALS.name].map(
    (name) => [SECRETS, secret(name)] as const,
  ),
  [DEFAULT_SECRETS, secret('machine-config-server-tls')],
  ...['machine-config-server-ca', 'kubeconfig-data', 'settings'].map(
    (name) => [CONFIG_MAPS, configMap(name)] as const,
  ),
  [`${KINDS}/machineconfigpools`, pool],
  [`${KINDS}/machineconfigs`, machineConfig],
];

const named = (collection: string, name: string) => `GET ${collection}?fieldSelector=metadata.name%3D${name}`;
const cannot = (request: string, verb: string, resource: string, body?: object): Refused => {
  const refusal = `cannot ${verb} resource "${resource}"`;
  return body === undefined ? [request, refusal] : [request, refusal, body];
};

const serverRows = rowsOf(
  'the server',
  identities.server,
  [
    ...['controllerconfigs', 'machineconfigpools', 'machineosbuilds', 'machineosconfigs'].map(
      (plural) => [`GET ${KINDS}/${plural}`] as const,
    ),
    [`GET ${KINDS}/machineconfigs/rendered-served-1`],
    ...['machine-config-server-tls', 'machine-config-server-token', 'node-bootstrapper-token'].map(
      (name) => [named(SECRETS, name)] as const,
    ),
  ],
  [
    cannot(`GET ${SECRETS}`, 'list', 'secrets'),
    cannot('GET /api/v1/secrets', 'list', 'secrets'),
    // Whoever has the key of the CA can serve in its place; a pointer has the token of its pool.
    ...['machine-config-server-ca', 'served-user-data-managed', CREDENTIALS.name].flatMap((name) => [
      cannot(`GET ${SECRETS}/${name}`, 'get', 'secrets'),
      cannot(named(SECRETS, name), 'list', 'secrets'),
    ]),
    cannot(`GET ${DEFAULT_SECRETS}/machine-config-server-tls`, 'get', 'secrets'),
    cannot(`GET ${CONFIG_MAPS}`, 'list', 'configmaps'),
    cannot(`GET ${CONFIG_MAPS}/settings`, 'get', 'configmaps'),
    // The operator reads it, for the ControllerConfig.
    cannot(named(CONFIG_MAPS, 'kubeconfig-data'), 'list', 'configmaps'),
    cannot(`GET ${KINDS}/machineconfigs`, 'list', 'machineconfigs'),
    ...['kubeletconfigs', 'machineconfignodes', 'pinnedimagesets'].map((plural) =>
      cannot(`GET ${KINDS}/${plural}`, 'list', plural),
    ),
    cannot('GET /api/v1/nodes', 'list', 'nodes'),
    cannot('GET /api/v1/pods', 'list', 'pods'),
    cannot(`POST ${SECRETS}`, 'create', 'secrets', secret('mine')),
    cannot(`PATCH ${SECRETS}/machine-config-server-tls`, 'patch', 'secrets', {}),
    cannot(`DELETE ${SECRETS}/machine-config-server-token`, 'delete', 'secrets'),
    cannot(`PATCH ${CONFIG_MAPS}/kubeconfig-data`, 'patch', 'configmaps', {}),
    cannot(`PATCH ${KINDS}/machineconfigpools/served`, 'patch', 'machineconfigpools', {}),
    cannot(`PATCH ${KINDS}/machineconfigpools/served/status`, 'patch', 'machineconfigpools/status', {}),
    cannot(`PATCH ${KINDS}/machineconfigs/rendered-served-1`, 'patch', 'machineconfigs', {}),
    cannot(`POST ${HERE}/serviceaccounts/machine-config-server/token`, 'create', 'serviceaccounts/token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    }),
  ],
);

const OWN = ['machine-config-server-ca', 'machine-config-server-tls', 'machine-config-server-token'];
const notIts = (resource: string, name: string) =>
  `the machine-config-operator may not write ${resource} ${name}`;
const noToken = (name: string) => `components may not write Secrets with tokens of accounts, such as ${name}`;

const operatorRows = rowsOf(
  'the operator',
  identities.operator,
  [
    ...OWN.map((name) => [`GET ${SECRETS}/${name}`] as const),
    [`POST ${SECRETS}`, secret('new-user-data-managed')],
    [`PATCH ${SECRETS}/served-user-data-managed`, { data: { userData: btoa('x') } }],
    [`PUT ${SECRETS}/machine-config-server-tls`, tls('machine-config-server-tls')],
    [`GET ${CONFIG_MAPS}/machine-config-server-ca`],
    [`PATCH ${CONFIG_MAPS}/machine-config-server-ca`, { data: { 'ca-bundle.crt': 'x' } }],
  ],
  [
    // A patch, even one that changes nothing, returns the object.
    [`PATCH ${SECRETS}/${CREDENTIALS.name}`, notIts('secrets', CREDENTIALS.name), {}],
    // Two policies refuse it, in any order.
    [`PATCH ${SECRETS}/node-bootstrapper-token`, ' may not write ', {}],
    [`POST ${SECRETS}`, notIts('secrets', 'other'), secret('other')],
    ...['other', 'machine-config-server-tls', 'new-user-data-managed'].map(
      (name): Refused => [`POST ${CONFIG_MAPS}`, notIts('configmaps', name), configMap(name)],
    ),
    ...['new-user-data-managed', 'other-user-data-managed'].map(
      (name): Refused => [`POST ${SECRETS}`, noToken(name), tokenSecret(name, 'machine-os-builder')],
    ),
    cannot(`PATCH ${CONFIG_MAPS}/settings`, 'patch', 'configmaps', {}),
    ...[CREDENTIALS.name, 'node-bootstrapper-token', 'served-user-data-managed'].map((name) =>
      cannot(`GET ${SECRETS}/${name}`, 'get', 'secrets'),
    ),
    cannot(`PUT ${SECRETS}/${CREDENTIALS.name}`, 'update', 'secrets', secret(CREDENTIALS.name)),
    ...[...OWN, 'served-user-data-managed'].map((name) =>
      cannot(`DELETE ${SECRETS}/${name}`, 'delete', 'secrets'),
    ),
    cannot(`POST ${DEFAULT_SECRETS}`, 'create', 'secrets', secret('new-user-data-managed')),
    cannot(`PATCH ${DEFAULT_SECRETS}/machine-config-server-tls`, 'patch', 'secrets', {}),
  ],
);

const builderRows = rowsOf(
  'the builder',
  identities.builder,
  [[`POST ${SECRETS}`, secret('mine')]],
  [[`POST ${SECRETS}`, noToken('mine'), tokenSecret('mine', 'machine-config-operator')]],
);

export const secretRows: readonly Row[] = [...serverRows, ...operatorRows, ...builderRows];
