/**
 * The metrics of the controllers. Names, labels and help texts that begin with `mco_`, `mcc_`, `ocl_` or `os_` are upstream's.
 */
import { counter, gauge, histogram, type MetricDefinition } from '../../kubernetes/metrics/index.ts';

/** Gauges with a series per node: as many as a large cluster has. */
const PER_NODE = 20_000;
const POOL = { labels: ['pool'] } as const;
const POOL_STATE = { labels: ['pool', 'state'] } as const;

export const MACHINE_COUNT = gauge('mco_machine_count', 'total number of machines in a specified pool', POOL);
export const UPDATED_COUNT = gauge(
  'mco_updated_machine_count',
  'total number of updated machines in specified pool',
  POOL,
);
export const DEGRADED_COUNT = gauge(
  'mco_degraded_machine_count',
  'total number of degraded machines in specified pool',
  POOL,
);
export const UNAVAILABLE_COUNT = gauge(
  'mco_unavailable_machine_count',
  'total number of unavailable machines in specified pool',
  POOL,
);
export const POOL_STATE_OF_NODE = gauge('mco_state', 'state of a specified pool', {
  labels: ['node', 'pool', 'state', 'reason'],
  maxSeries: PER_NODE,
});
export const DRAIN_ERROR = gauge('mcc_drain_err', 'logs failed drain', {
  labels: ['node'],
  maxSeries: PER_NODE,
});
export const POOL_ALERT = gauge('mcc_pool_alert', 'pool status alert', {
  labels: ['node'],
  maxSeries: PER_NODE,
});
export const SUB_CONTROLLER_STATE = gauge('mcc_sub_controller_state', 'state of sub-controllers in the MCC', {
  labels: ['subcontroller', 'state', 'object'],
});
export const OS_IMAGE_OVERRIDE = gauge('os_image_url_override', 'state of OS image override', POOL);
export const NO_SKEW_ENFORCEMENT = gauge(
  'mcc_boot_image_skew_enforcement_none',
  'Set to 1 when boot image skew enforcement mode is None, indicating scaling may not be successful as bootimages are out of date',
);

export const POOL_PAUSED = gauge(
  'millwright_pool_paused',
  'Whether the pool is paused: 1 if it is, 0 otherwise.',
  POOL,
);
export const POOL_CONDITION = gauge(
  'millwright_pool_condition',
  'Conditions of the pool: 1 if True, 0 if False.',
  { labels: ['pool', 'condition'] },
);
export const POOL_CONDITION_TIME = gauge(
  'millwright_pool_condition_changed_timestamp_seconds',
  'When the condition of the pool last changed. Of Updated: since when the pool is updated, or has changes to make.',
  { labels: ['pool', 'condition'] },
);
export const POOL_HELD_SINCE = gauge(
  'millwright_pool_paused_with_changes_since_timestamp_seconds',
  'Since when a paused pool has held back changes. Absent if it is not paused or has none.',
  POOL,
);
export const NODE_PHASE_SINCE = gauge(
  'millwright_node_update_phase_since_timestamp_seconds',
  'Of each node that is being updated: its phase, and since when it is in it.',
  { labels: ['node', 'pool', 'phase'], maxSeries: PER_NODE },
);
/** From a restart of a service to the drain of a node with long grace periods. */
const PHASE_SECONDS = [1, 5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200];
export const PHASE_DURATION = histogram(
  'millwright_node_update_phase_seconds',
  'How long nodes took for each phase of their update, by pool and phase, as `millwright status` names it.',
  { labels: ['pool', 'phase'], buckets: PHASE_SECONDS },
);
export const UPDATE_DURATION = histogram(
  'millwright_node_update_seconds',
  'How long nodes took for an update, from its beginning to Updated.',
  { ...POOL, buckets: PHASE_SECONDS },
);
export const CERTIFICATE_EXPIRY = gauge(
  'millwright_certificate_expiry_timestamp_seconds',
  'When certificates that nodes trust expire, from the status of the ControllerConfig.',
  { labels: ['bundle', 'subject'] },
);

