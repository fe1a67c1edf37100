/**
 * Changes that make the operator, the controllers, the builder and the server use all of their permissions, and a record of what they asked for:
 * the permissions of `manifests/` suffice, and all of them are used.
 */

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
} from '../../src/api/index.ts';
import type { Env } from '../../src/base/env.ts';
import { assert } from '../../src/base/errors.ts';
import { certificateIssuer } from '../../src/certificates/certificate-issuer-node.ts';
import { MetricsAccess } from '../../src/cli/health/metrics-access.ts';
import { readTemplates } from '../../src/cli/render/read-templates.ts';
import type { Base } from '../../src/config/render/index.ts';
import {
  type Context,
  createBuilder,
  createControllers,
  createOperator,
  DEFAULT_SETTINGS,
} from '../../src/controllers/index.ts';
import { requestInfo } from '../../src/embedded/apiserver/request-info.ts';
import { Query } from '../../src/embedded/apiserver/verbs/query-options.ts';
import { DEFAULT_BUILD_LIMITS } from '../../src/images/index.ts';
import {
  type Controller,
  createCaches,
  createEventRecorder,
  createKube,
  type EventWriter,
  type Kube,
  runAsLeader,
  runControllers,
  type Transport,
} from '../../src/kubernetes/client/index.ts';
import { Metrics } from '../../src/kubernetes/metrics/index.ts';
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
} from '../../src/kubernetes/types/index.ts';
import { ComponentMetrics } from '../../src/processes/component-metrics.ts';
import { createConfigServer, createServerController } from '../../src/server/index.ts';
import { aMachineOSConfig } from '../rollout/written-builds.ts';
import { createScraper } from './a-scraper.ts';
import { aMachineConfig, aPool } from './build.ts';
import { aClusterImagePolicy, anImage, anImagePolicy } from './build-registries.ts';
import { runBuildStory, willingRegistry } from './build-story.ts';
import { clusterOperatorDefinition } from './cluster-operator-definition.ts';
import { folder, right, rightsOf } from './manifests-files.ts';
import { proxyDefinition } from './proxy-definition.ts';

/** No rate limit. */
export const NO_RATE_LIMIT = { rate: { perSecond: 1_000_000, burst: 1_000_000 } };
const LIMIT_MS = 10 * 60_000;
/** With all that needs permissions. */
const SETTINGS = { ...DEFAULT_SETTINGS, clusterDns: {} };
const RELEASE = { version: 'millwright test', controllerVersion: 'test', releaseVersion: '1.0.0' };

export const ACCOUNTS = {
  operator: 'machine-config-operator',
  controller: 'machine-config-controller',
  builder: 'machine-os-builder',
  server: 'machine-config-server',
} as const;

