/**
 * What a MachineConfigNode says of cordon, drain and uncordon.
 *
 * The drain controller never writes a MachineConfigNode: its node's daemon does, alone. All that the controller has to say
 * is on the Node (`desiredDrain`, `lastAppliedDrain`, the drain record), so the daemon computes these conditions from there
 * whenever its node changes.
 *
 *     answered?   verb       UpdateExecuted   Cordoned   Drained      UpdateComplete   Uncordoned
 *     no          drain      Unknown          True       Unknown
 *     yes         drain      Unknown          True       True
 *     yes, skipped           Unknown                     False
 *     yes         uncordon                                            True             True
 *
 * What is not in a row is not touched by it: the daemon keeps what it said before.
 */

import { annotations, parseDrainRequest } from '../api/index.ts';
import { annotationOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { refusalText } from './drain-error.ts';
import { type DrainRecord, drainRecordOf } from './drain-record.ts';
import { isCordoned } from './node-state.ts';
import type { Saying } from './saying.ts';

type DrainConditions = {
  /** The phase to which the others belong. Once the daemon has gone on with that phase, its own words count. */
  readonly phase: Saying;
  readonly steps: readonly Saying[];
};

/** `undefined` while there is nothing to say. */
export function drainConditions(node: Node): DrainConditions | undefined {
  const asked = annotationOf(node, annotations.desiredDrain) ?? '';
  const answered = annotationOf(node, annotations.lastAppliedDrain) ?? '';
  const request = parseDrainRequest(asked);
  if (request === undefined) return undefined;
  if (request.verb === 'uncordon') return asked === answered ? uncordoned(node) : undefined;
  const record = drainRecordOf(node);
  if (record?.request !== asked) return undefined;
  if (record.isSkipped) return NOT_REQUIRED;
  if (asked === answered) {
    return executing('Drained Node as part of update executed phase', {
      status: 'True',
      message: `Drained node. The drain is complete as the desired drainer matches current drainer: ${asked}`,
    });
  }
  // Between somebody's uncordon and our next cordon there is nothing new to say.
  return isCordoned(node) ? draining(record, answered) : undefined;
}

/** What the daemon says of an update that needs no drain. */
export const DRAIN_NOT_REQUIRED = 'Node Drain Not required for this update.';

const NOT_REQUIRED: DrainConditions = {
  phase: { type: 'UpdateExecuted', status: 'Unknown', reason: 'Drained', message: DRAIN_NOT_REQUIRED },
  steps: [{ type: 'Drained', status: 'False', reason: 'UpdateExecutedDrained', message: DRAIN_NOT_REQUIRED }],
};

function draining(record: DrainRecord, answered: string): DrainConditions {
  const error = record.lastRefusal === undefined ? record.lastError : refusalText(record.lastRefusal);
  const until = `The drain will not be complete until desired drainer ${record.request} matches current drainer ${answered}`;
  return error === undefined
    ? executing('Draining Node as part of update executed phase', {
        status: 'Unknown',
        message: `Draining node. ${until}`,
      })
    : executing('Node Drain has not succeeded', {
        status: 'Unknown',
        message: `Error: Node Drain has not succeeded. Error is: ${error} ${until}`,
      });
}

function executing(message: string, drained: Pick<Saying, 'status' | 'message'>): DrainConditions {
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

/** A cordon of somebody else stays; then the node says so. */
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
