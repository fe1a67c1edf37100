/**
 * What an uninstallation changes on a Node: pods may run on it again, and nothing asks for a drain any more.
 *
 * Only a cordon of our own is removed. The names of the node's configs stay, so that a later installation finds the node as it
 * was left, unless the configs themselves are deleted. The drain handshake goes in any case: a daemon that is installed again must
 * not take the node for drained.
 */
import { annotations, keyRegister } from '../api/index.ts';
import { annotationOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { isCordonedByUs, isDone, taintsWhenSent } from '../rollout/index.ts';

type NodeRelease = {
  /** A merge patch, guarded by the version of the Node that it was decided for. */
  readonly patch: object;
  /** What it does, for the report: `uncordoned`. */
  readonly changes: readonly string[];
};

const DRAIN_KEYS = [annotations.desiredDrain, annotations.lastAppliedDrain, annotations.drain] as const;
const NODE_KEYS: readonly string[] = Object.values(keyRegister.annotations)
  .filter(({ on, writer }) => on.some((kind) => kind === 'Node') && writer !== 'user' && writer !== 'author')
  .map(({ key }) => key);

/** `areConfigsDeleted`: with their CRDs. `undefined` where there is nothing to do. */
export function releaseNode(
  node: Node,
  { areConfigsDeleted }: { readonly areConfigsDeleted: boolean },
): NodeRelease | undefined {
  const keys = (areConfigsDeleted ? NODE_KEYS : DRAIN_KEYS).filter(
    (key) => annotationOf(node, key) !== undefined,
  );
  const taints = taintsWhenSent(node);
  const isUncordoned = isCordonedByUs(node);
  if (keys.length === 0 && taints === undefined && !isUncordoned) return undefined;
  const { resourceVersion } = node.metadata;
  return {
    patch: {
      metadata: {
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...(keys.length === 0 ? {} : { annotations: Object.fromEntries(keys.map((key) => [key, null])) }),
      },
      ...(taints === undefined && !isUncordoned
        ? {}
        : {
            spec: {
              ...(isUncordoned ? { unschedulable: null } : {}),
              ...(taints === undefined ? {} : { taints }),
            },
          }),
    },
    changes: [
      ...(isUncordoned ? ['uncordoned'] : []),
      ...(taints === undefined ? [] : ['taint UpdateInProgress removed']),
      ...(keys.length === 0 ? [] : [areConfigsDeleted ? 'annotations removed' : 'drain request removed']),
    ],
  };
}

/** The config to which the node was being updated; undefined where it has it. */
export function unfinishedUpdate(node: Node): string | undefined {
  const desired = annotationOf(node, annotations.desiredConfig) ?? '';
  return desired === '' || isDone(node) ? undefined : desired;
}
