/**
 * Defaults of the kubelet, as far as its own validation looks at them.
 */
import { isObject, own } from '../../base/json.ts';
import { inWalkOrder, parseGoDuration } from '../../base/text/index.ts';

export type Fields = { readonly [name: string]: unknown };

/** Where the field is absent, and where it is zero or empty: the kubelet does not tell them apart. */
const FOR_ZERO: Fields = {
  nodeLeaseDurationSeconds: 40,
  eventBurst: 100,
  kubeAPIBurst: 100,
  maxOpenFiles: 1_000_000,
  maxPods: 110,
  port: 10_250,
  registryBurst: 10,
  imageMinimumGCAge: '2m',
  topologyManagerPolicy: 'none',
  topologyManagerScope: 'container',
  cpuManagerPolicy: 'none',
  memoryManagerPolicy: 'None',
  hairpinMode: 'promiscuous-bridge',
  containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
  podLogsDir: '/var/log/pods',
  containerLogMaxSize: '10Mi',
  configMapAndSecretChangeDetectionStrategy: 'Watch',
};

/** Where the field is absent. */
const FOR_ABSENT: Fields = {
  eventRecordQPS: 50,
  healthzPort: 10_248,
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  iptablesDropBit: 15,
  iptablesMasqueradeBit: 14,
  kubeAPIQPS: 50,
  nodeStatusMaxImages: 50,
  oomScoreAdj: -999,
  registryPullQPS: 5,
  cgroupsPerQOS: true,
  enforceNodeAllocatable: ['pods'],
  cpuCFSQuotaPeriod: '100ms',
  enableSystemLogHandler: true,
  containerLogMaxWorkers: 1,
  containerLogMaxFiles: 5,
  containerLogMonitorInterval: '10s',
  memoryThrottlingFactor: 0.9,
};

export function withDefaults(config: Fields): Fields {
  const given = Object.fromEntries(
    Object.entries(config).filter(
      ([name, value]) =>
        value !== null && value !== undefined && !(Object.hasOwn(FOR_ZERO, name) && isZero(value)),
    ),
  );
  return { ...FOR_ABSENT, ...FOR_ZERO, serializeImagePulls: isSerial(config), ...given };
}

function isZero(value: unknown): boolean {
  return value === 0 || value === '' || (typeof value === 'string' && parseGoDuration(value) === 0n);
}

/** Several pulls at a time need no second setting. */
function isSerial(config: Fields): boolean {
  const pulls = own(config, 'maxParallelImagePulls');
  return typeof pulls !== 'number' || pulls < 2;
}

/**
 * The configuration that results from the file of `--config` and drop-ins of `--config-dir`, in their order. Defaults are set before
 * the first drop-in is merged, so that a drop-in cannot rely on those that depend on other fields.
 */
export function mergedConfiguration(main: Fields, dropIns: readonly Fields[]): Fields {
  let merged: Fields = withDefaults(resolved(main));
  for (const dropIn of dropIns) merged = patched(merged, dropIn);
  return withDefaults(merged);
}

/** Of all files below the folder of `--config-dir`, those that a kubelet merges, in its order. Hidden ones are no exception. */
export function dropInPaths(paths: Iterable<string>): readonly string[] {
  return inWalkOrder(paths).filter((path) => path.endsWith('.conf'));
}

/** A path that is not absolute begins, in the file of `--config` alone, at the folder of that file, wherever that is. */
function resolved(main: Fields): Fields {
  const path = own(main, 'podLogsDir');
  if (typeof path !== 'string' || path === '' || path.startsWith('/')) return main;
  const names = path.split('/').filter((name) => !['', '.', '..'].includes(name));
  return { ...main, podLogsDir: `/${names.join('/')}` };
}

/** JSON merge patch: null removes. */
function patched(target: Fields, patch: Fields): Fields {
  const result: { [name: string]: unknown } = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else if (isObject(value)) {
      const before = own(result, name);
      result[name] = patched(isObject(before) ? before : {}, value);
    } else result[name] = value;
  }
  return result;
}