export const BUILD_STATE = gauge(
  'ocl_build_state',
  'Current state of OCL build for a pool; gauge is 1 for the active state label, 0 otherwise',
  POOL_STATE,
);
export const BUILD_DURATION = histogram(
  'ocl_build_duration_seconds',
  'Duration of OCL build processes in seconds',
  { ...POOL_STATE, buckets: [60, 180, 300, 600, 900, 1200, 1800, 2400, 3000, 3600] },
);
export const BUILD_START = gauge(
  'ocl_build_start_timestamp_seconds',
  'Timestamp when OCL build started',
  POOL,
);
export const BUILD_END = gauge(
  'ocl_build_end_timestamp_seconds',
  'Timestamp when OCL build completed or failed',
  POOL_STATE,
);
export const BUILD_TOTAL = counter(
  'ocl_build_total',
  'Total number of OCL builds by final state',
  POOL_STATE,
);
export const BUILD_JOB_STATE = gauge(
  'ocl_build_job_state',
  'State of OCL build job; gauge is 1 for the active state label, 0 otherwise',
  POOL_STATE,
);
export const CONFIG_CHANGES = counter(
  'ocl_config_change_total',
  'Total number of config changes triggering OCL builds',
  POOL,
);
export const BUILD_RETRIES = counter(
  'ocl_build_retries_total',
  'Total number of OCL build retry attempts',
  POOL,
);
export const LAYERED_NODES = gauge(
  'ocl_layered_nodes_count',
  'Number of nodes currently using OCL layered images',
  POOL,
);
export const PUSH_STATE = gauge(
  'ocl_image_push_state',
  'State of OCL image push operations; gauge is 1 for the active state label, 0 otherwise',
  POOL_STATE,
);
export const PUSH_TOTAL = counter(
  'ocl_image_push_total',
  'Total number of OCL image push operations by final state',
  POOL_STATE,
);
export const PUSH_DURATION = histogram(
  'ocl_image_push_duration_seconds',
  'Duration of OCL image push operations in seconds',
  { ...POOL_STATE, buckets: [10, 30, 60, 120, 180, 300, 600] },
);
export const ROLLOUT_UPDATED = gauge(
  'ocl_rollout_updated_nodes',
  'Number of nodes in an OCL pool that have adopted the current layered image',
  POOL,
);
export const ROLLOUT_TOTAL = gauge('ocl_rollout_total_nodes', 'Total number of nodes in an OCL pool', POOL);
export const BUILD_QUEUE_DURATION = histogram(
  'ocl_build_queue_duration_seconds',
  'Time in seconds between OCL build creation and the build job becoming active',
  { ...POOL, buckets: [5, 15, 30, 60, 120, 300, 600] },
);
export const ACTIVE_BUILDS = gauge(
  'ocl_active_builds',
  'Number of OCL builds currently in progress per pool',
  POOL,
);
export const OS_CONFIG_COUNT = gauge(
  'mco_mosc_count',
  'number of MachineOSConfig objects in the cluster; non-zero value indicates on-cluster layering is in use',
);

/** By component. */
export const OPERATOR_METRICS: readonly MetricDefinition[] = [NO_SKEW_ENFORCEMENT, CERTIFICATE_EXPIRY];

export const CONTROLLERS_METRICS: readonly MetricDefinition[] = [
  MACHINE_COUNT,
  UPDATED_COUNT,
  DEGRADED_COUNT,
  UNAVAILABLE_COUNT,
  POOL_STATE_OF_NODE,
  DRAIN_ERROR,
  POOL_ALERT,
  SUB_CONTROLLER_STATE,
  OS_IMAGE_OVERRIDE,
  POOL_PAUSED,
  POOL_CONDITION,
  POOL_CONDITION_TIME,
  POOL_HELD_SINCE,
  NODE_PHASE_SINCE,
  PHASE_DURATION,
  UPDATE_DURATION,
];

export const BUILDER_METRICS: readonly MetricDefinition[] = [
  BUILD_STATE,
  BUILD_DURATION,
  BUILD_START,
  BUILD_END,
  BUILD_TOTAL,
  BUILD_JOB_STATE,
  CONFIG_CHANGES,
  BUILD_RETRIES,
  LAYERED_NODES,
  PUSH_STATE,
  PUSH_TOTAL,
  PUSH_DURATION,
  ROLLOUT_UPDATED,
  ROLLOUT_TOTAL,
  BUILD_QUEUE_DURATION,
  ACTIVE_BUILDS,
  OS_CONFIG_COUNT,
];
