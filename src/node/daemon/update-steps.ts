/**
 * An update under way, from its drain to its end: each function does one thing that `decide` asked for, and writes into the
 * journal that it begins and that it has ended.
 */
import { annotations, FORCE_FILE } from '../../api/index.ts';
import { assert, Failure } from '../../base/errors.ts';
import { done } from '../../kubernetes/client/index.ts';
import { drainState } from '../../rollout/index.ts';
import { extensionProblem, type NodeConfig, onDiskStateError, packagesToVerify } from '../plan/index.ts';
import { type Moment, rebootRationale } from '../report/index.ts';
import type { DaemonContext } from './context.ts';
import { type Decision, isWanted } from './decide.ts';
import { indexOfKind, type Journal, stateOfKind, withStep, writeJournal } from './journal.ts';
import { knownWords, type Memory, type Observation } from './observe.ts';
import { closeJournal, putFirstAnnotationsAway } from './open-journal.ts';
import { again, failed, rest, type TickOutcome, told } from './outcome.ts';
import { forgetStaleOriginals, prepareFiles } from './step-files.ts';
import { hasBootedInto, hasLeftOs } from './step-os.ts';
import { validate } from './validate.ts';

/** How often a machine may come up without the OS that was staged before it is called a failure. */
const MAX_LOST_BOOTS = 3;

export type UnderWay = {
  readonly context: DaemonContext;
  readonly memory: Memory;
  readonly seen: Observation;
  readonly journal: Journal;
};

export async function askDrain({ context, seen, journal }: UnderWay): Promise<TickOutcome> {
  const { host, log } = context;
  log.system('Update prepared; requesting cordon and drain via annotation to controller');
  await writeJournal(host, { ...journal, askedMs: seen.nowMs });
  return told({ kind: 'drain-asked', config: journal.to.config });
}

export async function drained({ context, seen, journal }: UnderWay, index: number): Promise<TickOutcome> {
  const { host, log, env } = context;
  const record = seen.node === undefined ? undefined : drainState(seen.node).record;
  if (journal.askedMs === undefined) log.system('drain is already completed on this node');
  else if (record?.isSkipped === true) log.system('Drain not required, skipping');
  else {
    log.system('drain complete');
    const seconds = Math.max(0, Math.round((env.clock.now() - journal.askedMs) / 1000));
    log.line(`Successful drain took ${seconds} seconds`);
  }
  await writeJournal(host, withStep(journal, index, 'done'));
  return again({ kind: 'drain-told' });
}

/** The last thing before anything is touched. */
export async function apply({ context, memory, journal }: UnderWay): Promise<TickOutcome> {
  const { host } = context;
  const { from, to } = await configsOf({ context, memory, journal });
  if (journal.plan.steps.some(({ kind }) => kind === 'files')) await prepareFiles(context, { from, to });
  await writeJournal(host, { ...journal, phase: 'applying' });
  const { change } = journal.plan;
  const notRequired: readonly Moment[] =
    indexOfKind(journal, 'drain') === undefined ? [{ kind: 'drain-not-required' }] : [];
  return again(...notRequired, { kind: 'applying', change });
}

/** It is said before it happens: afterwards there is nobody to say it. */
export async function announceReboot(
  { context, memory, seen, journal }: UnderWay,
  index: number,
): Promise<TickOutcome> {
  const { host, log } = context;
  log.system(`Performing post config change action: Reboot for config ${journal.to.config}`);
  log.system('Rebooting node');
  await writeJournal(host, { ...withStep(journal, index, 'begun'), bootId: seen.bootId });
  memory.isRebootAnnounced = true;
  return again({ kind: 'rebooting', config: journal.to.config });
}

export async function reboot({ context, memory, journal }: UnderWay): Promise<TickOutcome> {
  const { host, log, metrics } = context;
  const rationale = rebootRationale(journal.to.config);
  log.system(`initiating reboot: ${rationale}`);
  try {
    await host.reboot(rationale);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'cancelled') throw error;
    metrics.add('mcd_reboots_failed_total');
    const failure = { error: error.message };
    // Asked before by another process, the machine may be on its way down: then nothing is taken back under its feet.
    if (!memory.isRebootAnnounced) return failed(failure);
    const outcome = await turnBack({ context, journal, failure });
    return { ...outcome, words: { [annotations.postConfigAction]: '' } };
  }
  memory.isRebootAsked = true;
  log.system('reboot successful');
  return rest();
}

/**
 * The machine has booted since the last entry. Where we wanted it to, and the OS is the one that was staged, the reboot is
 * done. What was staged is lost where the power went instead; then it is staged again.
 */
