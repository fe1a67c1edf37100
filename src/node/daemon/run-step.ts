/**
 * One step of the plan, or one step back.
 */
import { assert, Failure } from '../../base/errors.ts';
import { after } from '../../kubernetes/client/index.ts';
import type { Step } from '../plan/index.ts';
import { type Moment, postActionFailure } from '../report/index.ts';
import type { DaemonContext } from './context.ts';
import { type Journal, type JournalFailure, withStep, writeJournal } from './journal.ts';
import { tellOsStaged, tellOsStarted } from './os-events.ts';
import { again, failed, isEnd, rest, type TickOutcome } from './outcome.ts';
import { hasLeftOs, type OsOutcome, pullFailureText, stageWayBack } from './step-os.ts';
import { hashesBefore } from './step-passwd.ts';
import { runStep, type Stepping, undoName, undoStep } from './steps.ts';
import { turnBack, type UnderWay } from './update-steps.ts';

export async function run(under: UnderWay, index: number): Promise<TickOutcome> {
  const { context, seen } = under;
  const stepping = await steppingOf(under, await begin(under, index), index);
  const { journal: begun } = stepping;
  await writeJournal(context.host, begun);
  const { step } = stepping;
  if (step.kind === 'os') tellOsStarted(context, seen.node, stepping);
  let outcome: OsOutcome | undefined;
  try {
    outcome = await runStep(context, stepping);
  } catch (error) {
    if (isEnd(error)) throw error;
    const text = error instanceof Failure ? error.message : '';
    if (step.kind === 'os') context.metrics.add('mcd_pivot_errors_total');
    return await turnBack({ context, journal: begun, failure: failureOf(step, text) });
  }
  if (outcome?.kind === 'pull-failed') return await pullFailed(under, begun, outcome);
  if (outcome?.kind === 'staged') {
    tellOsStaged(context, seen.node, stepping, outcome);
    context.metrics.set('mcd_pivot_errors_total', 0);
  }
  const moments = outcome?.kind === 'staged' && outcome.wasPulled ? pulled(stepping) : momentsAfter(stepping);
  await writeJournal(context.host, { ...withStep(begun, index, 'done'), pullTries: 0 });
  return again(...moments);
}

/** With what the step has to remember of how it was. */
async function begin(under: UnderWay, index: number): Promise<Journal> {
  const { context, seen, journal } = under;
  const begun = withStep({ ...journal, bootId: seen.bootId }, index, 'begun');
  const { step, from, to } = await steppingOf(under, begun, index);
  if (step.kind === 'os') return { ...begun, osBootId: journal.osBootId ?? seen.bootId };
  if (step.kind !== 'passwords' || journal.hashes !== undefined) return begun;
  return { ...begun, hashes: await hashesBefore(context, { from, to }) };
}

export async function undo(under: UnderWay, index: number): Promise<TickOutcome> {
  const { context, seen, journal } = under;
  const stepping = await steppingOf(under, journal, index);
  const { step, from, to, architecture } = stepping;
  try {
    await undoStep(context, stepping);
    if (step.kind === 'os' && (await hasLeftOs(context, { journal, bootId: seen.bootId, from, to }))) {
      await stageWayBack(context, { from, to, change: journal.plan.change, architecture });
    }
  } catch (error) {
    if (isEnd(error)) throw error;
    const why = error instanceof Failure ? error.message : '';
    const first = journal.failure?.error ?? 'another config is wanted';
    return failed({ error: `error rolling back ${undoName(step)}: [${why}, ${first}]` });
  }
  await writeJournal(context.host, withStep(journal, index, 'undone'));
  return again();
}

async function steppingOf({ context, memory }: UnderWay, journal: Journal, index: number): Promise<Stepping> {
  const step = journal.plan.steps[index];
  assert(step !== undefined, 'the step is one of the plan');
  return {
    ...{ journal, step, architecture: context.architecture },
    from: await memory.configs.from(context.host, journal.from.image),
    to: await memory.configs.to(context.host, journal.to.image),
  };
}

function momentsAfter({ step, journal }: Stepping): readonly Moment[] {
  if (step.kind === 'store-config') return [{ kind: 'applied', change: journal.plan.change }];
  return step.kind === 'post-action' ? [{ kind: 'post-action-done', action: step.action }] : [];
}

function pulled({ to }: Stepping): readonly Moment[] {
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

/** A registry that does not answer may answer soon. Tries are counted in the journal, waits are not slept. */
async function pullFailed(
  { context, memory, seen }: UnderWay,
  journal: Journal,
  { image, error }: Extract<OsOutcome, { readonly kind: 'pull-failed' }>,
): Promise<TickOutcome> {
  const { host, log, settings } = context;
  const pullTries = journal.pullTries + 1;
  const waitMs = settings.pullWaitsMs[pullTries - 1];
  if (waitMs === undefined) return await outOfTries({ context, journal, image, error });
  log.warn(`Failed to update OS to ${image} (will retry): ${error}`);
  await writeJournal(host, { ...journal, pullTries });
  memory.pullAtMs = seen.nowMs + waitMs;
  return rest([{ kind: 'pulling', image }], after(waitMs, 'until the pull is tried again'));
}

async function outOfTries(given: {
  readonly context: DaemonContext;
  readonly journal: Journal;
  readonly image: string;
  readonly error: string;
}): Promise<TickOutcome> {
  const { context, journal, image, error } = given;
  context.metrics.add('mcd_pivot_errors_total');
  const failure = { error: pullFailureText(image, error), phase: 'os' } as const;
  const outcome = await turnBack({ context, journal, failure });
  return { ...outcome, moments: [{ kind: 'pull-failed', image, error }, ...outcome.moments] };
}
