/**
 * The operator, the controllers and the builder with their own identities: the permissions of `manifests/` suffice, and all of them are
 * used.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  annotations,
  clusterImagePolicy,
  containerRuntimeConfig,
  controllerConfig,
  image,
  imagePolicy,
  kubeletConfig,
  type MachineConfigPool,
  machineConfig,
  machineConfigNode,
  machineConfigPool,
  machineOSConfig,
  NAMESPACE,
} from '../src/api/index.ts';
import { readTemplates } from '../src/cli/render/read-templates.ts';
import {
  type Context,
  createBuilder,
  createControllers,
  createOperator,
  DEFAULT_SETTINGS,
} from '../src/controllers/index.ts';
import { type ApiServer, createApiServer, createMemoryStore } from '../src/embedded/apiserver/index.ts';
import { requestInfo } from '../src/embedded/apiserver/request-info.ts';
import { Query } from '../src/embedded/apiserver/verbs/query-options.ts';
import { installManifests } from '../src/embedded/up/install-manifests-node.ts';
import { DEFAULT_BUILD_LIMITS } from '../src/images/index.ts';
import {
  type Controller,
  createCaches,
  createEventRecorder,
  createInProcessTransport,
  createKube,
  type EventWriter,
  type InProcessUser,
  type Kube,
  runAsLeader,
  runControllers,
  type Transport,
} from '../src/kubernetes/client/index.ts';
import {
  type ConfigMap,
  configMap,
  customResourceDefinition,
  event,
  type Node,
  node,
  pod,
  secret,
  serviceAccount,
} from '../src/kubernetes/types/index.ts';
import { aMachineOSConfig } from './rollout/written-builds.ts';
import { aMachineConfig, aPool } from './support/build.ts';
import { aClusterImagePolicy, anImage, anImagePolicy } from './support/build-registries.ts';
import { runBuildStory, willingRegistry } from './support/build-story.ts';
import { clusterOperatorDefinition } from './support/cluster-operator-definition.ts';
import { folder, right, rightsOf } from './support/manifests-files.ts';
import { buildPodIdentity, daemonIdentity, identities } from './support/manifests-identities.ts';
import { meanwhile, virtualEnv } from './support/virtual-env.ts';

const env = virtualEnv();
/** No rate limit. */
const limits = { rate: { perSecond: 1_000_000, burst: 1_000_000 } };
const LIMIT_MS = 10 * 60_000;
const RELEASE = { version: 'millwright test', controllerVersion: 'test', releaseVersion: '1.0.0' };

type Component = 'operator' | 'controller' | 'builder';
const ACCOUNTS = {
  operator: 'machine-config-operator',
  controller: 'machine-config-controller',
  builder: 'machine-os-builder',
} as const;
const used = { operator: new Set<string>(), controller: new Set<string>(), builder: new Set<string>() };
const refused: string[] = [];

let server: ApiServer;
let admin: Kube;
const running: Promise<void>[] = [];
beforeAll(async () => {
  server = await createApiServer({ store: createMemoryStore(), env, tokenKey: new Uint8Array(32) });
  await meanwhile(env, installManifests({ handle: server.handle, clock: env.clock, directory: folder }));
  admin = kubeAs({ name: 'admin', groups: ['system:masters'] });
  await admin.create(customResourceDefinition, clusterOperatorDefinition);
  const templates = await readTemplates(`${folder}/..`);
  running.push(
    start('operator', 'machine-config', createOperator),
    start('controller', 'machine-config-controller', (context) =>
      createControllers(context, { templates, roles: ['master', 'worker'] }),
    ),
  );
  await runStory();
});
afterAll(async () => {
  env.stop();
  await env.clock.resolved(Promise.all(running), LIMIT_MS);
  await server.close();
});

const USED_AT_TIMES: ReadonlySet<string> = new Set([
  // A repeated event is counted.
  'patch events',
  // Needed on clusters with the admission plugin OwnerReferencesPermissionEnforcement.
  'update containerruntimeconfigs/finalizers.machineconfiguration.openshift.io',
  'update controllerconfigs/finalizers.machineconfiguration.openshift.io',
  'update kubeletconfigs/finalizers.machineconfiguration.openshift.io',
  'update machineconfigpools/finalizers.machineconfiguration.openshift.io',
  'update machineosbuilds/finalizers.machineconfiguration.openshift.io',
  'update machineosconfigs/finalizers.machineconfiguration.openshift.io',
]);

