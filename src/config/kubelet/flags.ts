/**
 * The command line of a kubelet. Its flags take precedence over its configuration.
 */
import { parseGoDuration, quoted } from '../../base/text/index.ts';
import { isLabel } from './choice-rules.ts';
import type { Fields } from './defaults.ts';
import { certain, doubtful, type ValueProblem } from './rules.ts';

type FlagType = 'bool' | 'duration' | 'int32' | 'int64' | 'list' | 'map' | 'thresholds' | 'gates' | 'text';

type Flag = {
  readonly name: string;
  readonly value: string;
};

export type Flags = {
  /** In their order, with dashes in their names as kubelets read them. */
  readonly given: readonly Flag[];
  /** Words that belong to no flag: a kubelet does not start with them. */
  readonly strays: readonly string[];
};

/** Flags of 1.33 by type, and the fields of the configuration that they set. Other versions have some more or fewer. */
const FLAGS: ReadonlyMap<string, { readonly type: FlagType; readonly field?: string }> = new Map([
  ...flagsOf(
    'bool',
    `anonymous-auth authentication-token-webhook contention-profiling cpu-cfs-quota:cpuCFSQuota cgroups-per-qos:cgroupsPerQOS
     enable-controller-attach-detach enable-debugging-handlers enable-load-reader enable-server exit-on-lock-contention
     experimental-allocatable-ignore-eviction fail-cgroupv1 fail-swap-on help kernel-memcg-notification
     local-storage-capacity-isolation log-cadvisor-usage log-json-split-stream log-text-split-stream
     make-iptables-util-chains protect-kernel-defaults register-node register-schedulable rotate-certificates
     rotate-server-certificates:serverTLSBootstrap runonce:runOnce seccomp-default serialize-image-pulls:serializeImagePulls
     storage-driver-secure`,
  ),
  ...flagsOf(
    'duration',
    `authentication-token-webhook-cache-ttl authorization-webhook-cache-authorized-ttl
     authorization-webhook-cache-unauthorized-ttl cpu-cfs-quota-period:cpuCFSQuotaPeriod cpu-manager-reconcile-period
     eviction-pressure-transition-period file-check-frequency global-housekeeping-interval housekeeping-interval
     http-check-frequency log-flush-frequency minimum-container-ttl-duration minimum-image-ttl-duration:imageMinimumGCAge
     node-status-update-frequency runtime-request-timeout storage-driver-buffer-duration
     streaming-connection-idle-timeout sync-frequency volume-stats-agg-period`,
  ),
  ...flagsOf(
    'int32',
    `container-log-max-files:containerLogMaxFiles event-burst:eventBurst event-qps:eventRecordQPS
     eviction-max-pod-grace-period healthz-port:healthzPort image-gc-high-threshold:imageGCHighThresholdPercent
     image-gc-low-threshold:imageGCLowThresholdPercent kube-api-burst:kubeAPIBurst kube-api-qps:kubeAPIQPS max-pods:maxPods
     maximum-dead-containers maximum-dead-containers-per-container node-status-max-images:nodeStatusMaxImages
     oom-score-adj:oomScoreAdj pods-per-core:podsPerCore port:port read-only-port:readOnlyPort registry-burst:registryBurst
     registry-qps:registryPullQPS`,
  ),
  ...flagsOf('int64', 'max-open-files:maxOpenFiles pod-max-pids application-metrics-count-limit'),
  ...flagsOf(
    'list',
    'allowed-unsafe-sysctls cluster-dns enforce-node-allocatable:enforceNodeAllocatable tls-cipher-suites:tlsCipherSuites',
  ),
  ...flagsOf(
    'map',
    `eviction-minimum-reclaim:evictionMinimumReclaim eviction-soft-grace-period:evictionSoftGracePeriod
     kube-reserved:kubeReserved qos-reserved:qosReserved system-reserved:systemReserved topology-manager-policy-options`,
  ),
  ...flagsOf('thresholds', 'eviction-hard:evictionHard eviction-soft:evictionSoft'),
  ...flagsOf('gates', 'feature-gates'),
  ...flagsOf(
    'text',
    `address authorization-mode boot-id-file bootstrap-kubeconfig cert-dir cgroup-driver cgroup-root:cgroupRoot client-ca-file
     cloud-config cloud-provider cluster-domain config config-dir container-hints container-log-max-size:containerLogMaxSize
     container-runtime-endpoint:containerRuntimeEndpoint containerd containerd-namespace cpu-manager-policy:cpuManagerPolicy
     cpu-manager-policy-options event-storage-age-limit event-storage-event-limit experimental-mounter-path
     hairpin-mode:hairpinMode healthz-bind-address hostname-override image-credential-provider-bin-dir
     image-credential-provider-config image-service-endpoint kube-api-content-type kube-reserved-cgroup:kubeReservedCgroup
     kubeconfig kubelet-cgroups lock-file log-json-info-buffer-size log-text-info-buffer-size logging-format machine-id-file
     manifest-url manifest-url-header memory-manager-policy:memoryManagerPolicy node-ip node-labels pod-cidr
     pod-infra-container-image pod-manifest-path provider-id register-with-taints reserved-cpus:reservedSystemCPUs
     reserved-memory resolv-conf root-dir runtime-cgroups storage-driver-db storage-driver-host storage-driver-password
     storage-driver-table storage-driver-user system-cgroups:systemCgroups system-reserved-cgroup:systemReservedCgroup
     tls-cert-file tls-min-version:tlsMinVersion tls-private-key-file topology-manager-policy:topologyManagerPolicy
     topology-manager-scope:topologyManagerScope v vmodule volume-plugin-dir`,
  ),
  ['version', { type: 'bool' as const }],
]);

