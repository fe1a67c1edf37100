/**
 * Configurations of kubelets, right and wrong: every value alone, pairs that belong together, drop-ins and flags.
 */
type Config = { readonly [name: string]: unknown };

export type KubeletCase = {
  readonly main: Config;
  readonly dropIns?: { readonly [name: string]: Config };
  readonly flags?: readonly string[];
};

const NUMBERS = [-2, -1, 0, 1, 2, 31, 32, 100, 101, 1001, 65_535, 65_536, 'x', 1.5, true, null];
const DURATIONS = ['-1s', '0s', '500ms', '1ms', '2s', '3s', '10m', '301s', '10', 'x', 5, null];

/** Values to try of each field. */
const VALUES: { readonly [name: string]: readonly unknown[] } = {
  ...Object.fromEntries(
    `nodeLeaseDurationSeconds eventBurst eventRecordQPS healthzPort imageGCHighThresholdPercent imageGCLowThresholdPercent
     iptablesDropBit iptablesMasqueradeBit kubeAPIBurst kubeAPIQPS nodeStatusMaxImages maxOpenFiles maxPods oomScoreAdj
     podsPerCore port readOnlyPort registryBurst registryPullQPS maxParallelImagePulls containerLogMaxWorkers
     containerLogMaxFiles memoryThrottlingFactor podPidsLimit evictionMaxPodGracePeriod`
      .split(/\s+/)
      .map((name) => [name, NUMBERS]),
  ),
  ...Object.fromEntries(
    `cpuCFSQuotaPeriod imageMaximumGCAge imageMinimumGCAge containerLogMonitorInterval shutdownGracePeriod
     shutdownGracePeriodCriticalPods syncFrequency nodeStatusUpdateFrequency`
      .split(/\s+/)
      .map((name) => [name, DURATIONS]),
  ),
  topologyManagerPolicy: ['none', 'best-effort', 'restricted', 'single-numa-node', '', 'x', 1],
  topologyManagerScope: ['pod', 'container', '', 'x'],
  hairpinMode: ['none', 'hairpin-veth', 'promiscuous-bridge', '', 'x'],
  cpuManagerPolicy: ['none', '', 'x'],
  tlsMinVersion: ['', 'VersionTLS12', 'VersionTLS14'],
  authorization: [{ mode: 'Webhook' }, { mode: 'AlwaysAllow' }, { mode: 'x' }, { mode: '' }, { modes: 'x' }],
  memorySwap: [{}, { swapBehavior: 'NoSwap' }, { swapBehavior: 'LimitedSwap' }, { swapBehavior: 'x' }],
  evictionHard: [
    {},
    ...[
      'foo',
      '1Gi',
      '0',
      '-1Gi',
      '10%',
      '0%',
      '100%',
      '101%',
      '-1%',
      'x%',
      '%',
      '1e1%',
      '5%%',
      '',
      '1K',
    ].map((value) => ({ 'memory.available': value })),
    { 'memory.avail': '1Gi' },
    { 'allocatableMemory.available': '1Gi' },
    { 'containerfs.inodesFree': '5%' },
    { 'memory.available': 5 },
    [],
  ],
  evictionSoft: [{ 'memory.available': '1Gi' }, { 'memory.available': '0%' }],
  evictionSoftGracePeriod: [
    { 'memory.available': '1m' },
    { 'memory.available': '-1m' },
    { 'memory.available': 'x' },
    { x: '1m' },
  ],
  evictionMinimumReclaim: ['0', '-1', '5%', '0%', 'x'].map((value) => ({ 'nodefs.available': value })),
  systemReserved: [
    { cpu: '500m' },
    { cpu: 'x' },
    { cpu: '-1' },
    { gpu: '1' },
    { pid: '100', 'ephemeral-storage': '1Gi' },
    { cpu: 1 },
  ],
  kubeReserved: [{ memory: '1Gi' }, { memory: '1gib' }],
  qosReserved: [{ memory: '50%' }, { memory: '50' }, { memory: '101%' }, { cpu: '5%' }],
  enforceNodeAllocatable: [
    [],
    ['pods'],
    ['none'],
    ['none', 'pods'],
    ['pods', 'pods'],
    ['x'],
    ['system-reserved'],
    ['kube-reserved-compressible'],
    'pods',
  ],
  systemCgroups: ['/a'],
  reservedSystemCPUs: ['', '0-3', '0,2', '3-1', 'x', '1-', ' 1'],
  logging: [
    { format: 'text' },
    { format: 'json' },
    { format: 'x' },
    { verbosity: -1 },
    { verbosity: 5 },
    { flushFrequency: '5s' },
    { flushFrequency: 5 },
    { flushFrequency: 'x' },
    { vmodule: [{ filePattern: '', verbosity: 1 }] },
    { vmodule: [{ filePattern: 'a', verbosity: 1 }], format: 'json' },
  ],
  tracing: [
    {},
    { samplingRatePerMillion: -1 },
    { samplingRatePerMillion: 1_000_001 },
    { endpoint: 'localhost:4317' },
    { endpoint: 'http://a' },
    { endpoint: 'unix:///a' },
  ],
  crashLoopBackOff: [
    {},
    { maxContainerRestartPeriod: '400s' },
    { maxContainerRestartPeriod: '10s' },
    { maxContainerRestartPeriod: 'x' },
  ],
  userNamespaces: [
    {},
    { idsPerPod: 65_536 },
    { idsPerPod: 65_537 },
    { idsPerPod: 1 },
    { idsPerPod: 2 ** 32 },
  ],
  registerWithTaints: [
    [{ key: 'a', effect: 'NoSchedule' }],
    [{ key: 'a b', effect: 'NoSchedule' }],
    [{ key: 'a', effect: 'x' }],
    [{ key: 'a', value: '-', effect: 'NoExecute' }],
    [{ key: 'e.com/a' }],
    ['x'],
  ],
  reservedMemory: [
    [{ numaNode: 0, limits: { memory: '1Gi' } }],
    [{ numaNode: 0, limits: { memory: '0' } }],
    [{ numaNode: 0, limits: { cpu: '1' } }],
    [{ limits: { memory: 'x' } }],
    [{ limits: { memory: '1' } }, { limits: { memory: '1' } }],
    [{ limits: { memory: 5 } }],
  ],
  featureGates: [{}, { NodeSwap: true }, { NoSuchGate: true }, { NodeSwap: 'x' }],
  containerLogMaxSize: ['10Mi', 'x', '', '-1'],
  containerRuntimeEndpoint: ['', 'unix:///run/x.sock'],
  podLogsDir: [
    '',
    '/',
    '/var/log/x',
    '/var/log/',
    '/a/../b',
    '/a//b',
    '/ä',
    'relative',
    './a',
    '../a',
    'a/../b',
    'a/',
    'ä',
  ],
  imagePullCredentialsVerificationPolicy: ['', 'NeverVerify', 'x'],
  preloadedImagesVerificationAllowlist: [[], ['a']],
  enableSystemLogQuery: [false, true],
  runOnce: [false, true],
  serverTLSBootstrap: [true, 'yes'],
  maxPodz: [5],
  staticPodPath: ['/a', 5],
  clusterDNS: [['10.0.0.10'], '10.0.0.10', ['x']],
  allowedUnsafeSysctls: [['net.*'], ['x y']],
  showHiddenMetricsForVersion: ['x'],
  tlsCipherSuites: [
    [],
    ['FOO'],
    ['TLS_AES_128_GCM_SHA256', 'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305', 'TLS_RSA_WITH_RC4_128_SHA'],
    ['TLS_AES_128_GCM_SHA256', 'tls_aes_128_gcm_sha256'],
    [''],
  ],
};