describe('with the permissions of the manifests', () => {
  it('no request is forbidden', () => {
    expect(refused).toEqual([]);
  });

  it.each<Component>(['operator', 'controller', 'builder'])(
    'the %s has no unused permission',
    (component) => {
      const rights = rightsOf(ACCOUNTS[component]);
      expect([...used[component]].filter((one) => !rights.has(one))).toEqual([]);
      const isUsed = (one: string) =>
        // Permission to list usually comes with permission to get.
        [one, one.replace(/^get /, 'list ')].some((alike) => used[component].has(alike));
      expect([...rights].filter((one) => !isUsed(one) && !USED_AT_TIMES.has(one))).toEqual([]);
    },
  );
});

/** Changes that make the operator, the controllers and the builder use all of their permissions. */
async function runStory(): Promise<void> {
  await admin.create(configMap, aConfigMap('kube-system', 'kube-root-ca.crt', { 'ca.crt': 'ca' }));
  for (const name of ['a', 'b']) await admin.create(node, aNode(name));
  await until('the pools have a configuration', async () => {
    const pools = await Promise.all(['master', 'worker'].map(poolNamed));
    return pools.every((pool) => configOf(pool) !== '');
  });
  for (const name of ['a', 'b']) await joinPool(name);
  await modifyConfigs();
  await generate();
  await changeSettings();
  await rollOut();
  await admin.delete(node, { name: 'b' });
  const isThere = async () => (await admin.get(machineConfigNode, { name: 'b' })) !== undefined;
  await until('its MachineConfigNode is gone', async () => !(await isThere()));
  await admin.delete(machineOSConfig, { name: 'infra' });
  const builds = { registry: willingRegistry, builderImage: 'builder:1', limits: DEFAULT_BUILD_LIMITS };
  running.push(start('builder', 'machine-os-builder', (context) => createBuilder(context, builds)));
  await runBuildStory({ admin, until, podKube: (name) => kubeAs(buildPodIdentity(name)) });
  await until('the builder has renewed its Lease', async () =>
    used.builder.has('update leases.coordination.k8s.io'),
  );
}

async function joinPool(name: string): Promise<void> {
  const config = configOf(await poolNamed('worker'));
  const first = { [annotations.currentConfig]: config, [annotations.desiredConfig]: config };
  await annotateAsDaemon(name, { ...first, [annotations.state]: 'Done' });
}

/** Deleted rendered and base configs are restored. */
async function modifyConfigs(): Promise<void> {
  const rendered = { name: configOf(await poolNamed('worker')) };
  const body = { spec: { kernelArguments: ['modified'] } };
  await admin.patch(machineConfig, rendered, { type: 'merge', body });
  const hasMeddling = async () =>
    (await admin.get(machineConfig, rendered))?.spec?.kernelArguments?.includes('modified') === true;
  await until('it is put back', async () => !(await hasMeddling()));
  await admin.delete(machineConfig, { name: '00-worker' });
  await until(
    'it is there again',
    async () => (await admin.get(machineConfig, { name: '00-worker' })) !== undefined,
  );
}

/** MachineConfigs are generated from settings, and deleted with them. */
async function generate(): Promise<void> {
  const name = 'story';
  const label = { 'pools.operator.machineconfiguration.openshift.io/worker': '' };
  const machineConfigPoolSelector = { matchLabels: label };
  const apiVersion = 'machineconfiguration.openshift.io/v1';
  const metadata = { name };
  const runtime = { machineConfigPoolSelector, containerRuntimeConfig: { pidsLimit: 4096 } };
  await admin.create(kubeletConfig, {
    ...{ apiVersion, kind: kubeletConfig.kind, metadata },
    spec: { machineConfigPoolSelector },
  });
  const kind = containerRuntimeConfig.kind;
  await admin.create(containerRuntimeConfig, { apiVersion, kind, metadata, spec: runtime });
  const areMade = async () =>
    (await admin.get(kubeletConfig, { name }))?.status !== undefined &&
    (await admin.get(containerRuntimeConfig, { name }))?.status !== undefined;
  await until('both have a status', areMade);
  await admin.delete(kubeletConfig, { name });
  await admin.delete(containerRuntimeConfig, { name });
  const areGone = async () =>
    (await admin.get(kubeletConfig, { name })) === undefined &&
    (await admin.get(containerRuntimeConfig, { name })) === undefined;
  await until('they are gone', areGone);
}

