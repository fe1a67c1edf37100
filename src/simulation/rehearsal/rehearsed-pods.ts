/**
 * The pods of a snapshot that a drain depends on. Those that no budget protects end without being refused: of them a node keeps the one that
 * takes longest, since they end at the same time.
 *
 * Their controllers become ReplicaSets, whatever they are: a budget asks for nothing but their number.
 */
import { APP_LABEL, NAMESPACE, OPERATOR_APP } from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import type { ClusterSnapshot } from '../../insight/index.ts';
import { matchesSelector, nameOf, namespaceOf } from '../../kubernetes/meta/index.ts';
import {
  type DaemonSet,
  type Pod,
  type PodDisruptionBudget,
  podDisruptionBudget as podDisruptionBudgetKind,
  pod as podKind,
  type ReplicaSet,
} from '../../kubernetes/types/index.ts';

export type RehearsedPods = {
  readonly pods: readonly Pod[];
  readonly budgets: readonly PodDisruptionBudget[];
  readonly sets: readonly ReplicaSet[];
  readonly daemonSets: readonly DaemonSet[];
  /** Of all of them. */
  readonly namespaces: readonly string[];
  /** Keys of pods that are not ready now, and stay so. */
  readonly unready: ReadonlySet<string>;
  /** Uids of controllers that replace a pod once it is gone; the others do as soon as it is to end. */
  readonly replacedOnceGone: ReadonlySet<string>;
};

type OwnerReference = NonNullable<Pod['metadata']['ownerReferences']>[number];

type Circumstances = {
  /** Of the components. */
  readonly namespace: string;
  readonly nodes: ReadonlySet<string>;
};

export function podKey(pod: Pod): string {
  return `${namespaceOf(pod)}/${nameOf(pod)}`;
}

export function rehearsedPods(snapshot: ClusterSnapshot, { namespace, nodes }: Circumstances): RehearsedPods {
  const budgets = snapshot.all(podDisruptionBudgetKind);
  const alive = snapshot.all(podKind).filter(isRunning);
  const running = alive.filter((pod) => nodes.has(pod.spec?.nodeName ?? ''));
  const isGuarded = guardOf(budgets);
  const guarded = running.filter(isGuarded);
  const others = running.filter((pod) => !isGuarded(pod) && ownerOf(pod)?.kind !== 'DaemonSet');
  const isOperator = (pod: Pod) =>
    namespaceOf(pod) === namespace && pod.metadata.labels?.[APP_LABEL] === OPERATOR_APP;
  const operators = others.filter(isOperator).map((pod) => inNamespace(pod, NAMESPACE));
  const kept = [...guarded, ...operators, ...slowestByNode(others.filter((pod) => !isOperator(pod)))];
  const owned = kept.map((pod) => ({ pod, owner: ownerOf(pod) }));
  const controllers = new Map(
    owned.flatMap(({ pod, owner }) =>
      owner === undefined || owner.kind === 'DaemonSet' ? [] : [[owner.uid, { pod, owner }] as const],
    ),
  );
  // Also those that run nowhere: a budget counts them as missing.
  const replicas = new Map<string, number>();
  for (const { uid } of alive.flatMap((pod) => ownerOf(pod) ?? []))
    replicas.set(uid, (replicas.get(uid) ?? 0) + 1);
  return {
    pods: owned.map(({ pod, owner }) => bare(pod, owner)),
    budgets: budgets.map(({ status: _, ...budget }) => withoutHistory(budget)),
    sets: [...controllers.values()].map(({ pod, owner }) => setOf(pod, owner, replicas.get(owner.uid) ?? 1)),
    daemonSets: owned.flatMap(({ pod, owner }) =>
      owner?.kind === 'DaemonSet' ? [daemonSetOf(pod, owner)] : [],
    ),
    namespaces: [...new Set([...kept, ...budgets].map(namespaceOf))].sort(compareBytes),
    unready: new Set(kept.filter((pod) => !isReady(pod)).map(podKey)),
    replacedOnceGone: new Set(
      [...controllers.values()].flatMap(({ owner }) => (isReplacedOnceGone(owner) ? [owner.uid] : [])),
    ),
  };
}

