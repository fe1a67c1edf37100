/**
 * Does the one thing that was decided.
 */
import type { MachineConfiguration } from '../../api/index.ts';
import { assert, unreachable } from '../../base/errors.ts';
import { after, done } from '../../kubernetes/client/index.ts';
import type { Moment } from '../report/index.ts';
import type { DaemonContext } from './context.ts';
import type { Decision } from './decide.ts';
import { checkDrift } from './drift.ts';
import { cleanUp, introduce, settleIn, validateAtStart } from './first-look.ts';
import { knownWords, type Memory, type Observation } from './observe.ts';
import { rest, type TickOutcome } from './outcome.ts';
import { run, undo } from './run-step.ts';
import { startUpdate } from './start-update.ts';
import {
  abandon,
  announceReboot,
  apply,
  askDrain,
  askUncordon,
  bootNoticed,
  close,
  drained,
  finish,
  giveUp,
  overdue,
  reboot,
  sayDone,
  turnBack,
  type UnderWay,
  verify,
} from './update-steps.ts';

type Doing = {
  readonly context: DaemonContext;
  readonly memory: Memory;
  readonly seen: Observation;
  readonly machineConfiguration: MachineConfiguration | undefined;
};

export async function carryOut(decision: Decision, doing: Doing): Promise<TickOutcome> {
  const { context, memory, seen } = doing;
  switch (decision.kind) {
    case 'idle':
      return idle(decision, doing);
    case 'wait':
      return wait(decision, doing);
    case 'overdue':
      return overdue(context, decision);
    case 'clean-up':
      return await cleanUp(context, memory, seen);
    case 'introduce':
      return await introduce(context, seen);
    case 'settle-in':
      return await settleIn(context, seen);
    case 'validate':
      return await validateAtStart(context, memory, seen);
    case 'check-drift':
      return await checkDrift(context, memory, seen);
    case 'start':
      return await startUpdate(context, memory, seen, doing.machineConfiguration);
    case 'close':
    case 'abandon':
    case 'give-up': {
      const outcome = await goOn(decision, underWay(doing));
      memory.configs.forgetUpdate();
      return outcome;
    }
    default:
      return await goOn(decision, underWay(doing));
  }
}

type Going = Exclude<
  Decision,
  {
    readonly kind:
      | ('idle' | 'wait' | 'overdue' | 'clean-up' | 'introduce')
      | ('settle-in' | 'validate' | 'check-drift' | 'start');
  }
>;

async function goOn(decision: Going, under: UnderWay): Promise<TickOutcome> {
  switch (decision.kind) {
    case 'ask-drain':
      return await askDrain(under);
    case 'drained':
      return await drained(under, decision.index);
    case 'apply':
      return await apply(under);
    case 'run':
      return await run(under, decision.index);
    case 'announce-reboot':
      return await announceReboot(under, decision.index);
    case 'reboot':
      return await reboot(under);
    case 'boot-noticed':
      return await bootNoticed(under);
    case 'finish':
      return await finish(under);
    case 'verify':
      return await verify(under);
    case 'ask-uncordon':
      return await askUncordon(under);
    case 'say-done':
      return await sayDone(under);
    case 'close':
      return await close(under);
    case 'abandon':
      return await abandon(under);
    case 'turn-back':
      return await turnBack(under);
    case 'undo':
      return await undo(under, decision.index);
    case 'give-up':
      return await giveUp(under);
    default:
      return unreachable(decision);
  }
}

function idle(
  { isUpToDate }: Extract<Decision, { readonly kind: 'idle' }>,
  { memory, seen }: Doing,
): TickOutcome {
  if (!isUpToDate) return rest();
  const isFirst = !memory.isFirstLookTold;
  memory.isFirstLookTold = true;
  const config = seen.config?.name ?? knownWords(seen)?.current.config ?? '';
  const over: readonly Moment[] = isFirst ? [{ kind: 'first-look-over', config }] : [];
  return rest([...over, { kind: 'up-to-date' }]);
}

function wait(decision: Extract<Decision, { readonly kind: 'wait' }>, { context }: Doing): TickOutcome {
  const next = decision.delayMs === undefined ? done : after(decision.delayMs, `for the ${decision.for}`);
  if (decision.for === 'drain') {
    context.log.line(
      'A previously requested drain has not yet completed. Waiting for machine-config-controller to finish draining node.',
    );
  }
  const isTold = decision.for === 'drain' || decision.for === 'uncordon';
  return rest(isTold ? [{ kind: 'drain-told' }] : [], next);
}

function underWay({ context, memory, seen }: Doing): UnderWay {
  const { journal } = seen.disk;
  assert(journal !== undefined, 'an update is under way');
  return { context, memory, seen, journal };
}
