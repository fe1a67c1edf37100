/**
 * Runs one step of the plan, or undoes one. A step that fails is recorded in the journal; `decide` then rolls back.
 */
import { assert, Failure } from '../../base/errors.ts';
import { underWay } from '../../kubernetes/client/index.ts';
import type { Step } from '../plan/index.ts';
import { type ProgressEvent, postActionFailure } from '../report/index.ts';
import { ANOTHER_CONFIG } from './decide.ts';
import { type Journal, type JournalFailure, withStep, writeJournal } from './journal.ts';
import { again, failed, isFatal, rest, type TickOutcome } from './outcome.ts';
import { hasBootedSinceOsStep, type OsOutcome, pullFailureText, stagePreviousOs } from './step-os.ts';
import { hashesBefore } from './step-passwd.ts';
import { runStep, type StepContext, undoName, undoStep } from './steps.ts';
import { type ActiveUpdate, configsOf } from './update-actions.ts';
import { emitOsStaged, emitOsStarted } from './update-events.ts';

export async function runNextStep(update: ActiveUpdate, index: number): Promise<TickOutcome> {
  const { context, snapshot } = update;
  const stepContext = await stepContextOf(update, await begin(update, index), index);
  const { journal: begun } = stepContext;
  await writeJournal(context.host, begun);
  const { step } = stepContext;
  if (step.kind === 'os') emitOsStarted(context, snapshot.node, stepContext);
  let outcome: OsOutcome | undefined;
  try {
    outcome = await runStep(context, stepContext);
  } catch (error) {
    if (isFatal(error)) throw error;
    const text = error instanceof Failure ? error.message : '';
    if (step.kind === 'os') context.metrics.addPivotError();
    await writeJournal(context.host, { ...begun, failure: failureOf(step, text) });
    return again();
  }
  if (outcome?.kind === 'pull-failed') return await pullFailed(update, begun, outcome);
  if (outcome?.kind === 'staged') {
    emitOsStaged(context, snapshot.node, stepContext, outcome);
    context.metrics.resetPivotErrors();
  }
  const progress =
    outcome?.kind === 'staged' && outcome.wasPulled ? pulled(stepContext) : progressAfter(stepContext, index);
  await writeJournal(context.host, { ...withStep(begun, index, 'done'), pullTries: 0 });
  return again(...progress);
}

/** The journal with the step begun, and with what its undo needs. */
async function begin(update: ActiveUpdate, index: number): Promise<Journal> {
  const { context, snapshot, journal } = update;
  const begun = withStep({ ...journal, bootId: snapshot.bootId }, index, 'begun');
  const { step, from, to } = await stepContextOf(update, begun, index);
  if (step.kind === 'os') return { ...begun, osBootId: journal.osBootId ?? snapshot.bootId };
  if (step.kind !== 'passwords' || journal.hashes !== undefined) return begun;
  return { ...begun, hashes: await hashesBefore(context, { from, to }) };
}

export async function undoLastStep(update: ActiveUpdate, index: number): Promise<TickOutcome> {
  const { context, snapshot, journal } = update;
  const stepContext = await stepContextOf(update, journal, index);
  const { step, from, to, architecture } = stepContext;
  try {
    await undoStep(context, stepContext);
    if (
      step.kind === 'os' &&
      (await hasBootedSinceOsStep(context, { journal, bootId: snapshot.bootId, from, to }))
    ) {
      await stagePreviousOs(context, { from, to, change: journal.plan.change, architecture });
    }
  } catch (error) {
    if (isFatal(error)) throw error;
    const why = error instanceof Failure ? error.message : '';
    const first = journal.failure?.error ?? ANOTHER_CONFIG;
    return failed({ error: `error rolling back ${undoName(step)}: [${why}, ${first}]` });
  }
  await writeJournal(context.host, withStep(journal, index, 'undone'));
  return again();
}

async function stepContextOf(update: ActiveUpdate, journal: Journal, index: number): Promise<StepContext> {
  const step = journal.plan.steps[index];
  assert(step !== undefined, 'the step is one of the plan');
  return { journal, step, architecture: update.context.architecture, ...(await configsOf(update)) };
}

function progressAfter({ step, journal }: StepContext, index: number): readonly ProgressEvent[] {
  if (step.kind === 'store-config') return [{ kind: 'applied', change: journal.plan.change }];
  if (step.kind !== 'post-action') return [];
  const hasMore = journal.plan.steps.slice(index + 1).some(({ kind }) => kind === 'post-action');
  return [{ kind: 'post-action-done', action: step.action, hasMore }];
}

function pulled({ to }: StepContext): readonly ProgressEvent[] {
  return [
    { kind: 'pulling', image: to.osImage },
    { kind: 'pulled', image: to.osImage },
  ];
}

function failureOf(step: Step, error: string): JournalFailure {
  switch (step.kind) {
    case 'files':
    case 'ssh-keys':
      return { error, phase: 'files' };
    case 'os':
      return { error, phase: 'os' };
    case 'post-action':
      return postActionFailure(step.action, error);
    default:
      return { error };
  }
}

/** A registry that fails may recover soon. Retries are counted in the journal, and the waits between them are not slept. */
export async function pullFailed(
  { context, memory, snapshot }: ActiveUpdate,
  journal: Journal,
  { image, error }: Extract<OsOutcome, { readonly kind: 'pull-failed' }>,
): Promise<TickOutcome> {
  const { host, log, settings, metrics } = context;
  const pullTries = journal.pullTries + 1;
  const waitMs = settings.pullWaitsMs[pullTries - 1];
  if (waitMs === undefined) {
    metrics.addPivotError();
    const failure = { error: pullFailureText(image, error), phase: 'os' } as const;
    await writeJournal(host, { ...journal, failure });
    return again({ kind: 'pull-failed', image, error });
  }
  log.warn(`Failed to update OS to ${image} (will retry): ${error}`);
  await writeJournal(host, { ...journal, pullTries });
  memory.pullAtMs = snapshot.nowMs + waitMs;
  return rest([{ kind: 'pulling', image }], underWay(waitMs, 'until the pull is retried'));
}