function flagsOf(type: FlagType, text: string) {
  return text.split(/\s+/).map((word) => {
    const [name = '', field] = word.split(':');
    return [name, { type, ...(field === undefined ? {} : { field }) }] as const;
  });
}

/** `words`: without the program. */
export function parseFlags(words: readonly string[]): Flags {
  const given: Flag[] = [];
  const strays: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') return { given, strays: [...strays, ...words.slice(at + 1)] };
    const [, dashes, plainName = '', value] = /^(--?)([^=\s]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
    if (dashes === undefined) {
      strays.push(word);
      continue;
    }
    const name = plainName.replaceAll('_', '-');
    const type = FLAGS.get(name)?.type;
    const next = words[at + 1];
    if (value !== undefined) given.push({ name, value });
    else if (type === 'bool') given.push({ name, value: 'true' });
    else if (type === undefined && (next === undefined || next.startsWith('-')))
      given.push({ name, value: '' });
    else {
      given.push({ name, value: next ?? '' });
      at++;
    }
  }
  return { given, strays };
}

/** Problems with the flags themselves; those with the fields that they set are found in the configuration. */
export function flagProblems({ given, strays }: Flags): readonly ValueProblem[] {
  const hasUnknown = given.some(({ name }) => !FLAGS.has(name));
  // What follows an unknown flag may be its value.
  const judge = hasUnknown ? doubtful : certain;
  return [
    ...given.flatMap((flag) => oneFlagProblems(flag)),
    ...strays.slice(0, 1).map((word) => judge(quoted(word), 'belongs to no flag of the kubelet')),
  ];
}

function oneFlagProblems({ name, value }: Flag): readonly ValueProblem[] {
  const type = FLAGS.get(name)?.type;
  const path = `--${name}`;
  if (type === undefined) return [doubtful(path, 'is no flag of a kubelet that is known here')];
  if (name === 'node-labels') return labelProblems(value);
  const expected = TYPES[type];
  return expected.isRight(value) ? [] : [certain(path, `must be ${expected.text}, but is ${quoted(value)}`)];
}

const pairs = (value: string) => value.split(',').filter((one) => one !== '');

const TYPES: Readonly<
  Record<FlagType, { readonly text: string; readonly isRight: (value: string) => boolean }>