const USED_AT_TIMES: ReadonlySet<string> = new Set([
  // Objects that are cached are listed and watched; kubectl auth can-i expects all three.
  ...['controllerconfigs', 'machineconfigpools', 'machineosbuilds', 'machineosconfigs'].map(
    (plural) => `get ${plural}.machineconfiguration.openshift.io`,
  ),
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

const CONFIG_SERVER = {
  issuer: certificateIssuer,
  isTokenRequired: true,
  url: 'https://api.example:22623',
};

export type Component = keyof typeof ACCOUNTS;

export type StoryWorld = {
  /** That Millwright is installed in. */
  readonly namespace: string;
  readonly env: Env;
  readonly admin: Kube;
  readonly transportOf: (component: Component) => Transport;
  /** With the identity of the daemon of a node. */
  readonly daemonKube: (node: string) => Promise<Kube>;
  /** With the identity of a build pod. */
  readonly podKube: (pod: string) => Promise<Kube>;
  /** Lets time pass for the components. */
  readonly wait: (ms: number) => Promise<void>;
};

export class ManifestsStory {
  /** The permissions that requests needed. */
  readonly used: Readonly<Record<Component, Set<string>>> = {
    operator: new Set(),
    controller: new Set(),
    builder: new Set(),
    server: new Set(),
  };
  readonly refused: string[] = [];
  /** What each component has deleted on the server, as `machineconfigs 00-worker`. */
  readonly deleted: Readonly<Record<Component, Set<string>>> = {
    operator: new Set(),
    controller: new Set(),
    builder: new Set(),
    server: new Set(),
  };
  /** Of all requests. */
  readonly namespaces = new Set<string>();
  /** Until the components have ended. */
  readonly running: Promise<void>[] = [];
  readonly #world: StoryWorld;

  constructor(world: StoryWorld) {
    this.#world = world;
  }

  /** The permissions of the manifests that no request needed. */
  unused(component: Component): readonly string[] {
    return unusedRights(ACCOUNTS[component], this.used[component]);
  }

  async run(): Promise<void> {
    await this.#world.admin.create(customResourceDefinition, clusterOperatorDefinition);
    await this.#world.admin.create(customResourceDefinition, proxyDefinition);
    const templates = await readTemplates(`${folder}/..`);
    this.running.push(
      this.#start('operator', 'machine-config', (context) => createOperator(context, CONFIG_SERVER)),
    );
    const stopControllers = this.#startControllers(templates, 'coreos');
    await this.#world.admin.create(
      configMap,
      aConfigMap('kube-system', 'kube-root-ca.crt', { 'ca.crt': 'ca' }),
    );
    for (const name of ['a', 'b']) await this.#world.admin.create(node, aNode(name));
    await this.#until('the pools have a configuration', async () => {
      const pools = await Promise.all(['master', 'worker'].map((name) => this.#poolNamed(name)));
      return pools.every((pool) => configOf(pool) !== '');
    });
    for (const name of ['a', 'b']) await this.#joinPool(name);
    await this.#modifyConfigs();
    await this.#generate();
    await this.#changeSettings();
    await this.#rollOut();
    await this.#world.admin.delete(node, { name: 'b' });
    const isThere = async () => (await this.#world.admin.get(machineConfigNode, { name: 'b' })) !== undefined;
    await this.#until('its MachineConfigNode is gone', async () => !(await isThere()));
    await this.#world.admin.delete(machineOSConfig, { name: 'infra' });
    const registry = willingRegistry();
    const builds = { registry, builderImage: 'builder:1', limits: DEFAULT_BUILD_LIMITS };
    this.running.push(
      this.#start('builder', 'machine-os-builder', (context) => createBuilder(context, builds)),
    );
    const { admin, podKube, namespace } = this.#world;
    await runBuildStory({
      admin,
      registry,
      podKube,
      namespace,
      until: (what, holds) => this.#until(what, holds),
    });
    await this.#serveConfigs();
    await this.#until('the builder has renewed its Lease', async () =>
      this.used.builder.has('update leases.coordination.k8s.io'),
    );
    await this.#scrape();
    await stopControllers();
    await this.#removeBase(templates);
  }

  /** Returns a function that ends them and gives their Lease back. */
  #startControllers(templates: ReadonlyMap<string, string>, base: Base): () => Promise<void> {
    const stopping = new AbortController();
    let isOver = false;
    const ended = this.#start(
      'controller',
      'machine-config-controller',
      (context) =>
        createControllers(
          { ...context, settings: { ...context.settings, base } },
          { templates, roles: ['master', 'worker'] },
        ),
      stopping.signal,
    ).finally(() => {
      isOver = true;
    });
    this.running.push(ended);
    return async () => {
      stopping.abort();
      await this.#until('the controllers have ended', async () => isOver);
    };
  }

  /** With the base `none`, and without registry settings, no generated MachineConfig is left. */
  async #removeBase(templates: ReadonlyMap<string, string>): Promise<void> {
    const { admin } = this.#world;
    await admin.delete(image, { name: 'cluster' });
    await admin.delete(clusterImagePolicy, { name: 'all' });
    await admin.delete(imagePolicy, { namespace: 'default', name: 'own' });
    this.#startControllers(templates, 'none');
    await this.#until('no generated config is left', async () => {
      const { items } = await admin.list(machineConfig);
      return !items.some(({ metadata: { name } }) => /^0[01]-|-generated-/.test(name));
    });
  }

  /** A machine joins, after the operator has repaired the Secrets of the server. */
  async #serveConfigs(): Promise<void> {
    const { admin, namespace, env } = this.#world;
    const tls = { name: 'machine-config-server-tls', namespace };
    const bundle = { name: 'machine-config-server-ca', namespace };
    const damaged = { 'tls.crt': btoa('damaged') };
    await admin.patch(configMap, bundle, { type: 'merge', body: { data: { 'ca-bundle.crt': 'damaged' } } });
    await admin.patch(secret, tls, { type: 'merge', body: { data: damaged } });
    const isRepaired = async () =>
      (await admin.get(secret, tls))?.data?.['tls.crt'] !== damaged['tls.crt'] &&
      (await admin.get(configMap, bundle))?.data?.['ca-bundle.crt'] !== 'damaged';
    await this.#until('the certificate of the server is repaired', isRepaired);
    const bootstrap = { name: 'node-bootstrapper-token', namespace };
    await admin.patch(secret, bootstrap, { type: 'merge', body: { data: { token: btoa('a') } } });
    const transport = recording(this.#world.transportOf('server'), this.#recordOf('server'));
    const kube = createKube({ transport, env, fieldManager: 'server', limits: NO_RATE_LIMIT });
    const caches = createCaches({ transport, env, limits: NO_RATE_LIMIT });
    const access = { sources: [], isTokenRequired: true };
    const settings = { namespace, access, apiServerUrl: 'https://api.example:6443' };
    const server = createConfigServer({ kube, caches, env, settings });
    let certificates = 0;
    const listener = { useCertificate: async () => void certificates++ };
    const controller = createServerController({ caches, env, namespace, server, listener });
    this.running.push(runControllers([controller], { env }).then(() => caches.stop()));
    await this.#until('the server has its certificate', async () => certificates > 0);
    await this.#until('a machine gets its config', async () => {
      const request = { method: 'GET', target: '/config/worker?token=a', source: '10.0.0.9' };
      return (await server.answer(request)).status === 200;
    });
  }

  /** A scraper without permission, then with it. Components keep answers, so each is asked anew. */
  async #scrape(): Promise<void> {
    const { admin, namespace, env } = this.#world;
    const scraper = await createScraper(admin, namespace);
    const access = (component: Component) =>
      new MetricsAccess({
        transport: recording(this.#world.transportOf(component), this.#recordOf(component)),
        clock: env.clock,
        userAgent: 'story',
      }).check(scraper.authorization);
    const codes = async () =>
      (await Promise.all((['operator', 'controller', 'builder', 'server'] as const).map(access))).map(
        ({ code }) => code,
      );
    assert(
      (await codes()).every((code) => code === 403),
      'a scraper needs permission',
    );
    await scraper.permit();
    await this.#until('the scraper may read metrics', async () =>
      (await codes()).every((code) => code === 200),
    );
  }

  #recordOf(component: Component) {
    return {
      who: component,
      used: this.used[component],
      refused: this.refused,
      deleted: this.deleted[component],
      namespaces: this.namespaces,
    };
  }

  async #joinPool(name: string): Promise<void> {
    const config = configOf(await this.#poolNamed('worker'));
    const first = { [annotations.currentConfig]: config, [annotations.desiredConfig]: config };
    await this.#annotateAsDaemon(name, { ...first, [annotations.state]: 'Done' });
  }

  /** Deleted rendered and base configs are restored. */
  async #modifyConfigs(): Promise<void> {
    const rendered = { name: configOf(await this.#poolNamed('worker')) };
    const body = { spec: { kernelArguments: ['modified'] } };
    await this.#world.admin.patch(machineConfig, rendered, { type: 'merge', body });
    const hasMeddling = async () =>
      (await this.#world.admin.get(machineConfig, rendered))?.spec?.kernelArguments?.includes('modified') ===
      true;
    await this.#until('it is put back', async () => !(await hasMeddling()));
    await this.#world.admin.delete(machineConfig, { name: '00-worker' });
    await this.#until(
      'it is there again',
      async () => (await this.#world.admin.get(machineConfig, { name: '00-worker' })) !== undefined,
    );
  }

  /** MachineConfigs are generated from settings, and deleted with them. */
  async #generate(): Promise<void> {
    const name = 'story';
    const label = { 'pools.operator.machineconfiguration.openshift.io/worker': '' };
    const machineConfigPoolSelector = { matchLabels: label };
    const apiVersion = 'machineconfiguration.openshift.io/v1';
    const metadata = { name };
    const runtime = { machineConfigPoolSelector, containerRuntimeConfig: { pidsLimit: 4096 } };
    await this.#world.admin.create(kubeletConfig, {
      ...{ apiVersion, kind: kubeletConfig.kind, metadata },
      spec: { machineConfigPoolSelector },
    });
    const kind = containerRuntimeConfig.kind;
    await this.#world.admin.create(containerRuntimeConfig, { apiVersion, kind, metadata, spec: runtime });
    const areMade = async () =>
      (await this.#world.admin.get(kubeletConfig, { name }))?.status !== undefined &&
      (await this.#world.admin.get(containerRuntimeConfig, { name }))?.status !== undefined;
    await this.#until('both have a status', areMade);
    await this.#world.admin.delete(kubeletConfig, { name });
    await this.#world.admin.delete(containerRuntimeConfig, { name });
    const areGone = async () =>
      (await this.#world.admin.get(kubeletConfig, { name })) === undefined &&
      (await this.#world.admin.get(containerRuntimeConfig, { name })) === undefined;
    await this.#until('they are gone', areGone);
  }

  async #changeSettings(): Promise<void> {
    const { namespace } = this.#world;
    // Images of another release are rejected with an event.
    const images = { releaseVersion: '2.0.0', baseOSContainerImage: 'registry.example/os:1' };
    await this.#world.admin.create(configMap, aConfigMap(namespace, 'machine-config-osimageurl', images));
    await this.#world.wait(1_000);
    const place = { name: 'pull-secret', namespace };
    const type = 'kubernetes.io/dockerconfigjson';
    const data = { '.dockerconfigjson': btoa('{"auths":{}}') };
    await this.#world.admin.create(secret, { apiVersion: 'v1', kind: 'Secret', metadata: place, type, data });
    const spec = { pullSecret: place, baseOSContainerImage: 'x' };
    await this.#world.admin.patch(
      controllerConfig,
      { name: 'machine-config-controller' },
      { type: 'merge', body: { spec } },
    );
    // Images of this release are this.used.
    const ours = { data: { releaseVersion: RELEASE.releaseVersion } };
    const map = { name: 'machine-config-osimageurl', namespace };
    await this.#world.admin.patch(configMap, map, { type: 'merge', body: ours });
    const unlabelled = { metadata: { labels: null } };
    await this.#world.admin.patch(machineConfigPool, { name: 'worker' }, { type: 'merge', body: unlabelled });
    await this.#world.admin.create(machineConfigPool, aPool('infra'));
    // It waits for a build, and the Lease of the builder is read.
    await this.#world.admin.create(machineOSConfig, aMachineOSConfig('infra'));
    await this.#until('no builder is running', async () =>
      (await this.#world.admin.list(event, { namespace: 'default' })).items.some(
        ({ reason }) => reason === 'NoBuilder',
      ),
    );
    // Conflicts are reported on the objects.
    const { spec: registries, ...settings } = anImage({ allowedRegistries: ['docker.io'] });
    const additionalTrustedCA = { name: 'registry-cas' };
    await this.#world.admin.create(image, { ...settings, spec: { ...registries, additionalTrustedCA } });
    for (const [place, name] of [
      ['openshift-config', 'registry-cas'],
      ['openshift-config-managed', 'image-registry-ca'],
    ] as const) {
      await this.#world.admin.create(configMap, aConfigMap(place, name, { no_registry: '' }));
    }
    await this.#world.admin.create(clusterImagePolicy, aClusterImagePolicy('all', ['quay.io']));
    await this.#world.admin.create(
      imagePolicy,
      anImagePolicy({ namespace: 'default', name: 'own' }, ['quay.io']),
    );
    await this.#world.wait(10_000);
    const isReported = async (namespace: string) =>
      (await this.#world.admin.list(event, { namespace })).items.some(
        ({ reason }) => reason === 'InvalidTrustedCA',
      );
    for (const namespace of ['openshift-config', 'openshift-config-managed']) {
      await this.#until(`it is reported in ${namespace}`, () => isReported(namespace));
    }
    // A ConfigMap that does not exist is reported on the Image.
    await this.#world.admin.delete(configMap, { namespace: 'openshift-config', name: 'registry-cas' });
    await this.#until('it is reported in default', async () =>
      (await this.#world.admin.list(event, { namespace: 'default' })).items.some(
        ({ source, reason }) =>
          source?.component === 'machine-config-operator' && reason === 'InvalidImageConfig',
      ),
    );
    const labelled = { metadata: { labels: { 'node-role.kubernetes.io/infra': '' } } };
    await this.#world.admin.patch(node, { name: 'b' }, { type: 'merge', body: labelled });
    await this.#world.wait(10_000);
  }

  /** Node a gets a new desired config and is drained; its pod is evicted. */
  async #rollOut(): Promise<void> {
    const place = { name: 'app', namespace: 'default' };
    await this.#world.admin.create(serviceAccount, {
      ...{ apiVersion: 'v1', kind: 'ServiceAccount' },
      metadata: { name: 'default', namespace: 'default' },
    });
    const spec = { nodeName: 'a', containers: [{ name: 'app', image: 'app' }] };
    await this.#world.admin.create(pod, { apiVersion: 'v1', kind: 'Pod', metadata: place, spec });
    const before = await this.#nodeAnnotation(annotations.currentConfig);
    await this.#world.admin.create(
      machineConfig,
      aMachineConfig('50-worker-arguments', { kernelArguments: ['quiet'] }),
    );
    await this.#until(
      'node a is sent on',
      async () => (await this.#nodeAnnotation(annotations.desiredConfig)) !== before,
    );
    const drain = `drain-${await this.#nodeAnnotation(annotations.desiredConfig)}`;
    await this.#annotateAsDaemon('a', { [annotations.state]: 'Working', [annotations.desiredDrain]: drain });
    const isGoing = async () =>
      (await this.#world.admin.get(pod, place))?.metadata.deletionTimestamp !== undefined;
    await this.#until('the pod is asked to go', isGoing);
    // There is no kubelet that would end it.
    await this.#world.admin.delete(pod, place, { gracePeriodSeconds: 0 });
    await this.#until(
      'node a is drained',
      async () => (await this.#nodeAnnotation(annotations.lastAppliedDrain)) === drain,
    );
  }

  #start(
    component: Exclude<Component, 'server'>,
    leaseName: string,
    create: (context: Context) => readonly Controller[],
    signal?: AbortSignal,
  ): Promise<void> {
    const { env: all, namespace: home } = this.#world;
    const env = signal === undefined ? all : { ...all, signal: AbortSignal.any([all.signal, signal]) };
    const limits = NO_RATE_LIMIT;
    const transport = recording(this.#world.transportOf(component), this.#recordOf(component));
    const kube = createKube({ transport, env, fieldManager: component, limits });
    const leading = { kube, env, lease: { namespace: home, name: leaseName }, identity: component };
    return runAsLeader(leading, async (term) => {
      const caches = createCaches({ transport, env: term.env, limits });
      const recorders = new Map<string, EventWriter>();
      const eventsOf: Context['eventsOf'] = (name, namespace = home) => {
        const key = `${namespace}/${name}`;
        const recorder = recorders.get(key) ?? createEventRecorder({ kube, env, namespace, component: name });
        recorders.set(key, recorder);
        return recorder;
      };
      const settings = { ...SETTINGS, namespace: home };
      const metrics = new Metrics(ComponentMetrics.definitions(component));
      const context = { kube, caches, env: term.env, eventsOf, settings, release: RELEASE, metrics };
      await runControllers(create(context), { env: term.env });
      await caches.stop();
    });
  }

  #poolNamed(name: string) {
    return this.#world.admin.get(machineConfigPool, { name });
  }

  async #nodeAnnotation(key: string): Promise<string> {
    return (await this.#world.admin.get(node, { name: 'a' }))?.metadata.annotations?.[key] ?? '';
  }

  async #annotateAsDaemon(name: string, values: { readonly [key: string]: string }): Promise<void> {
    const body = { metadata: { annotations: values } };
    const kube = await this.#world.daemonKube(name);
    await kube.patch(node, { name }, { type: 'merge', body });
  }

  async #until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const { clock } = this.#world.env;
    const end = clock.monotonic() + LIMIT_MS;
    while (!(await holds())) {
      if (clock.monotonic() > end)
        throw new Error(`${what}: not in time; refused: ${this.refused[0] ?? 'nothing'}`);
      await this.#world.wait(100);
    }
  }
}

