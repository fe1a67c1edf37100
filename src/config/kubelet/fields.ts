/**
 * The fields of a KubeletConfiguration (`kubelet.config.k8s.io/v1beta1`) and their types. A kubelet that finds a
 * number where it expects a string does not start, so types are checked before a node gets the file. Values: `values.ts`.
 */
import { isObject, own } from '../../base/json.ts';
import { parseGoDuration, quoted } from '../../base/text/index.ts';

type Scalar = 'bool' | 'int32' | 'uint32' | 'int64' | 'float64' | 'string' | 'duration';
/** `any` has no type of its own. */
type Shape =
  | Scalar
  | 'any'
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly fields: { readonly [name: string]: Shape } };

const names = (text: string): readonly string[] => text.trim().split(/\s+/);
const each = (shape: Shape, text: string) =>
  Object.fromEntries(names(text).map((name): [string, Shape] => [name, shape]));
const struct = (fields: { readonly [name: string]: Shape }): Shape => ({ fields });

const KUBELET_CONFIGURATION: Shape = struct({
  ...each(
    'bool',
    `cgroupsPerQOS cpuCFSQuota enableContentionProfiling enableControllerAttachDetach enableDebugFlagsHandler
     enableDebuggingHandlers enableProfilingHandler enableServer enableSystemLogHandler enableSystemLogQuery
     failCgroupV1 failSwapOn kernelMemcgNotification localStorageCapacityIsolation makeIPTablesUtilChains
     mergeDefaultEvictionSettings protectKernelDefaults registerNode rotateCertificates runOnce seccompDefault
     serializeImagePulls serverTLSBootstrap singleProcessOOMKill`,
  ),
  ...each(
    'int32',
    `containerLogMaxFiles containerLogMaxWorkers eventBurst eventRecordQPS evictionMaxPodGracePeriod healthzPort
     imageGCHighThresholdPercent imageGCLowThresholdPercent iptablesDropBit iptablesMasqueradeBit kubeAPIBurst kubeAPIQPS
     maxParallelImagePulls maxPods nodeLeaseDurationSeconds nodeStatusMaxImages oomScoreAdj podsPerCore port readOnlyPort
     registryBurst registryPullQPS`,
  ),
  ...each('int64', 'maxOpenFiles podPidsLimit'),
  memoryThrottlingFactor: 'float64',
  ...each(
    'string',
    `address cgroupDriver cgroupRoot clusterDomain configMapAndSecretChangeDetectionStrategy containerLogMaxSize
     containerRuntimeEndpoint contentType cpuManagerPolicy hairpinMode healthzBindAddress
     imagePullCredentialsVerificationPolicy imageServiceEndpoint kubeReservedCgroup kubeletCgroups memoryManagerPolicy
     podCIDR podLogsDir providerID reservedSystemCPUs resolvConf showHiddenMetricsForVersion staticPodPath staticPodURL
     systemCgroups systemReservedCgroup tlsCertFile tlsMinVersion tlsPrivateKeyFile topologyManagerPolicy
     topologyManagerScope volumePluginDir`,
  ),
  ...each(
    'duration',
    `containerLogMonitorInterval cpuCFSQuotaPeriod cpuManagerReconcilePeriod evictionPressureTransitionPeriod
     fileCheckFrequency httpCheckFrequency imageMaximumGCAge imageMinimumGCAge nodeStatusReportFrequency
     nodeStatusUpdateFrequency runtimeRequestTimeout shutdownGracePeriod shutdownGracePeriodCriticalPods
     streamingConnectionIdleTimeout syncFrequency volumeStatsAggPeriod`,
  ),
  ...each(
    { list: 'string' },
    'allowedUnsafeSysctls clusterDNS enforceNodeAllocatable preloadedImagesVerificationAllowlist tlsCipherSuites',
  ),
  ...each(
    { map: 'string' },
    `cpuManagerPolicyOptions evictionHard evictionMinimumReclaim evictionSoft evictionSoftGracePeriod kubeReserved
     qosReserved systemReserved topologyManagerPolicyOptions`,
  ),
  logging: struct({
    format: 'string',
    // A duration, or a number of nanoseconds.
    flushFrequency: 'any',
    verbosity: 'uint32',
    vmodule: { list: struct({ filePattern: 'string', verbosity: 'uint32' }) },
    options: 'any',
  }),
  tracing: struct({ endpoint: 'string', samplingRatePerMillion: 'int32' }),
  tlsCurvePreferences: { list: 'int32' },
  featureGates: { map: 'bool' },
  staticPodURLHeader: { map: { list: 'string' } },
  registerWithTaints: {
    list: struct({ key: 'string', value: 'string', effect: 'string', timeAdded: 'any' }),
  },
  authentication: struct({
    anonymous: struct({ enabled: 'bool' }),
    webhook: struct({ enabled: 'bool', cacheTTL: 'duration' }),
    x509: struct({ clientCAFile: 'string' }),
  }),
  authorization: struct({
    mode: 'string',
    webhook: struct({ cacheAuthorizedTTL: 'duration', cacheUnauthorizedTTL: 'duration' }),
  }),
  crashLoopBackOff: struct({ maxContainerRestartPeriod: 'duration' }),
  memorySwap: struct({ swapBehavior: 'string' }),
  reservedMemory: { list: struct({ numaNode: 'int32', limits: { map: 'any' } }) },
  shutdownGracePeriodByPodPriority: {
    list: struct({ priority: 'int32', shutdownGracePeriodSeconds: 'int64' }),
  },
  userNamespaces: struct({ idsPerPod: 'int64' }),
});

