/**
 * Admission plugins of pods: ServiceAccount with its token, Priority, and DefaultTolerationSeconds. Pods for debugging a node
 * are rejected.
 */

import type { JsonObject } from '../../../base/json.ts';
import {
  objectAt,
  objectsAt,
  optionalNumberAt,
  optionalStringAt,
  stringAt,
} from '../../../base/json-fields.ts';
import type { AdmissionContext, Admitted } from '../admission.ts';
import { withChangedField, withDefaults } from '../object-edits.ts';
import { nodeDebuggingProblem } from './node-debugging.ts';
import { withToken } from './pod-token.ts';

export function admitPod(pod: JsonObject, context: AdmissionContext): Admitted {
  if (context.operation === 'update') return admitted(withChangedField(pod, 'spec', withDefaultTolerations));
  const problem = nodeDebuggingProblem(pod);
  if (problem !== undefined) return { kind: 'rejected', message: problem };
  const withServiceAccount = admitAccount(pod, context);
  if (withServiceAccount.kind === 'rejected') return withServiceAccount;
  const spec = objectAt(withServiceAccount.object, 'spec') ?? {};
  const prioritized = withPriority(spec);
  if (typeof prioritized === 'string') return { kind: 'rejected', message: prioritized };
  const runtimeClass = optionalStringAt(spec, 'runtimeClassName');
  if (runtimeClass !== undefined) {
    return { kind: 'rejected', message: `pod rejected: RuntimeClass "${runtimeClass}" not found` };
  }
  return admitted({ ...withServiceAccount.object, spec: withDefaultTolerations(prioritized) });
}

const DEFAULT_ACCOUNT = 'default';
/** The annotation of mirror pods, which represent static pods of a kubelet. */
const MIRROR = 'kubernetes.io/config.mirror';

function admitAccount(pod: JsonObject, context: AdmissionContext): Admitted {
  if (optionalStringAt(pod, 'metadata', 'annotations', MIRROR) !== undefined) return admitted(pod);
  const namespace = stringAt(pod, 'metadata', 'namespace');
  const name = stringAt(pod, 'spec', 'serviceAccountName') || DEFAULT_ACCOUNT;
  const account = context.findServiceAccount(namespace, name);
  if (account === undefined) {
    const message = `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`;
    return { kind: 'rejected', message };
  }
  return admitted(
    withChangedField(pod, 'spec', (spec) => {
      const named = { ...spec, serviceAccountName: name, serviceAccount: name };
      return withPullSecrets(mountsToken(spec, account) ? withToken(named, context.random) : named, account);
    }),
  );
}

/** The setting of the pod takes precedence over that of its ServiceAccount. */
function mountsToken(spec: JsonObject, account: JsonObject): boolean {
  return (spec.automountServiceAccountToken ?? account.automountServiceAccountToken) !== false;
}

function withPullSecrets(spec: JsonObject, account: JsonObject): JsonObject {
  const secrets = objectsAt(account, 'imagePullSecrets');
  return secrets.length === 0 ? spec : withDefaults(spec, { imagePullSecrets: secrets });
}

const SYSTEM_CLASSES: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
]);
const PREEMPTION = 'PreemptLowerPriority';

/** The spec with its priority, or the reason why its priority class is rejected. */
function withPriority(spec: JsonObject): JsonObject | string {
  const name = stringAt(spec, 'priorityClassName');
  const priority = name === '' ? 0 : SYSTEM_CLASSES.get(name);
  if (priority === undefined) return `no PriorityClass with name ${name} was found`;
  const requested = optionalNumberAt(spec, 'priority') ?? priority;
  const preemption = stringAt(spec, 'preemptionPolicy') || PREEMPTION;
  if (requested !== priority) {
    return `the integer value of priority (${requested}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`;
  }
  if (preemption !== PREEMPTION) {
    return `the string value of PreemptionPolicy (${preemption}) must not be provided in pod spec; priority admission controller computed ${PREEMPTION} from the given PriorityClass name`;
  }
  return { ...spec, priority, preemptionPolicy: preemption };
}

const DEFAULT_TOLERATION_SECONDS = 300;

function withDefaultTolerations(spec: JsonObject): JsonObject {
  const tolerations = objectsAt(spec, 'tolerations');
  const added = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']
    .filter((key) => !tolerations.some((toleration) => tolerates(toleration, key)))
    .map((key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: DEFAULT_TOLERATION_SECONDS,
    }));
  return added.length === 0 ? spec : { ...spec, tolerations: [...tolerations, ...added] };
}

function tolerates(toleration: JsonObject, key: string): boolean {
  return (
    ['', key].includes(stringAt(toleration, 'key')) &&
    ['', 'NoExecute'].includes(stringAt(toleration, 'effect'))
  );
}

function admitted(object: JsonObject): Admitted {
  return { kind: 'admitted', object };
}