export type RightsRecord = {
  readonly who: string;
  /** The permissions that requests needed. */
  readonly used: Set<string>;
  readonly refused: string[];
  readonly deleted?: Set<string>;
  readonly namespaces?: Set<string>;
};

/** Records requests as RBAC permissions, and those that are rejected. */
export function recording(transport: Transport, record: RightsRecord): Transport {
  const { who, used, refused, deleted, namespaces } = record;
  return {
    send: async (request) => {
      const info = requestInfo(request, new Query(request.query));
      const answer = await transport.send(request);
      if (info?.kind !== 'resource') return answer;
      const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
      const asked = right(info.verb, info.group, resource);
      used.add(asked);
      namespaces?.add(info.namespace);
      // Apply creates missing objects.
      if (answer.status === 201) used.add(right('create', info.group, resource));
      if (info.verb === 'delete' && answer.status < 300) deleted?.add(`${resource} ${info.name}`);
      if (answer.status === 403 || answer.status === 422) refused.push(`${who}: ${asked} ${info.name}`);
      return answer;
    },
  };
}

/** What a component deletes while it does all that it can: every such deletion must be allowed on the server. */
export const DELETIONS: Readonly<Record<Component, readonly RegExp[]>> = {
  operator: [/^machineconfignodes b$/],
  controller: [
    /^machineconfigs 00-worker$/,
    /^machineconfigs 01-worker-kubelet$/,
    /^machineconfigs 99-worker-generated-kubelet$/,
    /^machineconfigs 99-worker-generated-containerruntime$/,
    /^machineconfigs 99-(master|worker)-generated-registries$/,
  ],
  builder: [
    /^machineosbuilds /,
    /^jobs build-/,
    /^configmaps containerfile-/,
    /^configmaps mc-/,
    /^secrets base-/,
  ],
  server: [],
};

/** Those of `DELETIONS` that the story has not seen. */
export function missingDeletions(component: Component, deleted: ReadonlySet<string>): readonly RegExp[] {
  return DELETIONS[component].filter((pattern) => ![...deleted].some((one) => pattern.test(one)));
}

/** The permissions of an account that no request needed. */
export function unusedRights(account: string, used: ReadonlySet<string>): readonly string[] {
  // Permission to list usually comes with permission to get.
  const isUsed = (one: string) => used.has(one) || used.has(one.replace(/^get /, 'list '));
  return [...rightsOf(account)].filter((one) => !isUsed(one) && !USED_AT_TIMES.has(one));
}

function aConfigMap(namespace: string, name: string, data: { readonly [key: string]: string }): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
}

function aNode(name: string): Node {
  const metadata = { name, labels: { 'node-role.kubernetes.io/worker': '' } };
  const status = { conditions: [{ type: 'Ready', status: 'True' }] };
  return { apiVersion: 'v1', kind: 'Node', metadata, spec: {}, status };
}

const configOf = (pool: MachineConfigPool | undefined) => pool?.spec.configuration?.name ?? '';
