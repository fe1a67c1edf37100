/**
 * Printers of workloads and PodDisruptionBudgets.
 */

import { listAt, numberAt, stringAt, valueAt } from '../../base/json-fields.ts';
import { humanDuration, parseTimestamp } from '../../base/text/index.ts';
import { DAEMON_SET, DEPLOYMENT, JOB, POD_DISRUPTION_BUDGET, REPLICA_SET } from './descriptions-workloads.ts';
import { conditionStatus } from './fields.ts';
import { formatLabels, formatWorkloadSelector } from './format-labels.ts';
import { age, type ColumnDescriptions, integer, name, printer, text, wide } from './printer.ts';

const containerNames = wide('Containers', (workload) => containers(workload, 'name'));
const containerImages = wide('Images', (workload) => containers(workload, 'image'));
const selector = wide('Selector', (workload) =>
  formatWorkloadSelector(workload, { empty: '<none>', wrong: '<error>' }),
);
const CONTAINERS: ColumnDescriptions = {
  Containers: ['Names of each container in the template.'],
  Images: ['Images referenced by each container in the template.'],
};

export const deploymentPrinter = printer({ ...CONTAINERS, ...DEPLOYMENT }, [
  name,
  text('Ready', (deployment) => `${readyReplicas(deployment)}/${desiredReplicas(deployment)}`),
  text('Up-to-date', (deployment) => numberAt(deployment, 'status', 'updatedReplicas')),
  text('Available', (deployment) => numberAt(deployment, 'status', 'availableReplicas')),
  age,
  containerNames,
  containerImages,
  wide('Selector', (deployment) => formatWorkloadSelector(deployment, { empty: '', wrong: '<invalid>' })),
]);

export const replicaSetPrinter = printer({ ...CONTAINERS, ...REPLICA_SET }, [
  name,
  integer('Desired', desiredReplicas),
  integer('Current', (set) => numberAt(set, 'status', 'replicas')),
  integer('Ready', readyReplicas),
  age,
  containerNames,
  containerImages,
  selector,
]);

export const daemonSetPrinter = printer({ ...CONTAINERS, ...DAEMON_SET }, [
  name,
  integer('Desired', (set) => numberAt(set, 'status', 'desiredNumberScheduled')),
  integer('Current', (set) => numberAt(set, 'status', 'currentNumberScheduled')),
  integer('Ready', (set) => numberAt(set, 'status', 'numberReady')),
  integer('Up-to-date', (set) => numberAt(set, 'status', 'updatedNumberScheduled')),
  integer('Available', (set) => numberAt(set, 'status', 'numberAvailable')),
  text('Node Selector', (set) => formatLabels(set, 'spec', 'template', 'spec', 'nodeSelector')),
  age,
  containerNames,
  containerImages,
  selector,
]);

export const jobPrinter = printer({ ...CONTAINERS, ...JOB }, [
  name,
  text('Status', jobState),
  text('Completions', jobCompletions),
  text('Duration', jobDuration),
  age,
  containerNames,
  containerImages,
  selector,
]);

export const podDisruptionBudgetPrinter = printer(POD_DISRUPTION_BUDGET, [
  name,
  text('Min Available', (budget) => amount(budget, 'minAvailable')),
  text('Max Unavailable', (budget) => amount(budget, 'maxUnavailable')),
  integer('Allowed Disruptions', (budget) => numberAt(budget, 'status', 'disruptionsAllowed')),
  age,
]);

function containers(workload: unknown, field: 'name' | 'image'): string {
  return listAt(workload, 'spec', 'template', 'spec', 'containers')
    .map((container) => stringAt(container, field))
    .join(',');
}

function desiredReplicas(workload: unknown): number {
  return numberAt(workload, 'spec', 'replicas');
}

function readyReplicas(workload: unknown): number {
  return numberAt(workload, 'status', 'readyReplicas');
}

function jobState(job: unknown): string {
  const is = (type: string) => conditionStatus(job, type) === 'True';
  if (is('Complete')) return 'Complete';
  if (is('Failed')) return 'Failed';
  if (stringAt(job, 'metadata', 'deletionTimestamp') !== '') return 'Terminating';
  if (is('Suspended')) return 'Suspended';
  return is('FailureTarget') ? 'FailureTarget' : 'Running';
}

function jobCompletions(job: unknown): string {
  const succeeded = numberAt(job, 'status', 'succeeded');
  const wanted = valueAt(job, 'spec', 'completions');
  if (typeof wanted === 'number') return `${succeeded}/${wanted}`;
  const parallelism = numberAt(job, 'spec', 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: unknown, nowMs: number): string {
  const startedMs = parseTimestamp(valueAt(job, 'status', 'startTime'));
  if (startedMs === undefined) return '';
  return humanDuration((parseTimestamp(valueAt(job, 'status', 'completionTime')) ?? nowMs) - startedMs);
}

/** A number or a percentage. */
function amount(budget: unknown, field: string): string {
  const value = valueAt(budget, 'spec', field);
  return typeof value === 'number' || typeof value === 'string' ? String(value) : 'N/A';
}
