/**
 * The actions of an update in progress, from its drain to its end. Each records in the journal what it begins and what it has
 * completed; which one is next is decided in `decide.ts`.
 */
import { Failure } from '../../base/errors.ts';
import { spellDuration } from '../../base/text/index.ts';
import { drainState } from '../../rollout/index.ts';
import type { ConfigName, NodeConfig } from '../plan/index.ts';
import { type ProgressEvent, rebootRationale } from '../report/index.ts';
import type { DaemonContext } from './context.ts';
import type { Decision, UpdateDecision } from './decide.ts';
import { protectFiles, unprotectFiles } from './etc-merge.ts';
import { removeFetchNote } from './fetcher.ts';
import { fetchedImage, indexOfKind, type Journal, withStep, writeJournal } from './journal.ts';
import { knownAnnotations, type Memory, type Observation } from './observe.ts';
import { closeJournal, retireInitialAnnotations } from './open-journal.ts';
import { again, failed, onceReported, rest, type TickOutcome } from './outcome.ts';
import { forceText } from './retry/decide-retry.ts';
import { CURRENT_CONFIG } from './state-paths.ts';
import { forgetStaleOriginals, prepareFiles } from './step-files.ts';
import { storeConfig } from './stored-config.ts';
import { emitUnprotected } from './update-events.ts';

export type ActiveUpdate = {
  readonly context: DaemonContext;
  readonly memory: Memory;
  readonly snapshot: Observation;
  readonly journal: Journal;
};

type Of<Kind extends UpdateDecision['kind']> = Extract<UpdateDecision, { readonly kind: Kind }>;

export async function requestDrain(
  { context, snapshot, journal }: ActiveUpdate,
  { config }: Of<'request-drain'>,
): Promise<TickOutcome> {
  const { host, log } = context;
  log.system('Update prepared; requesting cordon and drain via annotation to controller');
  await writeJournal(host, { ...journal, askedMs: snapshot.nowMs });
  const image = fetchedImage(journal);
  const fetched: readonly ProgressEvent[] = image === undefined ? [] : [{ kind: 'fetched', image }];
  return onceReported(...fetched, { kind: 'drain-requested', config });
}

/** Once that is answered, the drain is requested anew. */
export async function withdrawDrain(
  { context, snapshot, journal }: ActiveUpdate,
  { config }: Of<'withdraw-drain'>,
): Promise<TickOutcome> {
  const { host, log } = context;
  log.warn('the drained node was uncordoned before its update has ended; requesting another drain');
  await writeJournal(host, { ...journal, askedMs: snapshot.nowMs });
  return onceReported({ kind: 'drain-withdrawn', config });
}

export async function completeDrain(
  { context, snapshot, journal }: ActiveUpdate,
  index: number,
): Promise<TickOutcome> {
  const { host, log, env } = context;
  const record = snapshot.node === undefined ? undefined : drainState(snapshot.node).record;
  if (journal.askedMs === undefined) log.system('drain is already completed on this node');
  else if (record?.isSkipped === true) log.system('Drain not required, skipping');
  else {
    log.system('drain complete');
    const seconds = Math.max(0, Math.round((env.clock.now() - journal.askedMs) / 1000));
    log.line(`Successful drain took ${seconds} seconds`);
  }
  await writeJournal(host, withStep(journal, index, 'done'));
  return again({ kind: 'drain-progressed' });
}

/** The last action before anything is changed. */
export async function beginApply(update: ActiveUpdate): Promise<TickOutcome> {
  const { context, journal } = update;
  const { from, to } = await configsOf(update);
  if (journal.plan.steps.some(({ kind }) => kind === 'files')) await prepareFiles(context, { from, to });
  await writeJournal(context.host, { ...journal, phase: 'applying' });
  const { change } = journal.plan;
  const notRequired: readonly ProgressEvent[] =
    indexOfKind(journal, 'drain') === undefined ? [{ kind: 'drain-not-required' }] : [];
  return again(...notRequired, { kind: 'applying', change });
}

