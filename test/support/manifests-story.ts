/**
 * Changes that make the operator, the controllers and the builder use all of their permissions, and a record of what they asked for:
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
  NAMESPACE,
} from '../../src/api/index.ts';
import type { Env } from '../../src/base/env.ts';
import { readTemplates } from '../../src/cli/render/read-templates.ts';
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
import { aMachineOSConfig } from '../rollout/written-builds.ts';
import { aMachineConfig, aPool } from './build.ts';
import { aClusterImagePolicy, anImage, anImagePolicy } from './build-registries.ts';
import { runBuildStory, willingRegistry } from './build-story.ts';
import { clusterOperatorDefinition } from './cluster-operator-definition.ts';
import { folder, right, rightsOf } from './manifests-files.ts';

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
} as const;

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

export type Component = keyof typeof ACCOUNTS;

export type StoryWorld = {
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
  };
  readonly refused: string[] = [];
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
    const templates = await readTemplates(`${folder}/..`);
    this.running.push(
      this.#start('operator', 'machine-config', createOperator),
      this.#start('controller', 'machine-config-controller', (context) =>
        createControllers(context, { templates, roles: ['master', 'worker'] }),
      ),
    );
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
    const builds = { registry: willingRegistry, builderImage: 'builder:1', limits: DEFAULT_BUILD_LIMITS };
    this.running.push(
      this.#start('builder', 'machine-os-builder', (context) => createBuilder(context, builds)),
    );
    const { admin, podKube } = this.#world;
    await runBuildStory({ admin, podKube, until: (what, holds) => this.#until(what, holds) });
    await this.#until('the builder has renewed its Lease', async () =>
      this.used.builder.has('update leases.coordination.k8s.io'),
    );
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
    // Images of another release are rejected with an event.
    const images = { releaseVersion: '2.0.0', baseOSContainerImage: 'registry.example/os:1' };
    await this.#world.admin.create(configMap, aConfigMap(NAMESPACE, 'machine-config-osimageurl', images));
    await this.#world.wait(1_000);
    const place = { name: 'pull-secret', namespace: NAMESPACE };
    await this.#world.admin.create(secret, { apiVersion: 'v1', kind: 'Secret', metadata: place });
    const spec = { pullSecret: place, baseOSContainerImage: 'x' };
    await this.#world.admin.patch(
      controllerConfig,
      { name: 'machine-config-controller' },
      { type: 'merge', body: { spec } },
    );
    // Images of this release are this.used.
    const ours = { data: { releaseVersion: RELEASE.releaseVersion } };
    const map = { name: 'machine-config-osimageurl', namespace: NAMESPACE };
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
    for (const [namespace, name] of [
      ['openshift-config', 'registry-cas'],
      ['openshift-config-managed', 'image-registry-ca'],
    ] as const) {
      await this.#world.admin.create(configMap, aConfigMap(namespace, name, { no_registry: '' }));
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
    component: Component,
    leaseName: string,
    create: (context: Context) => readonly Controller[],
  ): Promise<void> {
    const { env } = this.#world;
    const limits = NO_RATE_LIMIT;
    const record = { who: component, used: this.used[component], refused: this.refused };
    const transport = recording(this.#world.transportOf(component), record);
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
      const context = { kube, caches, env: term.env, eventsOf, settings: SETTINGS, release: RELEASE };
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
};

/** Records requests as RBAC permissions, and those that are rejected. */
export function recording(transport: Transport, { who, used, refused }: RightsRecord): Transport {
  return {
    send: async (request) => {
      const info = requestInfo(request, new Query(request.query));
      const answer = await transport.send(request);
      if (info?.kind !== 'resource') return answer;
      const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
      const asked = right(info.verb, info.group, resource);
      used.add(asked);
      // Apply creates missing objects.
      if (answer.status === 201) used.add(right('create', info.group, resource));
      if (answer.status === 403 || answer.status === 422) refused.push(`${who}: ${asked} ${info.name}`);
      return answer;
    },
  };
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