export async function bootNoticed(under: UnderWay): Promise<TickOutcome> {
  const { context, memory, seen, journal } = under;
  const { host, log } = context;
  if (journal.phase === 'undoing') return await bootNoticedOnTheWayBack(under);
  const here: Journal = { ...journal, bootId: seen.bootId };
  const [os, rebooting] = [indexOfKind(journal, 'os'), indexOfKind(journal, 'reboot')];
  const restaged = withOsBegun(here);
  if (rebooting === undefined || journal.states[rebooting] !== 'begun') {
    await writeJournal(host, restaged);
    return again();
  }
  const to = await memory.configs.to(host, journal.to.image);
  const { problem } = await validate(host, to, 'os');
  if (problem !== undefined && os !== undefined && journal.lostBoots + 1 < MAX_LOST_BOOTS) {
    log.warn(`the machine came up without the OS that was staged, staging it again: ${problem.message}`);
    const lostBoots = journal.lostBoots + 1;
    await writeJournal(host, { ...withStep(restaged, rebooting, 'waiting'), lostBoots });
    return again();
  }
  await writeJournal(host, withStep(here, rebooting, 'done'));
  log.line('Detected a new boot after the reboot that was asked for');
  return again({ kind: 'rebooted' });
}

/** What was staged for the way back was booted, or is lost: taking back the OS once more finds out which. */
async function bootNoticedOnTheWayBack({ context, seen, journal }: UnderWay): Promise<TickOutcome> {
  const isBootedBack = stateOfKind(journal, 'os') === 'undone';
  const lostBoots = isBootedBack ? journal.lostBoots + 1 : journal.lostBoots;
  await writeJournal(context.host, { ...withOsBegun(journal), bootId: seen.bootId, lostBoots });
  return again();
}

/** To be done again, or undone again. Where it has never begun, it still has not. */
function withOsBegun(journal: Journal): Journal {
  const os = indexOfKind(journal, 'os');
  return os === undefined || journal.states[os] === 'waiting' ? journal : withStep(journal, os, 'begun');
}

/** All steps are done. What was booted is looked at before anybody relies on it. */
export async function finish(under: UnderWay): Promise<TickOutcome> {
  const { context, journal } = under;
  if (journal.plan.needsReboot) {
    await writeJournal(context.host, { ...journal, phase: 'verifying' });
    return again();
  }
  return await complete(under);
}

export async function verify(under: UnderWay): Promise<TickOutcome> {
  const { context, memory, journal } = under;
  const { host, log } = context;
  const to = await memory.configs.to(host, journal.to.image);
  log.line(
    to.layeredImage === undefined
      ? `Validating against current config ${to.name}`
      : `Validating against current image ${to.layeredImage}`,
  );
  const { expected, problem } = await validate(host, to, 'all');
  if (problem !== undefined) {
    log.error(problem.explained);
    const words = knownWords(under.seen);
    // Whoever takes back a config that does not come up right expects that to help.
    if (words !== undefined && !isWanted(words, journal) && !journal.isJoining) return await turnBack(under);
    const error = onDiskStateError(expected, problem, memory.finalizeFailure);
    return failed({ error, event: { reason: 'OnDiskStateValidationFailed' } });
  }
  const { isEnterpriseLinux } = await host.os.release();
  if (isEnterpriseLinux && to.layeredImage === undefined) {
    const installed = await host.os.installed(packagesToVerify(to.extensions));
    const error = extensionProblem(to.extensions, installed);
    if (error !== undefined) return failed({ error });
  }
  log.system('Validated on-disk state');
  memory.isValidated = true;
  await putFirstAnnotationsAway(host);
  return await complete(under);
}

async function complete({ context, seen, journal }: UnderWay): Promise<TickOutcome> {
  await writeJournal(context.host, { ...journal, phase: 'completing', askedMs: seen.nowMs });
  return told({ kind: 'completing', config: journal.to.config });
}

/** The Node was made anew, or the words got lost otherwise. */
export async function askUncordon(under: UnderWay): Promise<TickOutcome> {
  return await complete(under);
}

export async function sayDone({ context, journal }: UnderWay): Promise<TickOutcome> {
  const { config, image } = journal.to;
  context.log.system(`Update completed for config ${config} and node has been successfully uncordoned`);
  const said: Moment = { kind: 'done', config, ...(image === '' ? {} : { image }) };
  return told({ kind: 'drain-told' }, said);
}

export async function close({ context, memory, seen, journal }: UnderWay): Promise<TickOutcome> {
  const { log, metrics, env } = context;
  const { config, image } = journal.to;
  const { from, to } = await configsOf({ context, memory, journal });
  await forgetStaleOriginals(context, { from, to });
  const isForcedAnew = journal.phase === 'verifying';
  if (isForcedAnew) {
    log.line(`No longer validating against ${config}: ${FORCE_FILE} present`);
    await putFirstAnnotationsAway(context.host);
  }
  await closeJournal(context, journal, { hasSucceeded: true });
  const words = knownWords(seen);
  if (isForcedAnew || words?.state !== 'Done' || words.current.config !== config) return again();
  log.line(`In desired state MachineConfig: ${config}${image === '' ? '' : ` / Image: ${image}`}`);
  metrics.set('mcd_update_state', Math.floor(env.clock.now() / 1000), { config, err: '' });
  metrics.set('mcd_config_drift', 0);
  const isFirst = !memory.isFirstLookTold;
  memory.isFirstLookTold = true;
  return again(
    // A node that joins was done all the time: nobody has told yet that it is in service.
    { kind: 'drain-told' },
    ...(journal.isJoining ? [] : [{ kind: 'update-succeeded' } as const]),
    // A node that has just joined had no config to name, and tools know it so.
    ...(isFirst ? [{ kind: 'first-look-over', config: journal.isJoining ? '' : config } as const] : []),
    { kind: 'up-to-date' },
  );
}

