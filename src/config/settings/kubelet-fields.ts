/**
 * The fields of a KubeletConfiguration (`kubelet.config.k8s.io/v1beta1`) and their types. A kubelet that finds a
 * number where it expects a string does not start, so types are checked before a node gets the file; values are left
 * to the kubelet.
 */
import { isObject, own } from '../../base/json.ts';
import { parseGoDuration, quoted } from '../../base/text/index.ts';

type Scalar = 'bool' | 'int32' | 'int64' | 'float64' | 'string' | 'duration';
/** `any` is not checked: the kubelet shares these types with other components. */
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
  ...each('any', 'logging tracing'),
  tlsCurvePreferences: { list: 'int32' },
  featureGates: { map: 'bool' },
  staticPodURLHeader: { map: { list: 'string' } },
  registerWithTaints: { list: 'any' },
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
  reservedMemory: { list: struct({ numaNode: 'int32', limits: 'any' }) },
  shutdownGracePeriodByPodPriority: {
    list: struct({ priority: 'int32', shutdownGracePeriodSeconds: 'int64' }),
  },
  userNamespaces: struct({ idsPerPod: 'int64' }),
});

/** The first value of the wrong type, with the message of Go's decoder; undefined where there is none. */
export function undecodable(value: unknown): string | undefined {
  return problemOf(KUBELET_CONFIGURATION, value, 'KubeletConfiguration');
}

/** Unknown fields: the kubelet ignores them, so a typo would go unnoticed. */
export function unknownFields(value: unknown): readonly string[] {
  return strangers(KUBELET_CONFIGURATION, value, '').filter((name) => !META.has(name));
}

const META: ReadonlySet<string> = new Set(['apiVersion', 'kind']);

function problemOf(shape: Shape, value: unknown, path: string): string | undefined {
  // Null means unset.
  if (shape === 'any' || value === null || value === undefined) return undefined;
  if (typeof shape === 'string') return scalarProblem(shape, value, path);
  if ('list' in shape) {
    if (!Array.isArray(value)) return wrongType(value, path, goTypeOf(shape));
    return first(value, (item) => problemOf(shape.list, item, path));
  }
  if (!isObject(value)) return wrongType(value, path, goTypeOf(shape));
  if ('map' in shape) return first(Object.values(value), (item) => problemOf(shape.map, item, path));
  return first(Object.entries(shape.fields), ([name, field]) =>
    problemOf(field, own(value, name), `${path}.${name}`),
  );
}

function first<T>(items: readonly T[], problem: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = problem(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function scalarProblem(shape: Scalar, value: unknown, path: string): string | undefined {
  switch (shape) {
    case 'bool':
      return typeof value === 'boolean' ? undefined : wrongType(value, path, shape);
    case 'string':
      return typeof value === 'string' ? undefined : wrongType(value, path, shape);
    case 'float64':
      return typeof value === 'number' ? undefined : wrongType(value, path, shape);
    case 'duration':
      if (typeof value !== 'string') {
        return `json: cannot unmarshal ${jsonType(value)} into Go value of type string`;
      }
      return parseGoDuration(value) === undefined ? `time: invalid duration ${quoted(value)}` : undefined;
    default: {
      if (typeof value !== 'number') return wrongType(value, path, shape);
      const limit = shape === 'int32' ? 2 ** 31 : 2 ** 63;
      const isInRange = Number.isInteger(value) && value >= -limit && value < limit;
      return isInRange ? undefined : wrongType(value, path, shape, ` ${value}`);
    }
  }
}

function wrongType(value: unknown, path: string, type: string, what = ''): string {
  return `json: cannot unmarshal ${jsonType(value)}${what} into Go struct field ${path} of type ${type}`;
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function goTypeOf(shape: Shape): string {
  if (typeof shape === 'string') return shape === 'duration' ? 'v1.Duration' : shape;
  if ('list' in shape) return `[]${goTypeOf(shape.list)}`;
  return 'map' in shape ? `map[string]${goTypeOf(shape.map)}` : 'struct';
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