function isRunning({ status, metadata }: Pod): boolean {
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  const isStatic = metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;
  return !isOver && !isStatic && metadata.deletionTimestamp === undefined;
}

function isReady({ status }: Pod): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  // Manifests have no status.
  return status?.phase === undefined || ready?.status === 'True';
}

function guardOf(budgets: readonly PodDisruptionBudget[]): (pod: Pod) => boolean {
  const byNamespace = new Map<string, PodDisruptionBudget[]>();
  for (const budget of budgets) {
    const some = byNamespace.get(namespaceOf(budget)) ?? [];
    byNamespace.set(namespaceOf(budget), [...some, budget]);
  }
  return (pod) =>
    (byNamespace.get(namespaceOf(pod)) ?? []).some((budget) =>
      matchesSelector(budget.spec?.selector, pod.metadata.labels),
    );
}

/** As the API server would set it. */
const USUAL_GRACE_SECONDS = 30;

function graceOf({ spec }: Pod): number {
  return spec.terminationGracePeriodSeconds ?? USUAL_GRACE_SECONDS;
}

function slowestByNode(pods: readonly Pod[]): readonly Pod[] {
  const slowest = new Map<string, Pod>();
  for (const pod of pods) {
    const node = pod.spec.nodeName ?? '';
    const known = slowest.get(node);
    if (known === undefined || graceOf(pod) > graceOf(known)) slowest.set(node, pod);
  }
  return [...slowest.values()];
}

function inNamespace(pod: Pod, namespace: string): Pod {
  return { ...pod, metadata: { ...pod.metadata, namespace } };
}

/** A StatefulSet has to: the name is the same. Of controllers that are not known it is assumed. */
function isReplacedOnceGone({ kind }: OwnerReference): boolean {
  return !['ReplicaSet', 'ReplicationController', 'Job'].includes(kind);
}

function ownerOf(pod: Pod): OwnerReference | undefined {
  return pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** What a drain, a budget and the choice of another node depend on. */
function bare(pod: Pod, owner: OwnerReference | undefined): Pod {
  const { name, namespace = '', labels, annotations, uid } = pod.metadata;
  const { nodeName = '', nodeSelector, tolerations } = pod.spec;
  return {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: {
      ...{ name, namespace, uid: uid ?? `uid-of-pod-${namespace}-${name}` },
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(owner === undefined ? {} : { ownerReferences: [asSetReference(owner)] }),
    },
    spec: {
      ...{ nodeName, containers: [{ name: 'app', image: 'app' }] },
      terminationGracePeriodSeconds: graceOf(pod),
      ...(nodeSelector === undefined ? {} : { nodeSelector }),
      ...(tolerations === undefined ? {} : { tolerations }),
    },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] },
  };
}

function asSetReference(owner: OwnerReference): OwnerReference {
  if (owner.kind === 'DaemonSet') return owner;
  return { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner.name, uid: owner.uid, controller: true };
}

function setOf(pod: Pod, owner: OwnerReference, replicas: number): ReplicaSet {
  const labels = pod.metadata.labels ?? {};
  return {
    ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet' },
    metadata: { name: owner.name, namespace: namespaceOf(pod), uid: owner.uid },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app' }] } },
    },
  };
}

function daemonSetOf(pod: Pod, owner: OwnerReference): DaemonSet {
  const labels = pod.metadata.labels ?? {};
  return {
    ...{ apiVersion: 'apps/v1', kind: 'DaemonSet' },
    metadata: { name: owner.name, namespace: namespaceOf(pod), uid: owner.uid },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app' }] } },
    },
  };
}

function withoutHistory(budget: PodDisruptionBudget): PodDisruptionBudget {
  const { resourceVersion: _, managedFields: _fields, ...metadata } = budget.metadata;
  const { name, namespace = '', uid = `uid-of-budget-${namespace}-${name}` } = metadata;
  return { ...budget, metadata: { ...metadata, uid } };
}
