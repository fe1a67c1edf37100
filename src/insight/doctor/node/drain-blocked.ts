/**
 * A drain that waits for a pod: its eviction is refused, or it does not end. Read from the record that the drain controller keeps on
 * the Node.
 *
 *     the last refusal                                       code                 from when on
 *     by a budget that can never allow it                    DrainBlocked         `blockedAfterMs` of the drain settings
 *     by a budget                                            DrainBlocked         the same, and an attempt has failed
 *     since the pod has several budgets                      SeveralBudgets       `blockedAfterMs`
 *     by anything else, such as an admission policy          EvictionRefused      `blockedAfterMs`
 *     none, and a pod is there past its grace period         PodNotTerminating    an attempt has failed
 *
 * Most refusals end as soon as the replacement of another pod runs: until an attempt has failed, that is work in progress.
 */
import { annotations } from '../../../api/index.ts';
import { numberAt, objectsAt, optionalNumberAt, stringAt, stringsAt } from '../../../base/json-fields.ts';
import { formatTimestamp, parseTimestamp, spellDuration } from '../../../base/text/index.ts';
import { nameOf, namespaceOf } from '../../../kubernetes/meta/index.ts';
import {
  podDisruptionBudget as budgetKind,
  type Pod,
  type PodDisruptionBudget,
  pod as podKind,
} from '../../../kubernetes/types/index.ts';
import {
  DEFAULT_DRAIN_SETTINGS,
  type DrainRecord,
  type DrainRefusal,
  isDrainOverdue,
} from '../../../rollout/index.ts';
import type { Facts, NodeFacts } from '../facts.ts';
import type { Evidence, Found, NextCommand } from '../finding.ts';
import { LIMITS } from '../limits.ts';
import { aNode, annotation, named } from '../objects.ts';
import type { Need, Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const drainBlocked: Rule = {
  codes: ['DrainBlocked', 'SeveralBudgets', 'EvictionRefused', 'PodNotTerminating'],
  stage: 'node',
  needs: ({ nodes }) =>
    nodes.flatMap((facts): readonly Need[] => {
      const { lastRefusal, lastError } = runningDrain(facts) ?? {};
      if (lastRefusal !== undefined) return [{ kind: budgetKind, namespace: lastRefusal.namespace }];
      // A drain without an error is under way: its pods are ending.
      return lastError === undefined ? [] : [{ kind: podKind, fieldSelector: `spec.nodeName=${facts.name}` }];
    }),
  find: (facts) => facts.nodes.flatMap((node) => findingOf(facts, node)),
};

function runningDrain({ drain }: NodeFacts): DrainRecord | undefined {
  return drain.isPending && drain.request?.verb === 'drain' ? drain.currentRecord : undefined;
}

function findingOf(facts: Facts, node: NodeFacts): readonly Found[] {
  const record = runningDrain(node);
  if (record === undefined || record.cordonError !== undefined) return [];
  if (record.lastRefusal !== undefined) return refusal(facts, node, { record, refused: record.lastRefusal });
  return record.lastError === undefined
    ? []
    : lingering(facts, node, { ...record, lastError: record.lastError });
}

type Refusal = { readonly record: DrainRecord; readonly refused: DrainRefusal };

function refusal(facts: Facts, node: NodeFacts, { record, refused }: Refusal): readonly Found[] {
  const { nowMs, snapshot } = facts;
  const sinceMs = record.refusedSinceMs ?? record.beganMs;
  // A time in the future was written by another clock.
  const refusedMs = sinceMs > nowMs ? Infinity : nowMs - sinceMs;
  if (refusedMs < LIMITS.refusedEvictionMs) return [];
  const code = codeOf(refused);
  const budgets = (refused.budget ?? '')
    .split(', ')
    .flatMap((name) => snapshot.get(budgetKind, { name, namespace: refused.namespace }) ?? []);
  const hasFailedAttempt = record.lastError !== undefined || record.attempts > 1;
  if (code === 'DrainBlocked' && !hasFailedAttempt && !budgets.some(neverAllows)) return [];
  const since = formatTimestamp(sinceMs);
  return [
    {
      code,
      cause: `the drain of node ${node.name} is blocked${overdueText(facts, node)}: ${whyText(code, refused, budgets)}`,
      about: aNode(node.name),
      pools: [node.pool],
      since,
      evidence: [
        annotation(
          aNode(node.name),
          annotations.drain,
          `attempt ${record.attempts}; eviction of pod ${refused.namespace}/${refused.pod} refused: ${refused.message}`,
          since,
        ),
        ...budgets.map(budgetEvidence),
      ],
      next: nextOf(code, refused, node.name),
    },
  ];
}

function codeOf({ budget, message }: DrainRefusal): string {
  if (/more than one PodDisruptionBudget/i.test(message)) return 'SeveralBudgets';
  return budget === undefined || !/disruption budget/i.test(message) ? 'EvictionRefused' : 'DrainBlocked';
}

/** Not even with all of its pods healthy. */
function neverAllows(budget: PodDisruptionBudget): boolean {
  const [allowed, desired, expected] = ['disruptionsAllowed', 'desiredHealthy', 'expectedPods'].map((field) =>
    optionalNumberAt(budget, 'status', field),
  );
  return (
    allowed === 0 && desired !== undefined && expected !== undefined && expected > 0 && desired >= expected
  );
}

function whyText(
  code: string,
  { namespace, pod, budget, message }: DrainRefusal,
  budgets: readonly PodDisruptionBudget[],
): string {
  const subject = `pod ${namespace}/${pod}`;
  if (code === 'SeveralBudgets')
    return `${subject} has several PodDisruptionBudgets (${budget}), and Kubernetes evicts no such pod`;
  if (code === 'EvictionRefused') return `the API server refuses to evict ${subject}: ${message}`;
  const never = budgets.some(neverAllows) ? ', and can never allow one' : '';
  return `PodDisruptionBudget ${budget} allows no eviction of ${subject}${never}`;
}

function budgetEvidence(budget: PodDisruptionBudget): Evidence {
  const count = (field: string) => numberAt(budget, 'status', field);
  return {
    object: named(budgetKind.kind, budget),
    field: 'status.disruptionsAllowed',
    value: `${count('disruptionsAllowed')}; healthy: ${count('currentHealthy')} of ${count('expectedPods')}, desired: ${count('desiredHealthy')}`,
  };
}

function nextOf(
  code: string,
  { namespace, budget = '' }: DrainRefusal,
  node: string,
): readonly NextCommand[] {
  const names = budget.split(', ');
  if (code === 'EvictionRefused') {
    return [
      {
        command: 'kubectl get validatingadmissionpolicies,validatingwebhookconfigurations',
        why: 'who refuses it',
      },
      { command: shell`kubectl describe node ${node}`, why: 'the events of the drain' },
    ];
  }
  if (code === 'SeveralBudgets') {
    return [
      { command: shell`kubectl -n ${namespace} get pdb ${names}`, why: 'delete one, or narrow its selector' },
    ];
  }
  return [
    { command: shell`kubectl -n ${namespace} describe pdb ${names}`, why: 'what it demands' },
    {
      command: shell`kubectl -n ${namespace} get pods -o wide`,
      why: 'pods that are not ready; or scale the application up',
    },
  ];
}

function overdueText({ nowMs }: Facts, { node }: NodeFacts): string {
  const { overdueAfterMs } = DEFAULT_DRAIN_SETTINGS;
  return isDrainOverdue(node, nowMs, DEFAULT_DRAIN_SETTINGS)
    ? ` for more than ${spellDuration(overdueAfterMs)}`
    : '';
}

type FailedAttempt = DrainRecord & { readonly lastError: string };

/** The time of deletion of a pod is the end of its grace period. */
function lingering(facts: Facts, { name, pool }: NodeFacts, record: FailedAttempt): readonly Found[] {
  const { snapshot, nowMs } = facts;
  const pods = snapshot
    .all(podKind)
    .filter((pod) => stringAt(pod, 'spec', 'nodeName') === name && isLate(pod, nowMs));
  const [pod] = pods;
  if (pod === undefined) return [];
  const finalizers = stringsAt(pod, 'metadata', 'finalizers');
  const [namespace, podName] = [namespaceOf(pod), nameOf(pod)];
  const since = stringAt(pod, 'metadata', 'deletionTimestamp');
  const why =
    finalizers.length > 0 ? `finalizer ${finalizers.join(', ')} keeps it` : 'the kubelet does not end it';
  return [
    {
      code: 'PodNotTerminating',
      cause: `the drain of node ${name} waits for pod ${namespace}/${podName}, which should have ended: ${why}`,
      about: aNode(name),
      pools: [pool],
      since,
      evidence: [
        { object: named('Pod', pod), field: 'metadata.deletionTimestamp', value: since, since },
        ...(finalizers.length === 0
          ? []
          : [{ object: named('Pod', pod), field: 'metadata.finalizers', value: finalizers.join(', ') }]),
        annotation(
          aNode(name),
          annotations.drain,
          `attempt ${record.attempts}: ${record.lastError}`,
          record.attemptBeganMs,
        ),
      ],
      next: [
        {
          command: shell`kubectl -n ${namespace} get pod ${podName} -o yaml`,
          why: 'who has to remove the finalizer',
        },
        ...(objectsAt(pod, 'spec', 'volumes').some((volume) => 'persistentVolumeClaim' in volume)
          ? [{ command: 'kubectl get volumeattachments', why: 'volumes that do not detach' }]
          : []),
      ],
    },
  ];
}

function isLate(pod: Pod, nowMs: number): boolean {
  const deletedMs = parseTimestamp(stringAt(pod, 'metadata', 'deletionTimestamp'));
  return deletedMs !== undefined && nowMs - deletedMs >= LIMITS.restartMs;
}
