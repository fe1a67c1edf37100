/**
 * The ReplicaSets of a Deployment: one per template, numbered by revision.
 */

import { jsonEqual } from '../../../base/json.ts';
import type { Deployment, PodTemplateSpec, ReplicaSet } from '../../../kubernetes/types/index.ts';
import { deployment as deploymentResource } from '../../../kubernetes/types/index.ts';
import { DESIRED_REPLICAS, MAX_REPLICAS, REVISION, REVISION_HISTORY } from './deployment-annotations.ts';
import { maxSurgeOf } from './deployment-sizes.ts';
import { controllerReference } from './ownership.ts';
import { byAge, compareAge } from './replica-set-age.ts';
import { templateHash } from './template-hash.ts';

const HASH_LABEL = 'pod-template-hash';
/** Annotations that a set does not inherit from its Deployment. */
const OWN_ANNOTATIONS: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
]);
const MAX_HISTORY_CHARS = 2000;

type Annotations = { readonly [key: string]: string };

/** The set with the current template; the oldest if there are several. */
export function currentSet({ spec }: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  const wanted = withoutHash(spec.template);
  return byAge(sets).find((set) => jsonEqual(withoutHash(set.spec.template), wanted));
}

/** The sets with the lowest revisions beyond revisionHistoryLimit, unless they have or want pods. */
export function outdatedSets({ spec }: Deployment, old: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const limit = spec.revisionHistoryLimit ?? MAX_INT32;
  const there = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const surplus = Math.max(0, there.length - limit);
  return there
    .toSorted((a, b) => revisionOf(a) - revisionOf(b) || compareAge(a, b))
    .slice(0, surplus)
    .filter(isEmpty);
}

const MAX_INT32 = 2 ** 31 - 1;

function isEmpty({ metadata, spec, status }: ReplicaSet): boolean {
  const isSettled = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
  return spec.replicas === 0 && (status?.replicas ?? 0) === 0 && isSettled;
}

/** The revision of the current set: above all others. */
export function nextRevision(old: readonly ReplicaSet[]): number {
  return Math.max(0, ...old.map(revisionOf)) + 1;
}

function revisionOf({ metadata }: ReplicaSet): number {
  const revision = Number(metadata.annotations?.[REVISION] ?? 0);
  return Number.isSafeInteger(revision) ? revision : 0;
}

/** A new set for the current template, without a size. */
export function newSet(deployment: Deployment, revision: number): ReplicaSet {
  const { metadata, spec, status } = deployment;
  const hash = templateHash(spec.template, status?.collisionCount);
  const labels = { ...spec.template.metadata?.labels, [HASH_LABEL]: hash };
  const { selector, template, minReadySeconds } = spec;
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name}-${hash}`,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels,
      annotations: { ...takenOver(deployment), [REVISION]: String(revision), ...sizeAnnotations(deployment) },
      ownerReferences: [controllerReference(deploymentResource, deployment)],
    },
    spec: {
      replicas: 0,
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** The annotations about desired and maximum replicas. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const replicas = deployment.spec.replicas ?? 1;
  return { [DESIRED_REPLICAS]: String(replicas), [MAX_REPLICAS]: String(replicas + maxSurgeOf(deployment)) };
}

/** The current set with the annotations and revision of its Deployment, its size unchanged. */
export function renewedSet(set: ReplicaSet, deployment: Deployment, revision: number): ReplicaSet {
  const before = set.metadata.annotations ?? {};
  const taken = { ...before, ...takenOver(deployment) };
  const annotations = revisionOf(set) < revision ? withRevision(taken, before[REVISION], revision) : taken;
  const { minReadySeconds } = deployment.spec;
  const renewed = {
    ...set,
    metadata: { ...set.metadata, annotations },
    spec: { ...set.spec, ...(minReadySeconds === undefined ? {} : { minReadySeconds }) },
  };
  return jsonEqual(renewed, set) ? set : renewed;
}

function takenOver({ metadata }: Deployment): Annotations {
  const entries = Object.entries(metadata.annotations ?? {});
  return Object.fromEntries(entries.filter(([key]) => !OWN_ANNOTATIONS.has(key)));
}

/** A reused template gets a new revision; its earlier ones are recorded. */
function withRevision(annotations: Annotations, had: string | undefined, revision: number): Annotations {
  const renewed = { ...annotations, [REVISION]: String(revision) };
  if (had === undefined) return renewed;
  const { [REVISION_HISTORY]: past = '' } = annotations;
  let history = [...past.split(',').filter((one) => one !== ''), had];
  while (history.join(',').length > MAX_HISTORY_CHARS) history = history.slice(1);
  return { ...renewed, [REVISION_HISTORY]: history.join(',') };
}

function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  const { [HASH_LABEL]: _hash, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}
