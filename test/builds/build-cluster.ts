/**
 * A cluster in memory and in virtual time with the build controllers, Kubernetes' own controllers and a real registry. The
 * pods of build Jobs are played: each pushes an image and reports its digest, or fails.
 */
import {
  annotations,
  labels,
  type MachineConfig,
  type MachineOSBuild,
  type MachineOSConfig,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  machineOSBuild as machineOSBuildKind,
  machineOSConfig as machineOSConfigKind,
  NAMESPACE,
} from '../../src/api/index.ts';
import { createBuilder } from '../../src/controllers/index.ts';
import { createJobControllers, workloadSettings } from '../../src/embedded/controllers/index.ts';
import {
  createInProcessRegistryTransport,
  createMemoryRegistryStore,
  createRegistry,
} from '../../src/embedded/registry/index.ts';
import {
  createBuildRegistry,
  createRegistryClient,
  DEFAULT_BUILD_LIMITS,
  type RegistryClient,
  type RegistryTransport,
} from '../../src/images/index.ts';
import { createInProcessTransport, createKube, runControllers } from '../../src/kubernetes/client/index.ts';
import {
  configMap as configMapKind,
  job as jobKind,
  node as nodeKind,
  pod as podKind,
  secret as secretKind,
} from '../../src/kubernetes/types/index.ts';
import type { World } from '../rollout/build-world.ts';
import { type Component, control } from '../rollout/control.ts';
import { startWorld } from '../rollout/world.ts';
import { type Connection, cachesFor, LIMITS, type Running, type Wrap } from '../rollout/world-process.ts';
import { createPodPlayer, type PodScript, pushOsImage } from './pod-player.ts';

export const HOST = 'registry.example:5000';
export const REPOSITORY = `${HOST}/os/infra`;
const API_VERSION = 'machineconfiguration.openshift.io/v1';
const OS_IMAGE = `${HOST}/base/os@sha256:${'a'.repeat(64)}`;

export type BuildCluster = {
  readonly world: World;
  /** By name of the build and number of the pod of all builds, from 1. */
  readonly script: PodScript;
  /** Of the registry, as the builder sees it. */
  readonly outage: Outage;
  readonly startBuilder: (wrap?: Wrap) => Running;
  /** Returns the image by digest. */
  readonly pushImage: (text: string) => Promise<string>;
  /** A second config for the pool, from a time in which names were free. */
  readonly createRival: (name: string) => Promise<void>;
  readonly registry: RegistryClient;
  /** Renders the pool anew. */
  readonly render: (name: string, spec?: object) => Promise<void>;
  readonly configure: (change?: ConfigChange) => Promise<void>;
  readonly config: (name?: string) => Promise<MachineOSConfig | undefined>;
  readonly builds: () => Promise<readonly MachineOSBuild[]>;
  /** The digests of all manifests in the repository of the images. */
  readonly images: () => Promise<readonly string[]>;
  readonly deleteImage: (image: string) => Promise<void>;
  readonly setNodeImage: (node: string, image: string | null) => Promise<void>;
  /** The names of all objects of builds, for people who compare. */
  readonly objects: () => Promise<readonly string[]>;
  /** Lets time pass until the config names the image of a build that has succeeded, and the objects of builds are gone. */
  readonly untilBuilt: (pastImage?: string) => Promise<string>;
  readonly until: (what: string, holds: () => Promise<boolean>, limitMs?: number) => Promise<void>;
};

type Outage = { isDown: boolean; refusesDeletion: boolean; hidesImages: boolean; refusesPush: boolean };

export type ConfigChange = {
  readonly name?: string;
  readonly content?: string;
  readonly pushSecret?: string;
  readonly annotations?: { readonly [key: string]: string };
};

const MINUTE = 60_000;