> = {
  bool: { text: 'true or false', isRight: isBool },
  duration: { text: 'a duration, as 10s is', isRight: (value) => parseGoDuration(value) !== undefined },
  int32: { text: 'a number', isRight: (value) => isInteger(value, 2n ** 31n) },
  int64: { text: 'a number', isRight: (value) => isInteger(value, 2n ** 63n) },
  list: { text: 'a list', isRight: () => true },
  map: { text: 'a list of name=value', isRight: (value) => pairs(value).every((one) => one.includes('=')) },
  thresholds: {
    text: 'a list of signal<value',
    isRight: (value) => pairs(value).every((one) => one.includes('<')),
  },
  gates: {
    text: 'a list of name=true or name=false',
    isRight: (value) => pairs(value).every((one) => isBool(one.slice(one.indexOf('=') + 1).trim())),
  },
  text: { text: 'a text', isRight: () => true },
};

function isBool(value: string): boolean {
  return /^(?:1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/.test(value);
}

/** Numbers with a base, as `0x10`, are accepted unseen. */
function isInteger(value: string, limit: bigint): boolean {
  if (/^[+-]?0[0-9a-zA-Z_]+$|_/.test(value)) return true;
  if (!/^[+-]?\d{1,20}$/.test(value)) return false;
  const number = BigInt(value.replace(/^\+/, ''));
  return number >= -limit && number < limit;
}

const OWN_LABELS: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
]);
const OWN_NAMESPACE = /(?:^|\.)(?:kubelet|node)\.kubernetes\.io$/;

/** A kubelet may not give its node labels of Kubernetes, such as roles. */
function labelProblems(value: string): readonly ValueProblem[] {
  return pairs(value).flatMap((pair) => {
    const [key = '', ...rest] = pair.split('=');
    const [name, text] = [key.trim(), rest.join('=').trim()];
    const namespace = name.includes('/') ? name.slice(0, name.indexOf('/')) : '';
    const isReserved = /(?:^|\.)(?:kubernetes|k8s)\.io$/.test(namespace);
    if (isReserved && !OWN_LABELS.has(name) && !OWN_NAMESPACE.test(namespace)) {
      return [certain('--node-labels', `has ${name}, which a kubelet must not set on its node`)];
    }
    return isLabel(name, text) ? [] : [certain('--node-labels', `has ${quoted(pair)}, which is no label`)];
  });
}

/** The fields of the configuration that the flags set. Values of the wrong type are left out. */
export function flaggedFields({ given }: Flags): Fields {
  const fields: { [name: string]: unknown } = {};
  for (const { name, value } of given) {
    const known = FLAGS.get(name);
    if (known === undefined || !TYPES[known.type].isRight(value)) continue;
    const { type, field } = known;
    if (type === 'gates') fields.featureGates = { ...asMap(fields.featureGates), ...gatesOf(value) };
    else if (field !== undefined) fields[field] = fieldValue(type, value, fields[field]);
  }
  return fields;
}

function fieldValue(type: FlagType, value: string, before: unknown): unknown {
  switch (type) {
    case 'bool':
      return /^[1tT]/.test(value);
    case 'int32':
    case 'int64':
      return Number(value);
    case 'list':
      return [...(Array.isArray(before) ? before : []), ...(value === '' ? [] : value.split(','))];
    case 'map':
      return { ...asMap(before), ...mapOf(value, '=') };
    case 'thresholds':
      return { ...asMap(before), ...mapOf(value, '<') };
    default:
      return value;
  }
}

function asMap(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function mapOf(value: string, separator: string): Fields {
  return Object.fromEntries(
    pairs(value).map((one) => {
      const split = one.indexOf(separator);
      return [one.slice(0, split).trim(), one.slice(split + 1).trim()];
    }),
  );
}

function gatesOf(value: string): Fields {
  return Object.fromEntries(
    Object.entries(mapOf(value, '=')).map(([name, text]) => [name, /^[1tT]/.test(String(text))]),
  );
}
