/**
 * The conditions of a MachineConfigNode about cordon, drain and uncordon.
 *
 * The only writer of a MachineConfigNode is the daemon of its node. The drain controller records everything on the Node
 * (`drain-state.ts`), from which the daemon computes these conditions whenever its node changes.
 *
 *     applied?    verb       UpdateExecuted   Cordoned   Drained      UpdateComplete   Uncordoned
 *     no, cannot be cordoned Unknown          Unknown
 *     no          drain      Unknown          True       Unknown
 *     yes         drain      Unknown          True       True
 *     yes, skipped           Unknown                     False
 *     no, cannot be uncordoned                                        Unknown          Unknown
 *     yes         uncordon                                            True             True
 *
 * Conditions that a row leaves empty keep their value.
 */
import type { Node } from '../kubernetes/types/index.ts';
import type { ConditionUpdate } from './condition-update.ts';
import { refusalText } from './drain-error.ts';
import type { DrainRecord } from './drain-record.ts';
import { drainState } from './drain-state.ts';
import { isCordoned } from './node-state.ts';

type DrainConditions = {
  /** The phase to which the others belong. The daemon ignores it once it has moved on within that phase. */
  readonly phase: ConditionUpdate;
  readonly steps: readonly ConditionUpdate[];
};

/** `undefined` where no condition changes. */
export function drainConditions(node: Node): DrainConditions | undefined {
  const state = drainState(node);
  const { request, requested, applied, isPending, currentRecord: record } = state;
  if (request === undefined) return undefined;
  if (request.verb === 'uncordon') {
    const error = state.record?.cordonError;
    if (!isPending) return uncordoned(node);
    return error?.verb === 'uncordon' ? uncordonFailed(node, error.message) : undefined;
  }
  if (record === undefined) return undefined;
  if (record.isSkipped) return NOT_REQUIRED;
  if (!isPending) {
    return executing('Drained Node as part of update executed phase', {
      status: 'True',
      message: `Drained node. The drain is complete as the desired drainer matches current drainer: ${requested}`,
    });
  }
  if (isCordoned(node)) return draining(record, applied);
  // After an uncordon by someone else the conditions stay until the node is cordoned again.
  return record.cordonError?.verb === 'cordon' ? cordonFailed(node, record.cordonError.message) : undefined;
}

/** The message of an update that needs no drain. */
export const DRAIN_NOT_REQUIRED = 'Node Drain Not required for this update.';

const NOT_REQUIRED: DrainConditions = {
  phase: { type: 'UpdateExecuted', status: 'Unknown', reason: 'Drained', message: DRAIN_NOT_REQUIRED },
  steps: [{ type: 'Drained', status: 'False', reason: 'UpdateExecutedDrained', message: DRAIN_NOT_REQUIRED }],
};

function draining(record: DrainRecord, applied: string): DrainConditions {
  const error = record.lastRefusal === undefined ? record.lastError : refusalText(record.lastRefusal);
  const until = `The drain will not be complete until desired drainer ${record.request} matches current drainer ${applied}`;
  return error === undefined
    ? executing('Draining Node as part of update executed phase', {
        status: 'Unknown',
        message: `Draining node. ${until}`,
      })
    : executing('Node Drain has not succeeded', {
        status: 'Unknown',
        message: `Error: Node Drain has not succeeded. Error is: ${ended(error)} ${until}`,
      });
}

/** Another sentence follows. */
function ended(error: string): string {
  return /[.…]$/u.test(error) ? error : `${error}.`;
}

function executing(message: string, drained: Pick<ConditionUpdate, 'status' | 'message'>): DrainConditions {
  return {
    phase: { type: 'UpdateExecuted', status: 'Unknown', reason: 'Drained', message },
    steps: [
      {
        type: 'Cordoned',
        status: 'True',
        reason: 'UpdateExecutedCordoned',
        message: 'Cordoned node. The node is reporting Unschedulable = true',
      },
      { type: 'Drained', reason: 'UpdateExecutedDrained', ...drained },
    ],
  };
}

function cordonFailed(node: Node, error: string): DrainConditions {
  return {
    phase: {
      type: 'UpdateExecuted',
      status: 'Unknown',
      reason: 'Cordoned',
      message: 'Failed to Cordon Node as part of In progress update phase',
    },
    steps: [
      {
        type: 'Cordoned',
        status: 'Unknown',
        reason: 'UpdateExecutedCordoned',
        message: `Error: Failed to Cordon node. Error is ${error}, The node is reporting Unschedulable = ${isCordoned(node)}`,
      },
    ],
  };
}

function uncordonFailed(node: Node, error: string): DrainConditions {
  return {
    phase: {
      type: 'UpdateComplete',
      status: 'Unknown',
      reason: 'Uncordoned',
      message: 'Failed to Uncordon Node as part of completing upgrade phase',
    },
    steps: [
      {
        type: 'Uncordoned',
        status: 'Unknown',
        reason: 'UpdateCompleteUncordoned',
        message: `Error: Failed to UnCordon node. Error is: ${ended(error)} The node is reporting Unschedulable = ${isCordoned(node)}`,
      },
    ],
  };
}

/** A cordon that is not ours stays, as the message states. */
function uncordoned(node: Node): DrainConditions {
  return {
    phase: {
      type: 'UpdateComplete',
      status: 'True',
      reason: 'Uncordoned',
      message: 'Uncordoned Node as part of completing upgrade phase',
    },
    steps: [
      {
        type: 'Uncordoned',
        status: 'True',
        reason: 'UpdateCompleteUncordoned',
        message: `UnCordoned node. The node is reporting Unschedulable = ${isCordoned(node)}`,
      },
    ],
  };
}