/** The first value of the wrong type, with the message of Go's decoder; undefined where there is none. */
export function undecodable(value: unknown): string | undefined {
  return problemOf(KUBELET_CONFIGURATION, value, '');
}

/** Unknown fields: the kubelet ignores them, so a typo would go unnoticed. */
export function unknownFields(value: unknown): readonly string[] {
  return strangers(KUBELET_CONFIGURATION, value, '').filter((name) => !META.has(name));
}

const META: ReadonlySet<string> = new Set(['apiVersion', 'kind']);

function problemOf(shape: Shape, value: unknown, path: string): string | undefined {
  // Null means unset.
  if (shape === 'any' || value === null || value === undefined) return undefined;
  if (typeof shape === 'string')
    return isScalar(shape, value) ? undefined : wrong(path, value, EXPECTED[shape]);
  if ('list' in shape) {
    if (!Array.isArray(value)) return wrong(path, value, 'a list');
    return first(value, (item, index) => problemOf(shape.list, item, `${path}[${index}]`));
  }
  if (!isObject(value)) return wrong(path, value, 'an object');
  const below = (name: string) => (path === '' ? name : `${path}.${name}`);
  if ('map' in shape) {
    return first(Object.entries(value), ([name, item]) => problemOf(shape.map, item, below(name)));
  }
  return first(Object.entries(shape.fields), ([name, field]) =>
    problemOf(field, own(value, name), below(name)),
  );
}

function first<T>(
  items: readonly T[],
  problem: (item: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = problem(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isScalar(shape: Scalar, value: unknown): boolean {
  switch (shape) {
    case 'bool':
      return typeof value === 'boolean';
    case 'string':
      return typeof value === 'string';
    case 'float64':
      return typeof value === 'number';
    case 'duration':
      return typeof value === 'string' && parseGoDuration(value) !== undefined;
    default: {
      const { from, below } = LIMITS[shape];
      return typeof value === 'number' && Number.isInteger(value) && value >= from && value < below;
    }
  }
}

const LIMITS = {
  int32: { from: -(2 ** 31), below: 2 ** 31 },
  uint32: { from: 0, below: 2 ** 32 },
  int64: { from: -(2 ** 63), below: 2 ** 63 },
} as const;

const EXPECTED: { readonly [shape in Scalar]: string } = {
  bool: 'true or false',
  string: 'a text',
  float64: 'a number',
  duration: 'a duration such as 10s',
  int32: 'a whole number of 32 bits',
  uint32: 'a whole number of 32 bits that is not negative',
  int64: 'a whole number of 64 bits',
};

function wrong(path: string, value: unknown, expected: string): string {
  return `${path || 'KubeletConfiguration'}: must be ${expected} (given: ${givenText(value)})`;
}

/** A message quotes no more of a text. */
const MAX_GIVEN_CHARACTERS = 60;

export function givenText(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  if (typeof value !== 'string') return String(value);
  return quoted(value.length > MAX_GIVEN_CHARACTERS ? `${value.slice(0, MAX_GIVEN_CHARACTERS)}…` : value);
}

function strangers(shape: Shape, value: unknown, path: string): readonly string[] {
  if (typeof shape === 'string' || !isObject(value) || !('fields' in shape)) return [];
  return Object.keys(value)
    .sort()
    .flatMap((name) => {
      const place = path === '' ? name : `${path}.${name}`;
      const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
      return field === undefined ? [place] : strangers(field, value[name], place);
    });
}
