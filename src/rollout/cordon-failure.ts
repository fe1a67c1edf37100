/**
 * Reports on the node that it could not be cordoned or uncordoned: the reason may be an admission policy, or missing
 * permissions, and the drain cannot begin before an administrator has removed it.
 *
 * The annotation is written without the cordon, so it may succeed where the cordon was refused. A failure that persists is
 * not repeated.
 */
import { annotations } from '../api/index.ts';
import { nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { asRecordedText, type DrainRecord, formatDrainRecord } from './drain-record.ts';
import { drainState } from './drain-state.ts';
import type { EvictionReport } from './eviction/eviction-report.ts';

type FailedCordon = {
  /** Of the server. */
  readonly error: string;
  /** How often it was tried before it is reported. */
  readonly tries: number;
  readonly nowMs: number;
};

const REASONS = { drain: 'FailedToCordon', uncordon: 'FailedToUncordon' } as const;

/** `undefined` where nothing is requested, or this is reported already. */
export function cordonFailure(node: Node, { error, tries, nowMs }: FailedCordon): EvictionReport | undefined {
  const { request, requested, record, currentRecord } = drainState(node);
  if (request === undefined) return undefined;
  const verb = request.verb === 'drain' ? 'cordon' : 'uncordon';
  const message = asRecordedText(`node ${nameOf(node)}: failed to ${verb} (${tries} tries): ${error}`);
  const known = verb === 'cordon' ? currentRecord : record;
  if (known?.cordonError?.verb === verb && known.cordonError.message === message) return undefined;
  const next: DrainRecord = {
    ...(known ?? {
      request: requested,
      // A node whose cordon fails is not cordoned; one whose uncordon fails has our cordon.
      cordonedBy: verb === 'cordon' ? 'nobody' : 'millwright',
      beganMs: nowMs,
      attempts: 0,
      attemptBeganMs: nowMs,
    }),
    cordonError: { verb, message },
  };
  return {
    change: { annotations: { [annotations.drain]: formatDrainRecord(next) } },
    events: [{ type: 'Warning', reason: REASONS[request.verb], message, isAdditional: true }],
  };
}
