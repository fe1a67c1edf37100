/**
 * Operator: ensures what the controllers depend on: the built-in pools, the ControllerConfig, the node disruption policies in
 * force, and a MachineConfigNode for every node.
 *
 * On plain Kubernetes the ControllerConfig has the CA bundles that nodes trust, those of registries among them, the credentials
 * with which they pull OS images, and the OS image of the ConfigMap `machine-config-osimageurl`. Inputs that only OpenShift has are optional.
 */
import {
  annotations,
  builtInPool,
  CONFIG_NAMESPACE,
  CONTROLLER_CONFIG_NAME,
  type ControllerConfig,
  type ControllerConfigSpec,
  controllerConfig as controllerConfigKind,
  IMAGE_REGISTRY_CA,
  type Image,
  image as imageKind,
  MANAGED_CONFIG_NAMESPACE,
  type MachineConfigNode,
  type MachineConfigPool,
  type MachineConfiguration,
  machineConfigNode as machineConfigNodeKind,
  machineConfigPool as machineConfigPoolKind,
  machineConfiguration as machineConfigurationKind,
  OS_IMAGE_CONFIG_MAP,
  PULL_SECRET,
} from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import { base64Bytes, base64Text } from '../base/text/index.ts';
import { NO_BUNDLE } from '../certificates/index.ts';
import { type Finding, readRegistryBundles, referenceTo, trustedCaName } from '../config/registries/index.ts';
import { releaseProblem } from '../config/render/index.ts';
import { nodeCredentials } from '../images/index.ts';
import {
  type AnyObject,
  after,
  type Cache,
  type Controller,
  done,
  type Next,
} from '../kubernetes/client/index.ts';
import { apiVersionOf } from '../kubernetes/meta/index.ts';
import {
  type ConfigMap,
  configMap as configMapKind,
  type Node,
  node as nodeKind,
  secret as secretKind,
} from '../kubernetes/types/index.ts';
import { membershipOf } from '../rollout/index.ts';
import { type CaCaches, caBundlesOf, caCaches } from './certificates/ca-sources.ts';
import { LOOK_AGAIN_MS, ProxySource } from './certificates/proxy-source.ts';
import { type ClusterDnsCaches, clusterDnsCaches, clusterDnsFields } from './cluster-dns.ts';
import type { Context } from './context.ts';
import { createIfAbsent } from './create-if-absent.ts';
import { ensureMachineConfiguration } from './machine-configuration.ts';
import { readOperatorMetrics } from './metrics/operator-metrics.ts';
import { nodesOf } from './node-cache.ts';
import { type CredentialSources, credentialSecrets, credentialSources } from './node-credentials.ts';
import { RegistryWarnings } from './registry-findings.ts';
import { WARNING_REPEAT_MS } from './warning-events.ts';

const COMPONENT = 'machine-config-operator';
const ROLES = ['master', 'worker'] as const;
const NODE_PREFIX = 'node/';
const POOLS = 'pools';
const CONTROLLER_CONFIG = 'controllerconfig';
const MACHINE_CONFIGURATION = 'machineconfiguration';
const CLUSTER = 'cluster';
/** The value of required fields of a MachineConfigNode before they are known. */
const NOT_YET_SET = 'not-yet-set';