/** Reported before it happens: the daemon ends with it. */
export async function announceReboot(update: ActiveUpdate, index: number): Promise<TickOutcome> {
  const { context, memory, snapshot, journal } = update;
  const { host, log } = context;
  if (indexOfKind(journal, 'os') !== undefined) await protectFiles(context, (await configsOf(update)).to);
  log.system(`Performing post config change action: Reboot for config ${journal.to.config}`);
  log.system('Rebooting node');
  await writeJournal(host, { ...withStep(journal, index, 'begun'), bootId: snapshot.bootId });
  memory.isRebootAnnounced = true;
  return again({ kind: 'rebooting', config: journal.to.config });
}

export async function reboot(
  { context, memory, snapshot, journal }: ActiveUpdate,
  { onRefusal }: Of<'reboot'>,
): Promise<TickOutcome> {
  const { host, log, metrics } = context;
  const rationale = rebootRationale(journal.to.config);
  emitUnprotected(context, snapshot.node);
  log.system(`initiating reboot: ${rationale}`);
  try {
    await host.reboot(rationale);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'cancelled') throw error;
    metrics.addRebootFailure();
    const failure = { error: error.message, phase: 'reboot' } as const;
    if (onRefusal === 'retry') return failed(failure);
    await writeJournal(host, { ...journal, failure });
    return again();
  }
  memory.isRebootRequested = true;
  log.system('reboot successful');
  return rest();
}

export async function completeReboot(update: ActiveUpdate, index: number): Promise<TickOutcome> {
  const { context, snapshot, journal } = update;
  const { to } = await configsOf(update);
  await unprotectFiles(context, to);
  // An image has the config that it was built with; with the image, the same file goes.
  if ((await context.host.files.stat(CURRENT_CONFIG)) === undefined) await storeConfig(context.host, to);
  await writeJournal(context.host, withStep({ ...journal, bootId: snapshot.bootId }, index, 'done'));
  context.log.line('Detected a new boot after the requested reboot');
  return again({ kind: 'rebooted' });
}

export async function restageOs(
  { context, snapshot, journal }: ActiveUpdate,
  { lostBoots, problem }: Of<'restage-os'>,
): Promise<TickOutcome> {
  const { host, log } = context;
  log.warn(`the machine booted without the staged OS, staging it again: ${problem}`);
  const begun = withOsBegun({ ...journal, bootId: snapshot.bootId, lostBoots });
  const reboot = indexOfKind(journal, 'reboot');
  await writeJournal(host, reboot === undefined ? begun : withStep(begun, reboot, 'waiting'));
  return again();
}

export async function repeatOsStep(
  { context, snapshot, journal }: ActiveUpdate,
  { lostBoots }: Of<'repeat-os-step'>,
): Promise<TickOutcome> {
  await writeJournal(context.host, { ...withOsBegun(journal), bootId: snapshot.bootId, lostBoots });
  return again();
}

/** To be done again, or undone again. An OS step that has never begun stays so. */
function withOsBegun(journal: Journal): Journal {
  const os = indexOfKind(journal, 'os');
  return os === undefined || journal.states[os] === 'waiting' ? journal : withStep(journal, os, 'begun');
}

/** All steps are done. The booted machine is verified before anything relies on it. */
export async function beginVerification({ context, journal }: ActiveUpdate): Promise<TickOutcome> {
  await writeJournal(context.host, { ...journal, phase: 'verifying' });
  return again();
}

export async function completeVerification(update: ActiveUpdate): Promise<TickOutcome> {
  const { context, memory } = update;
  context.log.system('Validated on-disk state');
  memory.isValidated = true;
  await retireInitialAnnotations(context.host);
  return await requestUncordon(update);
}