export async function startBuildCluster(): Promise<BuildCluster> {
  const world = await startWorld({ masters: 0, workers: 2 });
  const { kube } = world;
  const { script, outage, registry, store, startBuilder } = startBuildParts(world);
  await createPool(world);
  await createPushSecret(world);
  const config = (name = 'infra') => kube.get(machineOSConfigKind, { name });
  const until: BuildCluster['until'] = (what, holds, limitMs = 30 * MINUTE) =>
    world.until(what, holds, limitMs);
  const objects = () => objectNames(world);
  const builds = async () => (await kube.list(machineOSBuildKind)).items;
  return {
    ...{ world, script, outage, registry, startBuilder, config, until, objects, builds },
    pushImage: async (text) => `${REPOSITORY}@${await pushOsImage(registry, `${REPOSITORY}:seed`, text)}`,
    createRival: (name) => createRival(world, name),
    render: (name, spec) => render(world, name, spec),
    async configure(change = {}) {
      await kube.apply(machineOSConfigKind, aConfig(change));
    },
    async images() {
      const keys = await store.listRecords('repositories');
      const found = keys.flatMap(
        (key) => /os\/infra\/.*manifests?\/.*(sha256[:/][0-9a-f]{64})$/.exec(key)?.[1] ?? [],
      );
      return [...new Set(found.map((digest) => digest.replace('/', ':')))].sort();
    },
    deleteImage: (image) =>
      registry.deleteManifest({ host: HOST, repository: 'os/infra', digest: image.split('@')[1] ?? '' }),
    async setNodeImage(name, image) {
      const values = { [annotations.currentImage]: image, [annotations.desiredImage]: image };
      const body = { metadata: { annotations: values } };
      await kube.patch(nodeKind, { name }, { type: 'merge', body });
    },
    async untilBuilt(pastImage) {
      await until('a built image', async () => {
        const image = (await config())?.status?.currentImagePullSpec;
        const left = (await objects()).filter((name) => !/^(ConfigMap digest-|Secret final-)/.test(name));
        return image !== undefined && image !== pastImage && left.length === 0;
      });
      return (await config())?.status?.currentImagePullSpec ?? '';
    },
  };
}

type BuildParts = Pick<BuildCluster, 'script' | 'outage' | 'registry' | 'startBuilder'> & {
  /** Of the registry. */
  readonly store: ReturnType<typeof createMemoryRegistryStore>;
};

/** What a cluster needs to build images, beside a builder: Kubernetes' own controllers, pods that are played, a registry. */
export function startBuildParts(world: World): BuildParts {
  const { env } = world;
  const store = createMemoryRegistryStore();
  const server = createRegistry({ store, env });
  const outage = { isDown: false, refusesDeletion: false, hidesImages: false, refusesPush: false };
  const reliable = createInProcessRegistryTransport(new Map([[HOST, server.handle]]));
  const transport = faultyRegistry(reliable, outage);
  const registry = createRegistryClient({ transport: reliable, env });
  const script: PodScript = { outcome: () => ({ kind: 'succeeds' }), podMs: 30_000 };
  startKubernetes(world);
  world.startOther(async (parts) => {
    const caches = cachesFor(parts);
    // As with the token that the kubelet gives it.
    const reporterOf = (pod: string) => {
      const extra = { 'authentication.kubernetes.io/pod-name': [pod] };
      const transport = connectionAs(world, { ...accountOf('machine-os-build-pod'), extra });
      return createKube({ transport, env: parts.env, fieldManager: 'pod', limits: LIMITS });
    };
    const player = createPodPlayer({ ...parts, caches, registry, script, reporterOf });
    await runControllers([player], { env: parts.env });
    await caches.stop();
  });
  const builder: Component = (context) =>
    createBuilder(context, {
      registry: createBuildRegistry({ transport, env }),
      builderImage: 'quay.io/example/millwright-builder:test',
      limits: DEFAULT_BUILD_LIMITS,
    });
  return {
    ...{ script, outage, registry, store },
    startBuilder: (wrap = (one) => one) =>
      world.startOther(
        (parts) => control(parts, builder),
        () => wrap(connectionAs(world, accountOf('machine-os-builder'))),
      ),
  };
}

function faultyRegistry(reliable: RegistryTransport, outage: Outage): RegistryTransport {
  const nowhere = createInProcessRegistryTransport(new Map());
  const answer = (status: number, text = '') => ({
    ...{ status, headers: {} },
    body: (async function* () {
      yield new TextEncoder().encode(text);
    })(),
  });
  const denied = JSON.stringify({
    errors: [{ code: 'DENIED', message: 'requested access to the resource is denied' }],
  });
  return {
    async send(request) {
      const { method, url } = request;
      const isManifest = url.includes('/manifests/');
      if (outage.refusesDeletion && isManifest && method === 'DELETE') return answer(405);
      if (outage.refusesPush && url.includes('/uploads/')) return answer(403, denied);
      if (outage.hidesImages && isManifest && method !== 'DELETE') return answer(404);
      return await (outage.isDown ? nowhere : reliable).send(request);
    },
  };
}

type User = {
  readonly name: string;
  readonly groups: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
};