async function changeSettings(): Promise<void> {
  // Images of another release are rejected with an event.
  const images = { releaseVersion: '2.0.0', baseOSContainerImage: 'registry.example/os:1' };
  await admin.create(configMap, aConfigMap(NAMESPACE, 'machine-config-osimageurl', images));
  await env.clock.advance(1_000);
  const place = { name: 'pull-secret', namespace: NAMESPACE };
  await admin.create(secret, { apiVersion: 'v1', kind: 'Secret', metadata: place });
  const spec = { pullSecret: place, baseOSContainerImage: 'x' };
  await admin.patch(
    controllerConfig,
    { name: 'machine-config-controller' },
    { type: 'merge', body: { spec } },
  );
  // Images of this release are used.
  const ours = { data: { releaseVersion: RELEASE.releaseVersion } };
  const map = { name: 'machine-config-osimageurl', namespace: NAMESPACE };
  await admin.patch(configMap, map, { type: 'merge', body: ours });
  const unlabelled = { metadata: { labels: null } };
  await admin.patch(machineConfigPool, { name: 'worker' }, { type: 'merge', body: unlabelled });
  await admin.create(machineConfigPool, aPool('infra'));
  // It waits for a build, and the Lease of the builder is read.
  await admin.create(machineOSConfig, aMachineOSConfig('infra'));
  await until('no builder is running', async () =>
    (await admin.list(event, { namespace: 'default' })).items.some(({ reason }) => reason === 'NoBuilder'),
  );
  // Conflicts are reported on the objects.
  const { spec: registries, ...settings } = anImage({ allowedRegistries: ['docker.io'] });
  const additionalTrustedCA = { name: 'registry-cas' };
  await admin.create(image, { ...settings, spec: { ...registries, additionalTrustedCA } });
  for (const [namespace, name] of [
    ['openshift-config', 'registry-cas'],
    ['openshift-config-managed', 'image-registry-ca'],
  ] as const) {
    await admin.create(configMap, aConfigMap(namespace, name, { no_registry: '' }));
  }
  await admin.create(clusterImagePolicy, aClusterImagePolicy('all', ['quay.io']));
  await admin.create(imagePolicy, anImagePolicy({ namespace: 'default', name: 'own' }, ['quay.io']));
  await env.clock.advance(10_000);
  const isReported = async (namespace: string) =>
    (await admin.list(event, { namespace })).items.some(({ reason }) => reason === 'InvalidTrustedCA');
  for (const namespace of ['openshift-config', 'openshift-config-managed']) {
    await until(`it is reported in ${namespace}`, () => isReported(namespace));
  }
  // A ConfigMap that does not exist is reported on the Image.
  await admin.delete(configMap, { namespace: 'openshift-config', name: 'registry-cas' });
  await until('it is reported in default', async () =>
    (await admin.list(event, { namespace: 'default' })).items.some(
      ({ source, reason }) =>
        source?.component === 'machine-config-operator' && reason === 'InvalidImageConfig',
    ),
  );
  const labelled = { metadata: { labels: { 'node-role.kubernetes.io/infra': '' } } };
  await admin.patch(node, { name: 'b' }, { type: 'merge', body: labelled });
  await env.clock.advance(10_000);
}