/** Also where the annotations got lost, as when the Node was deleted and created anew. */
export async function requestUncordon({ context, snapshot, journal }: ActiveUpdate): Promise<TickOutcome> {
  await writeJournal(context.host, { ...journal, phase: 'completing', askedMs: snapshot.nowMs });
  return onceReported({ kind: 'completing', config: journal.to.config });
}

export async function reportDone({ context, journal }: ActiveUpdate): Promise<TickOutcome> {
  const { config, image } = journal.to;
  context.log.system(`Update completed for config ${config} and node has been successfully uncordoned`);
  const event: ProgressEvent = { kind: 'done', config, ...(image === '' ? {} : { image }) };
  return onceReported({ kind: 'drain-progressed' }, event);
}

export async function closeUpdate(update: ActiveUpdate): Promise<TickOutcome> {
  const { context, memory, snapshot, journal } = update;
  const { log } = context;
  const { config } = journal.to;
  await forgetStaleOriginals(context, await configsOf(update));
  const isForcedAgain = journal.phase === 'verifying';
  if (isForcedAgain) {
    log.line(`No longer validating against ${config}: ${forceText(snapshot)}`);
    await retireInitialAnnotations(context.host);
  }
  // What was fetched is a deployment now.
  if (fetchedImage(journal) !== undefined) await removeFetchNote(context.host);
  await closeJournal(context, journal, { hasSucceeded: true });
  if (!journal.isJoining && !journal.plan.needsReboot) emitUnprotected(context, snapshot.node);
  const node = knownAnnotations(snapshot);
  if (isForcedAgain || node?.state !== 'Done' || node.current.config !== config) return again();
  recordUpToDate(context, journal.to);
  const isFirst = !memory.isStartReported;
  memory.isStartReported = true;
  return again(
    // A node that joins was done all the time: that it is in service has not been reported yet.
    { kind: 'drain-progressed' },
    ...(journal.isJoining ? [] : [{ kind: 'update-succeeded' } as const]),
    // A node that has just joined had no config to name, and tools rely on that.
    ...(isFirst ? [{ kind: 'started', config: journal.isJoining ? '' : config } as const] : []),
    { kind: 'up-to-date' },
  );
}

/** In the log and in the metrics. */
export function recordUpToDate({ log, metrics, env }: DaemonContext, { config, image }: ConfigName): void {
  log.line(`In desired state MachineConfig: ${config}${image === '' ? '' : ` / Image: ${image}`}`);
  metrics.set('mcd_update_state', Math.floor(env.clock.now() / 1000), { config, err: '' });
  metrics.set('mcd_config_drift', 0);
}

/** A force file stays in effect. */
export async function abandon({ context, snapshot, journal }: ActiveUpdate): Promise<TickOutcome> {
  context.log.line(`Abandoning the update to ${journal.to.config}: another config is desired`);
  await closeJournal(context, journal, { hasSucceeded: false });
  emitUnprotected(context, snapshot.node);
  return again();
}

/** Both configs of the update, as the journal keeps them. */
export async function configsOf({
  context,
  memory,
  journal,
}: ActiveUpdate): Promise<{ readonly from: NodeConfig; readonly to: NodeConfig }> {
  const { host } = context;
  return {
    from: await memory.configs.from(host, journal.from.image),
    to: await memory.configs.to(host, journal.to.image),
  };
}

/** Reported once; after that the daemon waits without a limit. */
export function reportTimeout(
  { nodeName, settings }: DaemonContext,
  { of: verb }: Extract<Decision, { readonly kind: 'report-timeout' }>,
): TickOutcome {
  const limitMs = verb === 'drain' ? settings.drainLimitMs : settings.uncordonLimitMs;
  const error = `failed to ${verb} node: ${nodeName} after ${spellDuration(limitMs)}. Please see machine-config-controller logs for more information`;
  const reason = verb === 'drain' ? 'FailedToDrain' : 'FailedToUncordon';
  return rest([{ kind: 'drain-progressed' }, { kind: 'failed', error, event: { reason } }]);
}
