/**
 * Rules about values of a KubeletConfiguration that are one of several, and about texts with a form of their own.
 */
import { isObject } from '../../base/json.ts';
import { parseGoDuration, quoted } from '../../base/text/index.ts';
import type { Fields } from './defaults.ts';
import { needsGate } from './number-rules.ts';
import { about, certain, doubtful, gate, isTrue, listAt, mapAt, type Rule, textAt } from './rules.ts';
import { signOf } from './thresholds.ts';

const CHOICES: readonly (readonly [name: string, ...values: string[]])[] = [
  ['topologyManagerPolicy', 'none', 'best-effort', 'restricted', 'single-numa-node'],
  ['topologyManagerScope', 'container', 'pod'],
  ['hairpinMode', 'promiscuous-bridge', 'hairpin-veth', 'none'],
  ['cpuManagerPolicy', 'none', 'static'],
  ['memoryManagerPolicy', 'None', 'Static'],
  ['configMapAndSecretChangeDetectionStrategy', 'Get', 'Cache', 'Watch'],
  ['tlsMinVersion', 'VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'],
  [
    'imagePullCredentialsVerificationPolicy',
    'NeverVerify',
    'NeverVerifyPreloadedImages',
    'NeverVerifyAllowlistedImages',
    'AlwaysVerify',
  ],
];

function oneOf(values: readonly string[], value: string): string | undefined {
  if (value === '' || values.includes(value)) return undefined;
  return `must be one of ${values.join(', ')}, but is ${quoted(value)}`;
}