/** Values that fit together, or do not. */
const TOGETHER: readonly Config[] = [
  { imageGCHighThresholdPercent: 70, imageGCLowThresholdPercent: 60 },
  { imageGCHighThresholdPercent: 60, imageGCLowThresholdPercent: 60 },
  { imageMaximumGCAge: '1m', imageMinimumGCAge: '2m' },
  { imageMaximumGCAge: '3m', imageMinimumGCAge: '2m' },
  { imageMaximumGCAge: '3m', featureGates: { ImageMaximumGCAge: false } },
  { shutdownGracePeriod: '30s', shutdownGracePeriodCriticalPods: '10s' },
  { shutdownGracePeriod: '10s', shutdownGracePeriodCriticalPods: '30s' },
  {
    shutdownGracePeriod: '10s',
    shutdownGracePeriodByPodPriority: [{ priority: 0, shutdownGracePeriodSeconds: 5 }],
  },
  { shutdownGracePeriodByPodPriority: [{ priority: 0, shutdownGracePeriodSeconds: 5 }] },
  { shutdownGracePeriod: '-1s', featureGates: { GracefulNodeShutdown: false } },
  { shutdownGracePeriod: '10s', featureGates: { GracefulNodeShutdown: false } },
  { maxParallelImagePulls: 5, serializeImagePulls: true },
  { maxParallelImagePulls: 5, serializeImagePulls: false },
  { maxParallelImagePulls: 1, serializeImagePulls: true },
  { evictionSoft: { 'memory.available': '1Gi' }, evictionSoftGracePeriod: { 'memory.available': '1m' } },
  { evictionSoft: { 'memory.available': '1Gi' }, evictionSoftGracePeriod: { 'nodefs.available': '1m' } },
  { enforceNodeAllocatable: ['system-reserved'], systemReservedCgroup: '/a' },
  { enforceNodeAllocatable: ['system-reserved', 'system-reserved-compressible'], systemReservedCgroup: '/a' },
  { enforceNodeAllocatable: ['pods'], cgroupsPerQOS: false },
  { enforceNodeAllocatable: [], cgroupsPerQOS: false },
  { cgroupsPerQOS: false },
  { systemCgroups: '/a', cgroupRoot: '/' },
  { reservedSystemCPUs: '0', systemReservedCgroup: '/a' },
  { cpuCFSQuotaPeriod: '10ms', featureGates: { CustomCPUCFSQuotaPeriod: true } },
  { cpuCFSQuotaPeriod: '2s', featureGates: { CustomCPUCFSQuotaPeriod: true } },
  { cpuCFSQuotaPeriod: '10ms', featureGates: { CustomCPUCFSQuotaPeriod: false } },
  { memorySwap: { swapBehavior: 'LimitedSwap' }, featureGates: { NodeSwap: false } },
  { memorySwap: {}, featureGates: { NodeSwap: false } },
  {
    crashLoopBackOff: { maxContainerRestartPeriod: '10s' },
    featureGates: { KubeletCrashLoopBackOffMax: true },
  },
  { featureGates: { KubeletCrashLoopBackOffMax: true } },
  { enableSystemLogQuery: true, featureGates: { NodeLogQuery: true } },
  { enableSystemLogQuery: true, enableSystemLogHandler: false, featureGates: { NodeLogQuery: true } },
  {
    imagePullCredentialsVerificationPolicy: 'NeverVerifyAllowlistedImages',
    preloadedImagesVerificationAllowlist: ['a.example/b'],
    featureGates: { KubeletEnsureSecretPulledImages: true },
  },
  {
    imagePullCredentialsVerificationPolicy: 'NeverVerify',
    preloadedImagesVerificationAllowlist: ['a.example/b'],
    featureGates: { KubeletEnsureSecretPulledImages: true },
  },
];

