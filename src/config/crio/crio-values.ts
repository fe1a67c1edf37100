/**
 * Values with which no CRI-O starts.
 */
import { quoted } from '../../base/text/index.ts';
import { type CrioConfig, crioText } from './crio-files.ts';

/** Each goes on after the path of the file, as `log_level is "loud", and must be …`. */
export function crioValueProblems(config: CrioConfig): readonly string[] {
  return [...choiceProblems(config), ...defaultRuntimeProblems(config), ...otherProblems(config)];
}

/** By table and field. Where a field is not set, CRI-O has one of them. */
const CHOICES = [
  ['runtime', 'cgroup_manager', ['systemd', 'cgroupfs']],
  ['runtime', 'log_level', ['fatal', 'panic', 'error', 'warn', 'warning', 'info', 'debug', 'trace']],
  ['image', 'image_volumes', ['mkdir', 'bind', 'ignore']],
] as const;

function choiceProblems(config: CrioConfig): readonly string[] {
  return CHOICES.flatMap(([table, name, values]) => {
    const value = config.tables.get(table)?.get(name);
    if (typeof value !== 'string') return [];
    // Only the level is read whatever its case is.
    const given = name === 'log_level' ? value.toLowerCase() : value;
    return values.some((one) => one === given)
      ? []
      : [`${name} is ${quoted(value)}, and must be one of ${values.join(', ')}`];
  });
}

const RUNTIME_TYPES = ['', 'oci', 'vm', 'pod'];

function defaultRuntimeProblems({ defaultRuntime, runtimes, builtIn }: CrioConfig): readonly string[] {
  if (defaultRuntime === undefined) return [];
  const runtime = runtimes.get(defaultRuntime);
  if (runtime === undefined) {
    // Where the version is not known, CRI-O may have the table itself.
    if (builtIn === undefined && BUILT_IN.includes(defaultRuntime)) return [];
    return [
      `default_runtime is ${quoted(defaultRuntime)}, and no file has a table [crio.runtime.runtimes.${defaultRuntime}]`,
    ];
  }
  return RUNTIME_TYPES.includes(runtime.type)
    ? []
    : [
        `runtime_type of the default runtime ${defaultRuntime} is ${quoted(runtime.type)}, and must be oci, vm or pod`,
      ];
}

const BUILT_IN = ['crun', 'runc'];

/** Less does not hold one message of a container. */
const LEAST_LOG_BYTES = 8192;

function otherProblems(config: CrioConfig): readonly string[] {
  const size = config.tables.get('runtime')?.get('log_size_max');
  const api = config.tables.get('api');
  const hasTls = api?.get('stream_enable_tls') === true;
  return [
    ...(typeof size === 'number' && size >= 0 && size < LEAST_LOG_BYTES
      ? [`log_size_max is ${size}, and must be -1 or at least ${LEAST_LOG_BYTES}`]
      : []),
    ...(hasTls
      ? ['stream_tls_cert', 'stream_tls_key']
          .filter((name) => crioText(config, 'api', name) === '')
          .map((name) => `stream_enable_tls is true, and needs ${name}`)
      : []),
    ...monitorCgroupProblems(config),
  ];
}

/** Of the default runtime: others may be ignored for other reasons. */
function monitorCgroupProblems(config: CrioConfig): readonly string[] {
  const runtime = config.runtimes.get(config.defaultRuntime ?? '');
  if (runtime === undefined || !['', 'oci'].includes(runtime.type)) return [];
  const common = crioText(config, 'runtime', 'conmon_cgroup');
  const [name, value] = common === '' ? ['monitor_cgroup', runtime.monitorCgroup] : ['conmon_cgroup', common];
  if (value === '' || value === 'pod') return [];
  const isSystemd = (crioText(config, 'runtime', 'cgroup_manager') || 'systemd') === 'systemd';
  if (isSystemd ? value.endsWith('.slice') : value === 'system.slice') return [];
  const allowed = isSystemd ? 'pod or end in .slice' : 'pod or empty with the cgroup_manager cgroupfs';
  return [`${name} is ${quoted(value)}, and must be ${allowed}`];
}