export const CHOICE_RULES: readonly Rule[] = [
  ...CHOICES.map(([name, ...values]) => about(name, textAt, (value) => oneOf(values, value))),
  about(
    'authorization',
    (config, name) => textAt(mapAt(config, name), 'mode'),
    (mode) => {
      const problem = oneOf(['AlwaysAllow', 'Webhook'], mode);
      return problem === undefined ? undefined : `has a mode that ${problem}`;
    },
  ),
  {
    fields: ['memorySwap'],
    problems(config) {
      const behavior = textAt(mapAt(config, 'memorySwap'), 'swapBehavior') ?? '';
      const problem = oneOf(['NoSwap', 'LimitedSwap'], behavior);
      // Kubelets before 1.30 knew it.
      if (behavior === 'UnlimitedSwap') return [doubtful('memorySwap.swapBehavior', `${problem}`)];
      if (problem !== undefined) return [certain('memorySwap.swapBehavior', problem)];
      return behavior !== '' && gate(config, 'NodeSwap') === false
        ? needsGate(false, ['memorySwap.swapBehavior', 'NodeSwap'])
        : [];
    },
  },
  {
    fields: ['crashLoopBackOff'],
    problems(config) {
      const path = 'crashLoopBackOff.maxContainerRestartPeriod';
      const period = parseGoDuration(
        textAt(mapAt(config, 'crashLoopBackOff'), 'maxContainerRestartPeriod') ?? '',
      );
      if (period === undefined) return [];
      const milliseconds = period / 1_000_000n;
      if (milliseconds < 1000n || milliseconds > 300_000n)
        return [certain(path, 'must be between 1s and 300s')];
      return needsGate(gate(config, 'KubeletCrashLoopBackOffMax'), [path, 'KubeletCrashLoopBackOffMax']);
    },
  },
  {
    fields: ['imagePullCredentialsVerificationPolicy'],
    problems(config) {
      const name = 'imagePullCredentialsVerificationPolicy';
      if ((textAt(config, name) ?? '') === '') return [];
      return needsGate(gate(config, 'KubeletEnsureSecretPulledImages'), [
        name,
        'KubeletEnsureSecretPulledImages',
      ]);
    },
  },
  {
    fields: ['preloadedImagesVerificationAllowlist', 'imagePullCredentialsVerificationPolicy'],
    problems(config) {
      const policy = textAt(config, 'imagePullCredentialsVerificationPolicy');
      const isUsed = listAt(config, 'preloadedImagesVerificationAllowlist').length > 0;
      if (!isUsed || policy === 'NeverVerifyAllowlistedImages') return [];
      const message = 'needs imagePullCredentialsVerificationPolicy to be NeverVerifyAllowlistedImages';
      return [certain('preloadedImagesVerificationAllowlist', message)];
    },
  },
  {
    fields: ['runOnce'],
    problems: (config) =>
      isTrue(config, 'runOnce') ? [doubtful('runOnce', 'is refused by kubelets since 1.33')] : [],
  },
  ...loggingRules(),
  {
    fields: ['tracing'],
    problems(config) {
      const { samplingRatePerMillion: rate, endpoint } = mapAt(config, 'tracing');
      const isBad = typeof rate === 'number' && (rate < 0 || rate > 1_000_000);
      const scheme =
        typeof endpoint === 'string' ? /^([A-Za-z][\w+.-]*):\/\//.exec(endpoint)?.[1] : undefined;
      const isKnown = scheme === undefined || SCHEMES.includes(scheme.toLowerCase());
      return [
        ...(isBad
          ? [certain('tracing.samplingRatePerMillion', `must be between 0 and 1000000, but is ${rate}`)]
          : []),
        ...(isKnown
          ? []
          : [
              certain(
                'tracing.endpoint',
                `has the scheme ${scheme}, which must be dns, unix or unix-abstract`,
              ),
            ]),
      ];
    },
  },
  about('tlsCipherSuites', listAt, (suites) => {
    const stranger = suites.find((suite) => !CIPHER_SUITES.has(String(suite)));
    return stranger === undefined
      ? undefined
      : `has ${quoted(String(stranger))}, which is no cipher suite that a kubelet knows`;
  }),
  about('reservedSystemCPUs', textAt, (cpus) =>
    cpus === '' || cpus.split(',').every(isCpuRange)
      ? undefined
      : `is ${quoted(cpus)}, which is no list of CPUs, as 0-3,7 is`,
  ),
  about('containerRuntimeEndpoint', textAt, (endpoint) =>
    endpoint === '' ? 'must not be empty' : undefined,
  ),
  about('podLogsDir', textAt, (path) => {
    if (!/^[\x20-\x7e]*$/.test(path)) return 'must have ASCII characters only';
    if (!path.startsWith('/')) return `must be an absolute path in a drop-in, but is ${quoted(path)}`;
    return /^\/.*(?:\/\/|\/\.\.?(?:\/|$)|[^/]\/$)/.test(path)
      ? `must be normalized, but is ${quoted(path)}`
      : undefined;
  }),
  about('containerLogMaxSize', textAt, (size) => {
    const sign = signOf(size);
    return size !== '' && typeof sign === 'string' ? sign : undefined;
  }),
  { fields: ['registerWithTaints'], problems: taintProblems },
  { fields: ['reservedMemory'], problems: reservedMemoryProblems },
];

/** Those of Go's TLS, with two older names. */
const CIPHER_SUITES: ReadonlySet<string> = new Set(
  `TLS_AES_128_GCM_SHA256 TLS_AES_256_GCM_SHA384 TLS_CHACHA20_POLY1305_SHA256
   TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA
   TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
   TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
   TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256
   TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305
   TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305 TLS_RSA_WITH_RC4_128_SHA TLS_RSA_WITH_3DES_EDE_CBC_SHA
   TLS_RSA_WITH_AES_128_CBC_SHA TLS_RSA_WITH_AES_256_CBC_SHA TLS_RSA_WITH_AES_128_CBC_SHA256
   TLS_RSA_WITH_AES_128_GCM_SHA256 TLS_RSA_WITH_AES_256_GCM_SHA384 TLS_ECDHE_ECDSA_WITH_RC4_128_SHA
   TLS_ECDHE_RSA_WITH_RC4_128_SHA TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256
   TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256`.split(/\s+/),
);

