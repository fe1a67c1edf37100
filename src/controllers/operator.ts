/**
 * Operator: what the others build upon. The pools that every cluster has, the ControllerConfig with what is known of the
 * cluster, the node disruption policies in force, and a MachineConfigNode for every node.
 *
 * On plain Kubernetes there is little to know: the authorities that nodes trust, and the OS image that the ConfigMap
 * `machine-config-osimageurl` names. Inputs that only OpenShift has are read where they are there.
 */
import {
  annotations,
  builtInPool,
  type ControllerConfig,
  type ControllerConfigSpec,
  controllerConfig as controllerConfigKind,
  type MachineConfigNode,
  type MachineConfigPool,
  type MachineConfiguration,
  machineConfigNode as machineConfigNodeKind,
  machineConfigPool as machineConfigPoolKind,
  machineConfiguration as machineConfigurationKind,
  NAMESPACE,
} from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import { type Cache, type Controller, done, type Next } from '../kubernetes/client/index.ts';
import { apiVersionOf } from '../kubernetes/meta/index.ts';
import {
  type ConfigMap,
  configMap as configMapKind,
  type Node,
  node as nodeKind,
} from '../kubernetes/types/index.ts';
import { membershipOf } from '../rollout/index.ts';
import type { Context } from './context.ts';
import { CONTROLLER_CONFIG_NAME } from './controller-config-status.ts';
import { createUnlessThere } from './create-unless-there.ts';
import { keepMachineConfiguration } from './machine-configuration.ts';
import { nodesOf } from './node-cache.ts';
import { OS_IMAGE_CONFIG_MAP, releaseProblem } from './release-guard.ts';

const COMPONENT = 'machine-config-operator';
const ROLES = ['master', 'worker'] as const;
const NODE_PREFIX = 'node/';
const POOLS = 'pools';
const CONTROLLER_CONFIG = 'controllerconfig';
const MACHINE_CONFIGURATION = 'machineconfiguration';
/** What a MachineConfigNode says before anybody has decided. */
const NOT_YET_SET = 'not-yet-set';

export function createOperatorController(context: Context): Controller {
  const { caches } = context;
  const pools = caches.of(machineConfigPoolKind);
  const nodes = nodesOf(caches);
  const machineConfigNodes = caches.of(machineConfigNodeKind);
  const controllerConfigs = caches.of(controllerConfigKind);
  const configurations = caches.of(machineConfigurationKind);
  const configMaps = caches.of(configMapKind, {
    namespace: NAMESPACE,
    fieldSelector: `metadata.name=${OS_IMAGE_CONFIG_MAP}`,
  });
  const seen: Seen = { pools, nodes, machineConfigNodes, controllerConfigs, configurations, configMaps };
  return {
    name: 'operator',
    workers: 2,
    caches: Object.values(seen),
    watch(enqueue) {
      const lookAtNodes = () => {
        for (const { metadata } of nodes.all()) enqueue(`${NODE_PREFIX}${metadata.name}`);
      };
      pools.onChange(({ before, after }) => {
        enqueue(POOLS);
        if (!jsonEqual(before?.spec.nodeSelector, after?.spec.nodeSelector)) lookAtNodes();
      });
      nodes.onChange(({ before, after }) => {
        const isSame = jsonEqual(before?.metadata.labels, after?.metadata.labels);
        const { name } = (after ?? before)?.metadata ?? { name: '' };
        if (before === undefined || after === undefined || !isSame) enqueue(`${NODE_PREFIX}${name}`);
      });
      machineConfigNodes.onChange(({ before, after }) => {
        const { name } = (after ?? before)?.metadata ?? { name: '' };
        if (!jsonEqual(before?.spec, after?.spec)) enqueue(`${NODE_PREFIX}${name}`);
      });
      controllerConfigs.onChange(() => enqueue(CONTROLLER_CONFIG));
      configMaps.onChange(() => enqueue(CONTROLLER_CONFIG));
      configurations.onChange(() => enqueue(MACHINE_CONFIGURATION));
      enqueue(CONTROLLER_CONFIG);
      enqueue(MACHINE_CONFIGURATION);
      enqueue(POOLS);
    },
    reconcile(key) {
      if (key === POOLS) return keepPools(context, seen);
      if (key === CONTROLLER_CONFIG) return keepControllerConfig(context, seen);
      if (key === MACHINE_CONFIGURATION) return keepMachineConfiguration(context, configurations);
      return keepMachineConfigNode(context, seen, key.slice(NODE_PREFIX.length));
    },
  };
}

type Seen = {
  readonly pools: Cache<MachineConfigPool>;
  readonly nodes: Cache<Node>;
  readonly machineConfigNodes: Cache<MachineConfigNode>;
  readonly controllerConfigs: Cache<ControllerConfig>;
  readonly configurations: Cache<MachineConfiguration>;
  readonly configMaps: Cache<ConfigMap>;
};

/** Made once. Of a pool that is there only the labels are kept, never what it selects. */
async function keepPools({ kube }: Context, { pools }: Seen): Promise<Next> {
  for (const role of ROLES) {
    const wanted = builtInPool(role);
    const existing = pools.get({ name: role });
    if (existing === undefined) {
      await createUnlessThere(() => kube.create(machineConfigPoolKind, wanted));
      continue;
    }
    const missing = Object.entries(wanted.metadata.labels ?? {}).filter(
      ([key, value]) => existing.metadata.labels?.[key] !== value,
    );
    if (missing.length === 0) continue;
    const body = { metadata: { uid: existing.metadata.uid, labels: Object.fromEntries(missing) } };
    await kube.patch(machineConfigPoolKind, { name: role }, { type: 'merge', body });
  }
  return done;
}

