/**
 * Deletion of a namespace: its pods first, then everything else, and finally its finalizer.
 */

import { formatTimestamp } from '../../base/text/index.ts';
import type { AnyObject, ResourceOf } from '../../kubernetes/client/index.ts';
import type { Namespace } from '../../kubernetes/types/index.ts';
import { namespace as namespaceResource } from '../../kubernetes/types/index.ts';
import { remove, update, type Write } from './writes.ts';

/** Objects of one kind in the namespace. */
export type Contents = {
  readonly resource: ResourceOf<AnyObject>;
  readonly objects: readonly AnyObject[];
};

const FINALIZER = 'kubernetes';

/** Whether the namespace is terminating and not finalized. */
export function isToBeEmptied({ metadata, spec }: Namespace): boolean {
  return metadata.deletionTimestamp !== undefined && spec?.finalizers?.includes(FINALIZER) === true;
}

/** The objects to delete now. Terminating ones are waited for. */
export function decideContents(contents: readonly Contents[]): readonly Write[] {
  const filled = contents.filter(({ objects }) => objects.length > 0);
  const pods = filled.filter(({ resource }) => resource.group === '' && resource.plural === 'pods');
  // Pods may need other objects until they have ended.
  return (pods.length > 0 ? pods : filled).flatMap(({ resource, objects }) =>
    objects
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map((object) => remove(resource, object, 'Background')),
  );
}

/** Removes the finalizer of an empty namespace. */
export function finalized(one: Namespace): Write {
  const finalizers = (one.spec?.finalizers ?? []).filter((name) => name !== FINALIZER);
  return update(namespaceResource, { ...one, spec: { ...one.spec, finalizers } }, 'finalize');
}

type Conditions = NonNullable<NonNullable<Namespace['status']>['conditions']>;
type ConditionText = { readonly reason: string; readonly message: string };

type NamespaceView = {
  readonly contents: readonly Contents[];
  /** Messages of rejected deletions. */
  readonly refusals: readonly string[];
  readonly nowMs: number;
};

/** The conditions of a terminating namespace, always all of them. */
export function namespaceConditions({ status }: Namespace, view: NamespaceView): Conditions {
  const before = status?.conditions ?? [];
  const holding = whatHolds(view);
  const ours = Object.entries(FINE).map(([type, fine]) => {
    const held = holding.get(type);
    const known = before.find((one) => one.type === type);
    const is = held === undefined ? 'False' : 'True';
    const isSame = known?.status === is && known.lastTransitionTime !== undefined;
    const lastTransitionTime = isSame ? known.lastTransitionTime : formatTimestamp(view.nowMs);
    return { type, status: is, lastTransitionTime, ...(held ?? fine) };
  });
  return [...before.filter(({ type }) => !Object.hasOwn(FINE, type)), ...ours];
}

const FINE: { readonly [type: string]: ConditionText } = {
  NamespaceDeletionDiscoveryFailure: {
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  NamespaceDeletionGroupVersionParsingFailure: {
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  NamespaceDeletionContentFailure: {
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  NamespaceContentRemaining: { reason: 'ContentRemoved', message: 'All content successfully removed' },
  NamespaceFinalizersRemaining: {
    reason: 'ContentHasNoFinalizers',
    message: 'All content-preserving finalizers finished',
  },
};

function whatHolds({ contents, refusals }: NamespaceView): ReadonlyMap<string, ConditionText> {
  const holding = new Map<string, ConditionText>();
  const remaining = contents
    .filter(({ objects }) => objects.length > 0)
    .map(
      ({ resource, objects }) =>
        `${resource.plural}.${resource.group} has ${objects.length} resource instances`,
    );
  const finalizers = new Map<string, number>();
  for (const { metadata } of contents.flatMap(({ objects }) => objects)) {
    for (const name of metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
  }
  const held = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`);
  if (refusals.length > 0) {
    const why = [...refusals].sort().join(', ');
    const message = `Failed to delete all resource types, ${refusals.length} remaining: ${why}`;
    holding.set('NamespaceDeletionContentFailure', { reason: 'ContentDeletionFailed', message });
  }
  if (remaining.length > 0) {
    const message = `Some resources are remaining: ${remaining.sort().join(', ')}`;
    holding.set('NamespaceContentRemaining', { reason: 'SomeResourcesRemain', message });
  }
  if (held.length > 0) {
    const message = `Some content in the namespace has finalizers remaining: ${held.sort().join(', ')}`;
    holding.set('NamespaceFinalizersRemaining', { reason: 'SomeFinalizersRemain', message });
  }
  return holding;
}
