/**
 * The printer of each kind.
 */
import type { Resource } from '../resources/index.ts';
import {
  configMapPrinter,
  leasePrinter,
  namespacePrinter,
  secretPrinter,
  serviceAccountPrinter,
} from './print-configuration.ts';
import { customPrinter } from './print-custom.ts';
import { defaultPrinter } from './print-default.ts';
import { eventPrinter, eventsEventPrinter } from './print-events.ts';
import { nodePrinter } from './print-nodes.ts';
import { podPrinter } from './print-pods.ts';
import {
  validatingAdmissionPolicyBindingPrinter,
  validatingAdmissionPolicyPrinter,
} from './print-policies.ts';
import { clusterRoleBindingPrinter, roleBindingPrinter } from './print-rbac.ts';
import { customScalePrinter, scalePrinter } from './print-scales.ts';
import { endpointsPrinter, servicePrinter } from './print-services.ts';
import {
  daemonSetPrinter,
  deploymentPrinter,
  jobPrinter,
  podDisruptionBudgetPrinter,
  replicaSetPrinter,
} from './print-workloads.ts';
import type { Printer } from './printer.ts';

/** A resource, or the kind of one of its subresources, such as Scale, whose origin is that of the resource. */
export type Printable = Pick<Resource, 'group' | 'version' | 'kind'> &
  Partial<Pick<Resource, 'origin' | 'columns'>>;

export function printerFor(printable: Printable): Printer {
  const { group, kind, origin, columns } = printable;
  const key = `${group}/${kind}`;
  if (origin === 'custom') return key === SCALE ? customScalePrinter : customPrinter(columns ?? NO_COLUMNS);
  return BUILTIN.get(key) ?? defaultPrinter;
}

const SCALE = 'autoscaling/Scale';
const NO_COLUMNS: NonNullable<Printable['columns']> = [];

const BUILTIN: ReadonlyMap<string, Printer> = new Map([
  ['/ConfigMap', configMapPrinter],
  ['/Endpoints', endpointsPrinter],
  ['/Event', eventPrinter],
  ['/Namespace', namespacePrinter],
  ['/Node', nodePrinter],
  ['/Pod', podPrinter],
  ['/Secret', secretPrinter],
  ['/Service', servicePrinter],
  ['/ServiceAccount', serviceAccountPrinter],
  ['admissionregistration.k8s.io/ValidatingAdmissionPolicy', validatingAdmissionPolicyPrinter],
  ['admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding', validatingAdmissionPolicyBindingPrinter],
  ['apps/DaemonSet', daemonSetPrinter],
  ['apps/Deployment', deploymentPrinter],
  ['apps/ReplicaSet', replicaSetPrinter],
  [SCALE, scalePrinter],
  ['batch/Job', jobPrinter],
  ['coordination.k8s.io/Lease', leasePrinter],
  ['events.k8s.io/Event', eventsEventPrinter],
  ['policy/PodDisruptionBudget', podDisruptionBudgetPrinter],
  ['rbac.authorization.k8s.io/ClusterRoleBinding', clusterRoleBindingPrinter],
  ['rbac.authorization.k8s.io/RoleBinding', roleBindingPrinter],
]);