async function keepControllerConfig(context: Context, seen: Seen): Promise<Next> {
  const { kube, release } = context;
  const images = imagesOf(context, seen);
  const wanted = {
    annotations: {
      [annotations.generatedByVersion]: release.version,
      [annotations.releaseImageVersion]: release.releaseVersion,
    },
    spec: { ...images, ...(await authoritiesOf(context)) },
  };
  const existing = seen.controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME });
  if (existing === undefined) {
    const created: ControllerConfig = {
      apiVersion: apiVersionOf(controllerConfigKind),
      kind: controllerConfigKind.kind,
      metadata: { name: CONTROLLER_CONFIG_NAME, annotations: wanted.annotations },
      spec: { ...EMPTY_SPEC, ...wanted.spec },
    };
    await createUnlessThere(() => kube.create(controllerConfigKind, created));
    return done;
  }
  const present: { readonly [field: string]: unknown } = existing.spec;
  const isCurrent =
    Object.entries(wanted.annotations).every(
      ([key, value]) => existing.metadata.annotations?.[key] === value,
    ) && Object.entries(wanted.spec).every(([field, value]) => jsonEqual(present[field], value));
  if (isCurrent) return done;
  const metadata = { uid: existing.metadata.uid, annotations: wanted.annotations };
  const body = { metadata, spec: wanted.spec };
  await kube.patch(controllerConfigKind, { name: CONTROLLER_CONFIG_NAME }, { type: 'merge', body });
  return done;
}

type Images = Partial<Pick<ControllerConfigSpec, 'baseOSContainerImage' | 'baseOSExtensionsContainerImage'>>;

/** From the ConfigMap, if it belongs to this release: images of another one must not reach nodes. */
function imagesOf({ eventsOf, release }: Context, { configMaps }: Seen): Images {
  const found = configMaps.get({ name: OS_IMAGE_CONFIG_MAP, namespace: NAMESPACE });
  if (found === undefined) return { baseOSContainerImage: '' };
  const problem = releaseProblem(found, release);
  if (problem !== undefined) {
    const { name, namespace = NAMESPACE } = found.metadata;
    const about = { apiVersion: 'v1', kind: configMapKind.kind, name, namespace };
    eventsOf(COMPONENT).warning(about, 'RenderConfigFailed', problem);
    // What the release before it said stays.
    return {};
  }
  const { baseOSContainerImage = '', baseOSExtensionsContainerImage = '' } = found.data ?? {};
  return {
    baseOSContainerImage,
    ...(baseOSExtensionsContainerImage === '' ? {} : { baseOSExtensionsContainerImage }),
  };
}

type Authorities = Pick<ControllerConfigSpec, 'kubeAPIServerServingCAData' | 'rootCAData'>;

/** Every Kubernetes keeps them in the same two ConfigMaps; where one is missing nothing is told. */
async function authoritiesOf({ kube }: Context): Promise<Authorities> {
  const read = async (name: string, key: string): Promise<string> => {
    const found = await kube.get(configMapKind, { name, namespace: 'kube-system' });
    // An empty bundle has to be a line at least: nothing at all is no base64 to the server.
    return btoa(found?.data?.[key] || '\n');
  };
  return {
    kubeAPIServerServingCAData: await read('extension-apiserver-authentication', 'client-ca-file'),
    rootCAData: await read('kube-root-ca.crt', 'ca.crt'),
  };
}

const EMPTY_SPEC: ControllerConfigSpec = {
  clusterDNSIP: '',
  cloudProviderConfig: '',
  ipFamilies: 'IPv4',
  kubeAPIServerServingCAData: btoa('\n'),
  rootCAData: btoa('\n'),
  cloudProviderCAData: null,
  additionalTrustBundle: null,
  images: {},
  baseOSContainerImage: '',
  releaseImage: '',
  proxy: null,
  network: null,
  dns: null,
  infra: null,
};

/** Node and pool are ours to say; to which config the node moves is the node controller's. */
async function keepMachineConfigNode({ kube }: Context, seen: Seen, name: string): Promise<Next> {
  const node = seen.nodes.get({ name });
  const existing = seen.machineConfigNodes.get({ name });
  if (node === undefined) {
    if (existing !== undefined) await kube.delete(machineConfigNodeKind, { name });
    return done;
  }
  const membership = membershipOf(node, seen.pools.all());
  const pool = membership.kind === 'member' ? membership.primary.metadata.name : NOT_YET_SET;
  if (existing === undefined) {
    const created: MachineConfigNode = {
      apiVersion: apiVersionOf(machineConfigNodeKind),
      kind: machineConfigNodeKind.kind,
      metadata: {
        name,
        ownerReferences: [{ apiVersion: 'v1', kind: nodeKind.kind, name, uid: node.metadata.uid ?? '' }],
      },
      spec: { node: { name }, pool: { name: pool }, configVersion: { desired: NOT_YET_SET } },
    };
    await createUnlessThere(() => kube.create(machineConfigNodeKind, created));
    return done;
  }
  if (existing.spec.pool.name === pool) return done;
  const body = { metadata: { uid: existing.metadata.uid }, spec: { pool: { name: pool } } };
  await kube.patch(machineConfigNodeKind, { name }, { type: 'merge', body });
  return done;
}