export function createOperatorController(context: Context): Controller {
  const { caches } = context;
  const pools = caches.of(machineConfigPoolKind);
  const nodes = nodesOf(caches);
  const machineConfigNodes = caches.of(machineConfigNodeKind);
  const controllerConfigs = caches.of(controllerConfigKind);
  const configurations = caches.of(machineConfigurationKind);
  const inputs = controllerConfigInputs(context);
  const sources: OperatorSources = {
    pools,
    nodes,
    machineConfigNodes,
    controllerConfigs,
    configurations,
    ...inputs,
  };
  const state: ConfigState = {
    warnings: new RegistryWarnings(context, COMPONENT),
    proxy: new ProxySource(context),
  };
  readOperatorMetrics(context, sources);
  return {
    name: 'operator',
    workers: 2,
    caches: Object.values(sources),
    watch(enqueue) {
      const enqueueNodes = () => {
        for (const { metadata } of nodes.all()) enqueue(`${NODE_PREFIX}${metadata.name}`);
      };
      pools.onChange(({ before, after }) => {
        enqueue(POOLS);
        if (!jsonEqual(before?.spec.nodeSelector, after?.spec.nodeSelector)) enqueueNodes();
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
      for (const cache of Object.values<Cache<AnyObject>>(inputs)) {
        cache.onChange(() => enqueue(CONTROLLER_CONFIG));
      }
      state.proxy.onChange = () => enqueue(CONTROLLER_CONFIG);
      configurations.onChange(() => enqueue(MACHINE_CONFIGURATION));
      enqueue(CONTROLLER_CONFIG);
      enqueue(MACHINE_CONFIGURATION);
      enqueue(POOLS);
    },
    reconcile(key) {
      if (key === POOLS) return ensurePools(context, sources);
      if (key === CONTROLLER_CONFIG) return ensureControllerConfig(context, sources, state);
      if (key === MACHINE_CONFIGURATION) return ensureMachineConfiguration(context, configurations);
      return ensureMachineConfigNode(context, sources, key.slice(NODE_PREFIX.length));
    },
  };
}

/** What the ControllerConfig is filled from. */
type ControllerConfigInputs = CredentialSources &
  CaCaches &
  ClusterDnsCaches & {
    readonly configMaps: Cache<ConfigMap>;
    readonly images: Cache<Image>;
    /** All of its namespace: users choose the name of the one that the Image names. */
    readonly userConfigMaps: Cache<ConfigMap>;
    readonly managedConfigMaps: Cache<ConfigMap>;
  };

function controllerConfigInputs(context: Context): ControllerConfigInputs {
  const { caches, settings } = context;
  const { namespace } = settings;
  const named = (name: string) => ({ fieldSelector: `metadata.name=${name}` });
  return {
    ...credentialSources(caches, namespace),
    ...caCaches(caches, namespace),
    ...clusterDnsCaches(context),
    configMaps: caches.of(configMapKind, { namespace, ...named(OS_IMAGE_CONFIG_MAP) }),
    images: caches.of(imageKind, named(CLUSTER)),
    userConfigMaps: caches.of(configMapKind, { namespace: CONFIG_NAMESPACE }),
    managedConfigMaps: caches.of(configMapKind, {
      namespace: MANAGED_CONFIG_NAMESPACE,
      ...named(IMAGE_REGISTRY_CA),
    }),
  };
}

type OperatorSources = ControllerConfigInputs & {
  readonly pools: Cache<MachineConfigPool>;
  readonly nodes: Cache<Node>;
  readonly machineConfigNodes: Cache<MachineConfigNode>;
  readonly controllerConfigs: Cache<ControllerConfig>;
  readonly configurations: Cache<MachineConfiguration>;
};

/** Creates the pools. Of existing ones only the labels are ensured, never their selectors. */
async function ensurePools({ kube, settings }: Context, { pools }: OperatorSources): Promise<Next> {
  for (const role of ROLES) {
    const { spec, ...pool } = builtInPool(role);
    const isPaused = role === 'master' && settings.isMasterPaused;
    const wanted: MachineConfigPool = { ...pool, spec: isPaused ? { ...spec, paused: true } : spec };
    const existing = pools.get({ name: role });
    if (existing === undefined) {
      await createIfAbsent(() => kube.create(machineConfigPoolKind, wanted));
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

type ConfigState = { readonly warnings: RegistryWarnings; readonly proxy: ProxySource };

async function ensureControllerConfig(
  context: Context,
  sources: OperatorSources,
  { warnings, proxy: proxySource }: ConfigState,
): Promise<Next> {
  const { kube, release, settings } = context;
  const isKubeletsOwn = settings.base === 'none';
  const images = imagesOf(context, sources);
  const existing = sources.controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME });
  const { findings: ofBundles, ...bundles } = bundlesOf(sources, existing);
  const { findings: ofSecrets, ...credentials } = credentialsOf(sources, existing);
  const { fields: dns, problem } = clusterDnsFields(context, sources, existing);
  const proxy = await proxySource.read();
  const { findings: ofProxy, bundles: authorities } = caBundlesOf(sources, { isKubeletsOwn, proxy });
  const findings = [...ofBundles, ...ofSecrets, ...ofProxy, ...dnsFindings(problem, existing)];
  warnings.report(findings);
  const next = lookAgain({ hasFindings: findings.length > 0, hasProxyKind: proxySource.isServed });
  const wanted = {
    annotations: {
      [annotations.generatedByVersion]: release.version,
      [annotations.releaseImageVersion]: release.releaseVersion,
      [annotations.serviceCaRotate]: String(!isKubeletsOwn),
    },
    spec: {
      ...images,
      ...authorities,
      ...bundles,
      ...credentials,
      ...pullSecretOf(sources),
      ...dns,
    },
  };
  if (existing === undefined) {
    const created: ControllerConfig = {
      apiVersion: apiVersionOf(controllerConfigKind),
      kind: controllerConfigKind.kind,
      metadata: { name: CONTROLLER_CONFIG_NAME, annotations: wanted.annotations },
      spec: { ...EMPTY_SPEC, ...wanted.spec },
    };
    await createIfAbsent(() => kube.create(controllerConfigKind, created));
    return next;
  }
  const present: { readonly [field: string]: unknown } = existing.spec;
  const isCurrent =
    Object.entries(wanted.annotations).every(
      ([key, value]) => existing.metadata.annotations?.[key] === value,
    ) && Object.entries(wanted.spec).every(([field, value]) => jsonEqual(present[field], value));
  if (isCurrent) return next;
  const metadata = { uid: existing.metadata.uid, annotations: wanted.annotations };
  const body = { metadata, spec: wanted.spec };
  await kube.patch(controllerConfigKind, { name: CONTROLLER_CONFIG_NAME }, { type: 'merge', body });
  return next;
}

function lookAgain(seen: { readonly hasFindings: boolean; readonly hasProxyKind: boolean }): Next {
  if (!seen.hasProxyKind) return after(LOOK_AGAIN_MS, 'the kind Proxy does not exist');
  return seen.hasFindings ? after(WARNING_REPEAT_MS, 'warnings are recorded again') : done;
}

function dnsFindings(
  problem: string | undefined,
  existing: ControllerConfig | undefined,
): readonly Finding[] {
  const metadata = existing?.metadata ?? { name: CONTROLLER_CONFIG_NAME };
  const about = referenceTo(controllerConfigKind, metadata);
  return problem === undefined ? [] : [{ about, reason: 'ClusterDNSUnknown', message: problem }];
}

/** The CAs of registries. */
function bundlesOf(sources: OperatorSources, existing: ControllerConfig | undefined) {
  const image = sources.images.get({ name: CLUSTER });
  const name = trustedCaName(image);
  const user = name === '' ? undefined : sources.userConfigMaps.get({ name, namespace: CONFIG_NAMESPACE });
  const managed = sources.managedConfigMaps.get({
    name: IMAGE_REGISTRY_CA,
    namespace: MANAGED_CONFIG_NAMESPACE,
  });
  return readRegistryBundles({ image, user, managed }, existing?.spec ?? {});
}

/** The credentials with which nodes pull OS images. */
function credentialsOf(sources: OperatorSources, existing: ControllerConfig | undefined) {
  const present = new TextDecoder().decode(base64Bytes(existing?.spec.internalRegistryPullSecret ?? ''));
  const { authFile, findings } = nodeCredentials(credentialSecrets(sources), present);
  if (authFile === '') return { findings };
  return { findings, internalRegistryPullSecret: base64Text(new TextEncoder().encode(authFile)) };
}

/** Names the pull secret of kubelets, which the base configs have. Where it is gone the name stays, and that is reported. */
function pullSecretOf({ clusterPullSecrets }: OperatorSources): Pick<ControllerConfigSpec, 'pullSecret'> {
  const [found] = clusterPullSecrets.all();
  if (found === undefined) return {};
  return {
    pullSecret: { apiVersion: 'v1', kind: secretKind.kind, namespace: CONFIG_NAMESPACE, name: PULL_SECRET },
  };
}

type Images = Partial<Pick<ControllerConfigSpec, 'baseOSContainerImage' | 'baseOSExtensionsContainerImage'>>;

/** From the ConfigMap, if it belongs to this release: images of another one must not reach nodes. */
function imagesOf({ eventsOf, release, settings }: Context, { configMaps }: OperatorSources): Images {
  const found = configMaps.get({ name: OS_IMAGE_CONFIG_MAP, namespace: settings.namespace });
  if (found === undefined) return { baseOSContainerImage: '' };
  const problem = releaseProblem(found, release);
  if (problem !== undefined) {
    const { name, namespace = settings.namespace, uid } = found.metadata;
    // With the uid, by which kubectl describe asks for events.
    const about = { apiVersion: 'v1', kind: configMapKind.kind, name, namespace, ...(uid && { uid }) };
    eventsOf(COMPONENT).warning(about, 'RenderConfigFailed', problem);
    // The images of the last valid ConfigMap stay.
    return {};
  }
  const { baseOSContainerImage = '', baseOSExtensionsContainerImage = '' } = found.data ?? {};
  return {
    baseOSContainerImage,
    ...(baseOSExtensionsContainerImage === '' ? {} : { baseOSExtensionsContainerImage }),
  };
}

const EMPTY_SPEC: ControllerConfigSpec = {
  clusterDNSIP: '',
  cloudProviderConfig: '',
  ipFamilies: 'IPv4',
  kubeAPIServerServingCAData: NO_BUNDLE,
  rootCAData: NO_BUNDLE,
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

/** Writes node and pool; the desired config is written by the node controller. */
async function ensureMachineConfigNode(
  { kube }: Context,
  sources: OperatorSources,
  name: string,
): Promise<Next> {
  const node = sources.nodes.get({ name });
  const existing = sources.machineConfigNodes.get({ name });
  if (node === undefined) {
    if (existing !== undefined) await kube.delete(machineConfigNodeKind, { name });
    return done;
  }
  const membership = membershipOf(node, sources.pools.all());
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
    await createIfAbsent(() => kube.create(machineConfigNodeKind, created));
    return done;
  }
  if (existing.spec.pool.name === pool) return done;
  const body = { metadata: { uid: existing.metadata.uid }, spec: { pool: { name: pool } } };
  await kube.patch(machineConfigNodeKind, { name }, { type: 'merge', body });
  return done;
}