const FLAGS: readonly (readonly string[])[] = [
  ['--max-pods=50'],
  ['--max-pods', '50'],
  ['--max_pods=50'],
  ['--max-pods=abc'],
  ['--max-pods=-5'],
  ['--max-pods=0x10'],
  ['--fail-swap-on=maybe'],
  ['--fail-swap-on', 'false'],
  ['--fail-swap-on'],
  ['--sync-frequency=1'],
  ['--eviction-hard=memory.available<foo'],
  ['--eviction-hard=memory.available<1Gi,nodefs.available<10%'],
  ['--eviction-hard=memory.available=1Gi'],
  ['--system-reserved=cpu=1', '--system-reserved=memory=1Gi'],
  ['--system-reserved=cpu'],
  ['--node-labels=a=b,c'],
  ['--node-labels=node-role.kubernetes.io/x='],
  ['--node-labels=node.kubernetes.io/x=y,topology.kubernetes.io/zone=z'],
  ['--node-labels=a b=c'],
  ['--container-runtime-endpoint='],
  ['--container-runtime-endpoint=unix:///run/x.sock'],
  ['--feature-gates=NodeSwap=true,NodeLogQuery=x'],
  ['--feature-gates=NodeSwap=false'],
  ['--image-gc-high-threshold=50'],
  ['--no-such-flag=1'],
  ['--v=2', 'stray'],
  ['-v=2'],
  ['-v', '2'],
  ['--port=0'],
  ['--enforce-node-allocatable=pods,x'],
  ['--runonce'],
];

export function kubeletCases(): readonly KubeletCase[] {
  const alone = Object.entries(VALUES).flatMap(([name, values]) =>
    values.map((value) => ({ [name]: value })),
  );
  return [
    { main: {} },
    ...[...alone, ...TOGETHER].map((main) => ({ main })),
    ...[...alone, ...TOGETHER].map((dropIn) => ({ main: {}, dropIns: { 'a.conf': dropIn } })),
    { main: {}, dropIns: { 'a.conf': { maxParallelImagePulls: 5 } } },
    { main: { maxPods: -5 }, dropIns: { 'a.conf': { maxPods: 5 } } },
    {
      main: { evictionHard: { 'memory.available': 'x' } },
      dropIns: { 'a.conf': { evictionHard: { 'memory.available': '1Gi' } } },
    },
    { main: { evictionHard: { 'memory.available': 'x' } }, dropIns: { 'a.conf': { evictionHard: null } } },
    { main: { maxPods: 5 }, dropIns: { 'b.conf': { maxPods: 6 }, 'a.conf': { maxPods: -5 } } },
    { main: {}, dropIns: { 'a/b.conf': { maxPods: -5 } } },
    { main: {}, dropIns: { '.a.conf': { maxPods: -5 } } },
    { main: {}, dropIns: { 'a.yaml': { maxPods: -5 } } },
    { main: {}, dropIns: { 'a/z.conf': { maxPods: -5 }, 'a-b.conf': { maxPods: 6 } } },
    { main: {}, dropIns: { 'a/z.conf': { maxPods: 6 }, 'a-b.conf': { maxPods: -5 } } },
    { main: { podLogsDir: '/var/log/x' }, dropIns: { 'a.conf': { podLogsDir: 'relative' } } },
    { main: { podLogsDir: 'relative' }, dropIns: { 'a.conf': { maxPods: 6 } } },
    { main: { podLogsDir: '/a/../b' }, dropIns: { 'a.conf': { podLogsDir: '/var/log/x' } } },
    ...FLAGS.map((flags) => ({ main: {}, flags })),
    { main: { maxPods: -5 }, flags: ['--max-pods=5'] },
    { main: { imageGCLowThresholdPercent: 40 }, flags: ['--image-gc-high-threshold=50'] },
  ];
}