/** Nothing was touched yet: it is as if it had never begun. A force file goes on to count. */
export async function abandon({ context, journal }: UnderWay): Promise<TickOutcome> {
  context.log.line(`No longer moving to ${journal.to.config}: another config is wanted`);
  await closeJournal(context, journal, { hasSucceeded: false });
  return again();
}

type TurningBack = Pick<UnderWay, 'context' | 'journal'> & { readonly failure?: Journal['failure'] };

/** From here on everything is taken back, last things first. */
export async function turnBack({ context, journal, failure }: TurningBack): Promise<TickOutcome> {
  const { host, log } = context;
  if (failure === undefined) log.line(`Turning back from ${journal.to.config}: another config is wanted`);
  else log.error(`Taking back the update to ${journal.to.config}: ${failure.error}`);
  const wayBack = { phase: 'undoing', lostBoots: 0 } as const;
  await writeJournal(host, { ...journal, ...wayBack, ...(failure === undefined ? {} : { failure }) });
  return failure === undefined ? again() : again({ kind: 'failed', ...failure });
}

/** All is as it was, but for an OS that has to be booted. What went wrong is said again, and tried again later. */
export async function giveUp(under: UnderWay): Promise<TickOutcome> {
  const { context, journal } = under;
  const { from, to } = await configsOf(under);
  const wayBack = await osOnTheWayBack(under, { from, to });
  if (wayBack !== 'there') return await bootBack(under, { config: from.name, wayBack });
  await forgetStaleOriginals(context, { from: to, to: from });
  await closeJournal(context, journal, { hasSucceeded: false });
  const { failure } = journal;
  if (failure === undefined) return again();
  const { metrics, env } = context;
  metrics.set('mcd_update_state', Math.floor(env.clock.now() / 1000), { config: '', err: failure.error });
  return failed(failure);
}

/** `staged`: a boot is missing. `lost`: the new OS runs, and somebody dropped the old one that was staged. */
type WayBack = 'there' | 'staged' | 'lost';

async function osOnTheWayBack(
  { context, seen, journal }: UnderWay,
  configs: { readonly from: NodeConfig; readonly to: NodeConfig },
): Promise<WayBack> {
  if (stateOfKind(journal, 'os') !== 'undone') return 'there';
  if (!(await hasLeftOs(context, { journal, bootId: seen.bootId, ...configs }))) return 'there';
  if ((await context.host.os.deployments()).some(({ isStaged }) => isStaged)) return 'staged';
  return (await hasBootedInto(context, configs)) ? 'lost' : 'there';
}

/** A machine that does not come up with its old OS is not rebooted for ever. */
async function bootBack(
  { context, memory, journal }: UnderWay,
  { config, wayBack }: { readonly config: string; readonly wayBack: 'staged' | 'lost' },
): Promise<TickOutcome> {
  const { host, log } = context;
  if (memory.isRebootAsked) return rest();
  if (journal.lostBoots >= MAX_LOST_BOOTS) return failed({ error: wayBackError(memory, journal) });
  if (wayBack === 'lost') {
    await writeJournal(host, { ...withOsBegun(journal), lostBoots: journal.lostBoots + 1 });
    return again();
  }
  const rationale = rebootRationale(config);
  log.system(`initiating reboot: ${rationale}`);
  await host.reboot(rationale);
  memory.isRebootAsked = true;
  return rest();
}

function wayBackError({ finalizeFailure }: Memory, { from, lostBoots, failure }: Journal): string {
  const cause = finalizeFailure === undefined ? '' : `; possible root cause: ${finalizeFailure}`;
  const why = `the machine came up ${lostBoots} times without the OS of ${from.config} that was staged${cause}`;
  return `error rolling back changes to OS: [${why}, ${failure?.error ?? 'another config is wanted'}]`;
}

async function configsOf({ context, memory, journal }: Pick<UnderWay, 'context' | 'memory' | 'journal'>) {
  const { host } = context;
  return {
    from: await memory.configs.from(host, journal.from.image),
    to: await memory.configs.to(host, journal.to.image),
  };
}

const OVERDUE = {
  drain: { verb: 'drain', limit: '1 hour', reason: 'FailedToDrain' },
  uncordon: { verb: 'uncordon', limit: '10 minutes', reason: 'FailedToUncordon' },
} as const;

/** It is said once; after that the answer is waited for without a limit. */
export function overdue(
  { nodeName }: DaemonContext,
  decision: Extract<Decision, { readonly kind: 'overdue' }>,
): TickOutcome {
  const { verb, limit, reason } = OVERDUE[decision.for];
  const error = `failed to ${verb} node: ${nodeName} after ${limit}. Please see machine-config-controller logs for more information`;
  assert(decision.config !== '', 'a drain is asked for the sake of a config');
  return rest([{ kind: 'drain-told' }, { kind: 'failed', error, event: { reason } }], done);
}
