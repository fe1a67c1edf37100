/**
 * Takes up the request of an administrator to try again; when that is done is decided in `decide-retry.ts`.
 */
import { after } from '../../../kubernetes/client/index.ts';
import type { DaemonContext } from '../context.ts';
import { writeJournal } from '../journal.ts';
import type { Memory, Observation } from '../observe.ts';
import { rest, type TickOutcome } from '../outcome.ts';
import { emitRetried } from '../update-events.ts';
import type { RetryDecision } from './decide-retry.ts';

/** Returns to the loop, which then counts failures from one again. */
export async function beginRetry(
  context: DaemonContext,
  memory: Memory,
  { snapshot, decision }: { readonly snapshot: Observation; readonly decision: RetryDecision },
): Promise<TickOutcome> {
  const { request, isForced, journal } = decision;
  const what = isForced ? 'to apply its whole config again and reboot' : 'to try again at once';
  context.log.line(`An administrator asks this node ${what} (${request})`);
  emitRetried(context, snapshot.node, `An administrator asks this node ${what}`);
  if (journal !== undefined) await writeJournal(context.host, journal);
  memory.pullAtMs = undefined;
  memory.fetchTries = 0;
  memory.fetchAtMs = undefined;
  memory.isValidated = false;
  memory.retried = request;
  return rest([], after(0, 'to try again'));
}