/** Admission policies and RBAC apply: with the permissions of the real component. */
export function accountOf(name: string): User {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${NAMESPACE}`, 'system:authenticated'];
  return { name: `system:serviceaccount:${NAMESPACE}:${name}`, groups };
}

export function connectionAs({ server }: Pick<World, 'server'>, user: User): Connection {
  const { send } = createInProcessTransport({ handle: server.handle, user });
  return { send, breakOff: () => undefined };
}

/** Its controllers: Jobs get pods, and objects whose owners are gone are deleted. */
function startKubernetes(world: World): void {
  world.startOther(
    async (parts) => {
      const caches = cachesFor(parts);
      const settings = workloadSettings({ authorityPem: '' });
      await runControllers(createJobControllers({ ...parts, caches, settings }), { env: parts.env });
      await caches.stop();
    },
    () => connectionAs(world, { name: 'system:kube-controller-manager', groups: ['system:masters'] }),
  );
}

export async function createPool(world: World, rendered = 'rendered-infra-1'): Promise<void> {
  const { kube } = world;
  await kube.create(machineConfigPoolKind, {
    apiVersion: API_VERSION,
    kind: 'MachineConfigPool',
    metadata: { name: 'infra' },
    spec: {
      machineConfigSelector: {
        matchExpressions: [
          { key: 'machineconfiguration.openshift.io/role', operator: 'In', values: ['worker', 'infra'] },
        ],
      },
      nodeSelector: { matchLabels: { 'node-role.kubernetes.io/infra': '' } },
    },
  });
  for (const name of ['worker-0', 'worker-1']) {
    const body = { metadata: { labels: { 'node-role.kubernetes.io/infra': '' } } };
    await kube.patch(nodeKind, { name }, { type: 'merge', body });
    const status = { nodeInfo: { osImage: 'Fedora CoreOS 41', architecture: 'amd64' } };
    await kube.patch(nodeKind, { name }, { type: 'merge', body: { status } }, { subresource: 'status' });
  }
  await render(world, rendered);
}

async function render({ kube }: World, name: string, spec: object = {}): Promise<void> {
  const rendered: MachineConfig = {
    apiVersion: API_VERSION,
    kind: 'MachineConfig',
    metadata: {
      name,
      annotations: {
        [annotations.releaseImageVersion]: '4.99.0',
        [annotations.generatedByControllerVersion]: 'test',
      },
    },
    spec: { osImageURL: OS_IMAGE, config: { ignition: { version: '3.5.0' } }, ...spec },
  };
  await kube.create(machineConfigKind, rendered);
  const configuration = { name, source: [] };
  await kube.patch(
    machineConfigPoolKind,
    { name: 'infra' },
    { type: 'merge', body: { spec: { configuration } } },
  );
}

export async function createPushSecret({ kube }: World, password = 'secret', name = 'push'): Promise<void> {
  const auths = { [HOST]: { auth: btoa(`builder:${password}`) } };
  await kube.apply(secretKind, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: NAMESPACE },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': btoa(JSON.stringify({ auths })) },
  } as never);
}

export function aConfig({
  name = 'infra',
  content = 'RUN true',
  pushSecret = 'push',
  ...change
}: ConfigChange = {}): MachineOSConfig {
  return {
    apiVersion: API_VERSION,
    kind: 'MachineOSConfig',
    metadata: { name, ...(change.annotations === undefined ? {} : { annotations: change.annotations }) },
    spec: {
      machineConfigPool: { name: 'infra' },
      imageBuilder: { imageBuilderType: 'Job' },
      renderedImagePushSecret: { name: pushSecret },
      renderedImagePushSpec: `${REPOSITORY}:latest`,
      containerFile: [{ containerfileArch: 'NoArch', content: `FROM configs AS final\n${content}` }],
    },
  };
}

/** The API only allows the name of the pool, so it is written into the store, as an older one would be there. */
async function createRival({ store }: World, name: string): Promise<void> {
  const found = store.range({ prefix: '', limit: 100_000 });
  if (found.kind !== 'page') throw new Error('the store has no page');
  const own = found.entries.find(({ key }) => /machineosconfigs\/infra$/.test(key));
  if (own === undefined) throw new Error('there is no MachineOSConfig infra');
  // As text: the store expects the resourceVersion where it is.
  const text = new TextDecoder().decode(own.value);
  const { uid } = JSON.parse(text).metadata;
  const { spec } = aConfig({ name, content: 'RUN rival' });
  const metadata = text.slice(0, text.indexOf(',"spec":')).replace(uid, `uid-of-${name}`);
  const rival = `${metadata.replace('"name":"infra"', `"name":"${name}"`)},"spec":${JSON.stringify(spec)}}`;
  const key = own.key.replace(/infra$/, name);
  await store.commit([{ kind: 'put', key, expect: 'any', value: new TextEncoder().encode(rival) }]);
}

/** Everything of builds, and pods. */
async function objectNames({ kube }: World): Promise<readonly string[]> {
  const ours = { namespace: NAMESPACE, labelSelector: labels.ephemeralBuildObject };
  const lists = await Promise.all([
    kube.list(configMapKind, ours),
    kube.list(secretKind, ours),
    kube.list(jobKind, ours),
    kube.list(podKind, { namespace: NAMESPACE }),
  ]);
  const names = lists.flatMap(({ items }, index) =>
    items.map(({ metadata }) => `${['ConfigMap', 'Secret', 'Job', 'Pod'][index]} ${metadata.name}`),
  );
  return names.sort();
}