/** Node a gets a new desired config and is drained; its pod is evicted. */
async function rollOut(): Promise<void> {
  const place = { name: 'app', namespace: 'default' };
  await admin.create(serviceAccount, {
    ...{ apiVersion: 'v1', kind: 'ServiceAccount' },
    metadata: { name: 'default', namespace: 'default' },
  });
  const spec = { nodeName: 'a', containers: [{ name: 'app', image: 'app' }] };
  await admin.create(pod, { apiVersion: 'v1', kind: 'Pod', metadata: place, spec });
  const before = await nodeAnnotation(annotations.currentConfig);
  await admin.create(machineConfig, aMachineConfig('50-worker-arguments', { kernelArguments: ['quiet'] }));
  await until('node a is sent on', async () => (await nodeAnnotation(annotations.desiredConfig)) !== before);
  const drain = `drain-${await nodeAnnotation(annotations.desiredConfig)}`;
  await annotateAsDaemon('a', { [annotations.state]: 'Working', [annotations.desiredDrain]: drain });
  const isGoing = async () => (await admin.get(pod, place))?.metadata.deletionTimestamp !== undefined;
  await until('the pod is asked to go', isGoing);
  // There is no kubelet that would end it.
  await admin.delete(pod, place, { gracePeriodSeconds: 0 });
  await until(
    'node a is drained',
    async () => (await nodeAnnotation(annotations.lastAppliedDrain)) === drain,
  );
}

function aConfigMap(namespace: string, name: string, data: { readonly [key: string]: string }): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
}

function aNode(name: string): Node {
  const metadata = { name, labels: { 'node-role.kubernetes.io/worker': '' } };
  const status = { conditions: [{ type: 'Ready', status: 'True' }] };
  return { apiVersion: 'v1', kind: 'Node', metadata, spec: {}, status };
}

const poolNamed = (name: string) => admin.get(machineConfigPool, { name });
const configOf = (pool: MachineConfigPool | undefined) => pool?.spec.configuration?.name ?? '';
const nodeAnnotation = async (key: string) =>
  (await admin.get(node, { name: 'a' }))?.metadata.annotations?.[key] ?? '';

async function annotateAsDaemon(
  name: string,
  annotations: { readonly [key: string]: string },
): Promise<void> {
  const body = { metadata: { annotations } };
  await kubeAs(daemonIdentity(name)).patch(node, { name }, { type: 'merge', body });
}

function start(
  component: Component,
  leaseName: string,
  create: (context: Context) => readonly Controller[],
): Promise<void> {
  const transport = watched(
    component,
    createInProcessTransport({ handle: server.handle, user: identities[component] }),
  );
  const kube = createKube({ transport, env, fieldManager: component, limits });
  const leading = { kube, env, lease: { namespace: NAMESPACE, name: leaseName }, identity: component };
  return runAsLeader(leading, async (term) => {
    const caches = createCaches({ transport, env: term.env, limits });
    const recorders = new Map<string, EventWriter>();
    const eventsOf: Context['eventsOf'] = (name, namespace = NAMESPACE) => {
      const key = `${namespace}/${name}`;
      const recorder = recorders.get(key) ?? createEventRecorder({ kube, env, namespace, component: name });
      recorders.set(key, recorder);
      return recorder;
    };
    const context = { kube, caches, env: term.env, eventsOf, settings: DEFAULT_SETTINGS, release: RELEASE };
    await runControllers(create(context), { env: term.env });
    await caches.stop();
  });
}

/** Records requests as RBAC permissions, and those that are rejected. */
function watched(component: Component, transport: Transport): Transport {
  return {
    async send(request) {
      const info = requestInfo(request, new Query(request.query));
      const answer = await transport.send(request);
      if (info?.kind !== 'resource') return answer;
      const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
      const asked = right(info.verb, info.group, resource);
      used[component].add(asked);
      // Apply creates missing objects.
      if (answer.status === 201) used[component].add(right('create', info.group, resource));
      if (answer.status === 403 || answer.status === 422) refused.push(`${component}: ${asked} ${info.name}`);
      return answer;
    },
  };
}

function kubeAs(user: InProcessUser): Kube {
  const transport = createInProcessTransport({ handle: server.handle, user });
  return createKube({ transport, env, fieldManager: 'story', limits });
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = env.clock.monotonic() + LIMIT_MS;
  while (!(await holds())) {
    if (env.clock.monotonic() > end)
      throw new Error(`${what}: not in time; refused: ${refused[0] ?? 'nothing'}`);
    await env.clock.advance(100);
  }
}
