/**
 * Rules about numbers and durations of a KubeletConfiguration.
 */
import { about, certain, doubtful, durationAt, gate, isTrue, numberAt, type Rule, textAt } from './rules.ts';

const MAX_PORT = 65_535;
const SECOND = 1_000_000_000n;
const MILLISECOND = 1_000_000n;

const NOT_NEGATIVE = [
  'eventBurst',
  'eventRecordQPS',
  'kubeAPIBurst',
  'kubeAPIQPS',
  'maxOpenFiles',
  'maxPods',
  'podsPerCore',
  'registryBurst',
  'registryPullQPS',
];

const RANGES: readonly (readonly [name: string, from: number, to: number])[] = [
  ['imageGCHighThresholdPercent', 0, 100],
  ['imageGCLowThresholdPercent', 0, 100],
  ['iptablesDropBit', 0, 31],
  ['iptablesMasqueradeBit', 0, 31],
  ['oomScoreAdj', -1000, 1000],
  ['healthzPort', 0, MAX_PORT],
  ['port', 1, MAX_PORT],
  ['readOnlyPort', 0, MAX_PORT],
];

const AT_LEAST: readonly (readonly [name: string, least: number])[] = [
  ['nodeLeaseDurationSeconds', 1],
  ['nodeStatusMaxImages', -1],
  ['maxParallelImagePulls', 1],
  ['containerLogMaxWorkers', 1],
  ['containerLogMaxFiles', 2],
];

export const NUMBER_RULES: readonly Rule[] = [
  ...NOT_NEGATIVE.map((name) =>
    about(name, numberAt, (value) => (value < 0 ? `must not be negative, but is ${value}` : undefined)),
  ),
  ...RANGES.map(([name, from, to]) =>
    about(name, numberAt, (value) =>
      value < from || value > to ? `must be between ${from} and ${to}, but is ${value}` : undefined,
    ),
  ),
  ...AT_LEAST.map(([name, least]) =>
    about(name, numberAt, (value) =>
      value < least ? `must be at least ${least}, but is ${value}` : undefined,
    ),
  ),
  about('memoryThrottlingFactor', numberAt, (value) =>
    value <= 0 || value > 1 ? `must be greater than 0 and at most 1, but is ${value}` : undefined,
  ),
  {
    fields: ['imageGCLowThresholdPercent', 'imageGCHighThresholdPercent'],
    problems(config) {
      const [low, high] = [
        numberAt(config, 'imageGCLowThresholdPercent') ?? 0,
        numberAt(config, 'imageGCHighThresholdPercent') ?? 0,
      ];
      if (low < high) return [];
      const message = `must be less than imageGCHighThresholdPercent, but they are ${low} and ${high}`;
      return [certain('imageGCLowThresholdPercent', message)];
    },
  },
  {
    fields: ['maxParallelImagePulls', 'serializeImagePulls'],
    problems(config) {
      const pulls = numberAt(config, 'maxParallelImagePulls') ?? 1;
      if (pulls <= 1 || !isTrue(config, 'serializeImagePulls')) return [];
      const message = `must not be larger than 1, but is ${pulls}, unless serializeImagePulls is false; a drop-in has to set that, too`;
      return [certain('maxParallelImagePulls', message)];
    },
  },
  about(
    'userNamespaces',
    (config, name) => idsPerPod(config[name]),
    (ids) =>
      ids < 65_536 || ids % 65_536 !== 0 || ids > 2 ** 32 - 1
        ? `has idsPerPod ${ids}, which must be a multiple of 65536 and fit into 32 bits`
        : undefined,
  ),
];

function idsPerPod(value: unknown): number | undefined {
  const ids =
    typeof value === 'object' && value !== null && 'idsPerPod' in value ? value.idsPerPod : undefined;
  return typeof ids === 'number' ? ids : undefined;
}

export const DURATION_RULES: readonly Rule[] = [
  {
    fields: ['cpuCFSQuotaPeriod'],
    problems(config) {
      const period = durationAt(config, 'cpuCFSQuotaPeriod') ?? 100n * MILLISECOND;
      const text = textAt(config, 'cpuCFSQuotaPeriod');
      if (period < MILLISECOND || period > SECOND) {
        return [certain('cpuCFSQuotaPeriod', `must be between 1ms and 1s, but is ${text}`)];
      }
      return period === 100n * MILLISECOND
        ? []
        : needsGate(gate(config, 'CustomCPUCFSQuotaPeriod'), [
            'cpuCFSQuotaPeriod',
            'CustomCPUCFSQuotaPeriod',
          ]);
    },
  },
  about('imageMaximumGCAge', durationAt, (age) => (age < 0n ? 'must not be negative' : undefined)),
  {
    fields: ['imageMaximumGCAge', 'imageMinimumGCAge'],
    problems(config) {
      const [longest, shortest] = [
        durationAt(config, 'imageMaximumGCAge') ?? 0n,
        durationAt(config, 'imageMinimumGCAge') ?? 0n,
      ];
      if (longest <= 0n || longest > shortest) return [];
      const message = `must be greater than imageMinimumGCAge, but they are ${textAt(config, 'imageMaximumGCAge')} and ${textAt(config, 'imageMinimumGCAge')}`;
      return [certain('imageMaximumGCAge', message)];
    },
  },
  about('containerLogMonitorInterval', durationAt, (interval) =>
    interval < 3n * SECOND ? 'must be at least 3s' : undefined,
  ),
  ...['shutdownGracePeriod', 'shutdownGracePeriodCriticalPods'].map(
    (name): Rule => ({
      fields: [name],
      problems(config) {
        const period = durationAt(config, name) ?? 0n;
        const isOff = gate(config, 'GracefulNodeShutdown') === false;
        if (period === 0n || period >= SECOND || (isOff && period < 0n)) return [];
        return [certain(name, `must be zero or at least 1s, but is ${textAt(config, name)}`)];
      },
    }),
  ),
  {
    fields: ['shutdownGracePeriodCriticalPods', 'shutdownGracePeriod'],
    problems(config) {
      const [critical, all] = [
        durationAt(config, 'shutdownGracePeriodCriticalPods') ?? 0n,
        durationAt(config, 'shutdownGracePeriod') ?? 0n,
      ];
      if (critical <= all || critical <= 0n) return [];
      return [certain('shutdownGracePeriodCriticalPods', 'must not be longer than shutdownGracePeriod')];
    },
  },
];

/** A value that only a kubelet with the gate accepts, where the configuration does not enable it. */
export function needsGate(state: boolean | undefined, [path, name]: readonly [string, string]) {
  if (state === true) return [];
  const message = `needs the feature gate ${name}`;
  return [state === false ? certain(path, `${message}, which is disabled`) : doubtful(path, message)];
}