const SCHEMES = ['dns', 'unix', 'unix-abstract'];

function isCpuRange(range: string): boolean {
  const [, from, to] = /^([+-]?\d+)(?:-([+-]?\d+))?$/.exec(range) ?? [];
  return from !== undefined && (to === undefined || Number(from) <= Number(to));
}

function loggingRules(): readonly Rule[] {
  return [
    {
      fields: ['logging'],
      problems(config) {
        const { format = '', flushFrequency, vmodule } = mapAt(config, 'logging');
        const modules = Array.isArray(vmodule) ? vmodule.filter(isObject) : [];
        const isBadFile = modules.some(
          ({ filePattern }) =>
            typeof filePattern !== 'string' || filePattern === '' || /[=,]/.test(filePattern),
        );
        const problem = typeof format === 'string' ? oneOf(['text', 'json'], format) : undefined;
        const isDuration =
          flushFrequency === undefined ||
          flushFrequency === null ||
          typeof flushFrequency === 'number' ||
          (typeof flushFrequency === 'string' && parseGoDuration(flushFrequency) !== undefined);
        return [
          ...(problem === undefined ? [] : [certain('logging.format', problem)]),
          ...(isDuration ? [] : [certain('logging.flushFrequency', 'must be a duration, as 5s is')]),
          ...(modules.length > 0 && format === 'json'
            ? [certain('logging.vmodule', 'is only for the format text')]
            : []),
          ...(isBadFile
            ? [certain('logging.vmodule', 'has a filePattern that is empty, or has = or a comma')]
            : []),
        ];
      },
    },
  ];
}

const NAME = '[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?';
const DOMAIN_LABEL = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const TAINT_KEY = new RegExp(`^(?:${DOMAIN_LABEL}(?:\\.${DOMAIN_LABEL})*/)?${NAME}$`);
const LABEL_VALUE = new RegExp(`^(?:${NAME})?$`);
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function isLabel(key: string, value: string): boolean {
  return TAINT_KEY.test(key) && LABEL_VALUE.test(value);
}

function taintProblems(config: Fields) {
  return listAt(config, 'registerWithTaints')
    .filter(isObject)
    .flatMap(({ key = '', value = '', effect = '', timeAdded }, index) => {
      const path = `registerWithTaints[${index}]`;
      const isRight = typeof key === 'string' && typeof value === 'string' && isLabel(key, value ?? '');
      const problem = typeof effect === 'string' ? oneOf(EFFECTS, effect) : undefined;
      return [
        ...(isRight ? [] : [certain(path, 'has a key or a value that is none of a taint')]),
        ...(problem === undefined ? [] : [certain(`${path}.effect`, problem)]),
        ...(timeAdded === undefined || timeAdded === null
          ? []
          : [certain(`${path}.timeAdded`, 'must not be set')]),
      ];
    });
}

function reservedMemoryProblems(config: Fields) {
  const seen = new Set<string>();
  return listAt(config, 'reservedMemory')
    .filter(isObject)
    .flatMap(({ numaNode = 0, limits }, index) =>
      Object.entries(isObject(limits) ? limits : {}).flatMap(([name, amount]) => {
        const path = `reservedMemory[${index}].limits[${name}]`;
        const sign = signOf(String(amount));
        const key = `${numaNode}/${name}`;
        const isRepeated = seen.has(key);
        seen.add(key);
        if (name !== 'memory' && !name.startsWith('hugepages-')) {
          return [certain(path, 'is neither memory nor hugepages-<size>')];
        }
        if (typeof sign === 'string') return [certain(path, sign)];
        if (sign === 0) return [certain(path, 'must not be zero')];
        return isRepeated ? [certain(path, `is given twice for the NUMA node ${numaNode}`)] : [];
      }),
    );
}
