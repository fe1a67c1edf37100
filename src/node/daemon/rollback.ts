/**
 * Rolling back an update that failed, or whose config is no longer desired. The steps are undone one by one (`run-step.ts`);
 * where the new OS has booted, the rollback ends with a boot into the previous one.
 */
import { annotations } from '../../api/index.ts';
import { rebootRationale } from '../report/index.ts';
import { ANOTHER_CONFIG } from './decide.ts';
import { protectFiles, unprotectFiles } from './etc-merge.ts';
import { stateOfKind, writeJournal } from './journal.ts';
import { closeJournal } from './open-journal.ts';
import { again, failed, rest, type TickOutcome } from './outcome.ts';
import { CURRENT_CONFIG } from './state-paths.ts';
import { forgetStaleOriginals } from './step-files.ts';
import { storeConfig } from './stored-config.ts';
import { type ActiveUpdate, configsOf } from './update-actions.ts';
import { emitUnprotected } from './update-events.ts';

export async function beginRollback({ context, journal }: ActiveUpdate): Promise<TickOutcome> {
  const { host, log } = context;
  const { failure } = journal;
  if (failure === undefined) log.line(`Rolling back the update to ${journal.to.config}: ${ANOTHER_CONFIG}`);
  else log.error(`Rolling back the update to ${journal.to.config}: ${failure.error}`);
  await writeJournal(host, { ...journal, phase: 'undoing', lostBoots: 0 });
  if (failure === undefined) return again();
  const outcome = again({ kind: 'failed', ...failure, rollback: 'begun' });
  // The machine has refused the announced reboot.
  const isRebootRefused = stateOfKind(journal, 'reboot') === 'begun';
  return isRebootRefused ? { ...outcome, annotations: { [annotations.postConfigAction]: '' } } : outcome;
}

export async function rebootToPrevious(update: ActiveUpdate): Promise<TickOutcome> {
  const { context, memory, journal } = update;
  const { host, log } = context;
  await protectFiles(context, (await configsOf(update)).from);
  const rationale = rebootRationale(journal.plan.from);
  log.system(`initiating reboot: ${rationale}`);
  await host.reboot(rationale);
  memory.isRebootRequested = true;
  return rest();
}

/** Everything is undone. The failure is reported again, and the update retried later. */
export async function finishRollback(update: ActiveUpdate): Promise<TickOutcome> {
  const { context, snapshot, journal } = update;
  const { from, to } = await configsOf(update);
  await unprotectFiles(context, from);
  if (journal.hadConfig && (await context.host.files.stat(CURRENT_CONFIG)) === undefined) {
    await storeConfig(context.host, from);
  }
  await forgetStaleOriginals(context, { from: to, to: from });
  await closeJournal(context, journal, { hasSucceeded: false });
  emitUnprotected(context, snapshot.node);
  const { failure } = journal;
  if (failure === undefined) return again();
  const { metrics, env } = context;
  metrics.set('mcd_update_state', Math.floor(env.clock.now() / 1000), { config: '', err: failure.error });
  return failed({ ...failure, rollback: 'done' });
}
