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
import { drainState, isCordonedByUs, isDone, taintsWhenSent } from '../rollout/index.ts';

type NodeRelease = {
  /** A merge patch, guarded by the version of the Node that it was decided for. */
  readonly patch: object;
  /** What it does, for the report. */
  readonly changes: readonly Change[];
};

/** Once it is done, and before: `uncordoned`, `uncordon it`. */
type Change = { readonly done: string; readonly planned: string };

const UNCORDON: Change = { done: 'uncordoned', planned: 'uncordon it' };

const removing = (what: string): Change => ({ done: `${what} removed`, planned: `remove the ${what}` });

const DRAIN_KEYS = [annotations.desiredDrain, annotations.lastAppliedDrain, annotations.drain] as const;
/** A later installation must not follow a request of today: it might reboot the node. */
const REQUEST_KEYS = [...DRAIN_KEYS, annotations.retry] as const;
const NODE_KEYS: readonly string[] = Object.values(keyRegister.annotations)
  .filter(({ on, writer }) => on.some((kind) => kind === 'Node') && writer !== 'user' && writer !== 'author')
  .map(({ key }) => key)
  .concat(annotations.retry);

/** `areConfigsDeleted`: with their CRDs. `undefined` where there is nothing to do. */
export function releaseNode(
  node: Node,
  { areConfigsDeleted }: { readonly areConfigsDeleted: boolean },
): NodeRelease | undefined {
  const keys = (areConfigsDeleted ? NODE_KEYS : REQUEST_KEYS).filter(
    (key) => annotationOf(node, key) !== undefined,
  );
  const taints = taintsWhenSent(node);
  const isUncordoned = isCordonedByUs(node);
  // After an update the annotations of the handshake stay, with its last request: to uncordon.
  const isDrained = drainState(node).request?.verb === 'drain';
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
      ...(isUncordoned ? [UNCORDON] : []),
      ...(taints === undefined ? [] : [removing('taint UpdateInProgress')]),
      ...(isDrained ? [removing('drain request')] : []),
      ...(areConfigsDeleted && keys.length > 0 ? [removing('annotations')] : []),
      ...(areConfigsDeleted || !keys.includes(annotations.retry) ? [] : [removing('request to try again')]),
      ...(areConfigsDeleted || isDrained || !keys.some(isDrainKey)
        ? []
        : [removing('record of its last drain')]),
    ],
  };
}

function isDrainKey(key: string): boolean {
  return DRAIN_KEYS.some((one) => one === key);
}

/** The config to which the node was being updated; undefined where it has it. */
export function unfinishedUpdate(node: Node): string | undefined {
  const desired = annotationOf(node, annotations.desiredConfig) ?? '';
  return desired === '' || isDone(node) ? undefined : desired;
}
