/**
 * Fields of CRI-O's configuration and their types: those that have been the same for years. CRI-O does not start with a value of
 * another type, and passes over fields that it does not know.
 */
import { TomlDate } from 'smol-toml';
import { isObject } from '../../base/json.ts';

type FieldType = 'text' | 'number' | 'boolean' | 'texts';

const named = (type: FieldType, text: string) =>
  text
    .trim()
    .split(/\s+/)
    .map((name): [string, FieldType] => [name, type]);

/** By table below `crio`; the first one is `crio` itself. */
export const CRIO_FIELDS: ReadonlyMap<string, ReadonlyMap<string, FieldType>> = new Map([
  [
    '',
    new Map([
      ...named(
        'text',
        'root runroot storage_driver log_dir version_file version_file_persist clean_shutdown_file',
      ),
      ...named('texts', 'storage_option'),
      ...named('boolean', 'internal_wipe'),
    ]),
  ],
  [
    'api',
    new Map([
      ...named('text', 'listen stream_address stream_port stream_tls_cert stream_tls_key stream_tls_ca'),
      ...named('text', 'stream_idle_timeout'),
      ...named('boolean', 'stream_enable_tls'),
      ...named('number', 'grpc_max_send_msg_size grpc_max_recv_msg_size'),
    ]),
  ],
  [
    'runtime',
    new Map([
      ...named(
        'text',
        `apparmor_profile bind_mount_prefix cgroup_manager conmon conmon_cgroup container_attach_socket_dir
         container_exits_dir decryption_keys_path default_mounts_file default_runtime gid_mappings infra_ctr_cpuset
         irqbalance_config_file log_filter log_level namespaces_dir pinns_path seccomp_profile separate_pull_cgroup
         uid_mappings`,
      ),
      ...named('boolean', 'drop_infra_ctr log_to_journald no_pivot read_only selinux'),
      ...named(
        'number',
        'ctr_stop_timeout log_size_max minimum_mappable_gid minimum_mappable_uid pids_limit',
      ),
      ...named(
        'texts',
        `absent_mount_sources_to_reject additional_devices allowed_devices conmon_env default_capabilities default_env
         default_sysctls default_ulimits hooks_dir`,
      ),
    ]),
  ],
  [
    'image',
    new Map([
      ...named(
        'text',
        `big_files_temporary_dir default_transport global_auth_file image_volumes pause_command pause_image
         pause_image_auth_file signature_policy`,
      ),
      ...named('texts', 'insecure_registries pinned_images'),
    ]),
  ],
  [
    'network',
    new Map([...named('text', 'cni_default_network network_dir'), ...named('texts', 'plugin_dirs')]),
  ],
  [
    'metrics',
    new Map([
      ...named('boolean', 'enable_metrics'),
      ...named('number', 'metrics_port'),
      ...named('text', 'metrics_cert metrics_key metrics_socket'),
      ...named('texts', 'metrics_collectors'),
    ]),
  ],
  [
    'tracing',
    new Map([
      ...named('boolean', 'enable_tracing'),
      ...named('number', 'tracing_sampling_rate_per_million'),
      ...named('text', 'tracing_endpoint'),
    ]),
  ],
]);

/** Fields of a table `crio.runtime.runtimes.NAME`. */
export const RUNTIME_FIELDS: ReadonlyMap<string, FieldType> = new Map([
  ...named('text', 'runtime_path runtime_type runtime_root runtime_config_path monitor_path monitor_cgroup'),
  ...named('texts', 'allowed_annotations monitor_env'),
  ...named('boolean', 'privileged_without_host_devices'),
]);

/** The first value of the wrong type, by the name of its field; undefined where there is none. */
export function wrongField(
  table: Fields,
  types: ReadonlyMap<string, FieldType>,
): { readonly name: string; readonly expected: string } | undefined {
  for (const [name, value] of table) {
    const type = types.get(name);
    if (type !== undefined && !IS_TYPE[type](value)) return { name, expected: EXPECTED[type] };
  }
  return undefined;
}

/** Names in lower case: CRI-O does not tell them apart. */
export type Fields = ReadonlyMap<string, unknown>;

export function fieldsOf(table: object): Fields {
  return new Map(Object.entries(table).map(([name, value]) => [name.toLowerCase(), value]));
}

const IS_TYPE: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  // Whether it is whole is not seen: `1.0` is a number as `1` is.
  number: (value) => typeof value === 'number' || typeof value === 'bigint',
  boolean: (value) => typeof value === 'boolean',
  texts: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
};

const EXPECTED: Readonly<Record<FieldType, string>> = {
  text: 'a text in quotes',
  number: 'a number without quotes',
  boolean: 'true or false, without quotes',
  texts: 'a list of texts, as ["a", "b"]',
};

export function isTable(value: unknown): value is object {
  return isObject(value) && !(value instanceof TomlDate);
}
