/**
 * Executes one decision.
 */
import type { MachineConfiguration } from '../../api/index.ts';
import { assert, unreachable } from '../../base/errors.ts';
import { done, underWay } from '../../kubernetes/client/index.ts';
import type { ProgressEvent } from '../report/index.ts';
import type { DaemonContext } from './context.ts';
import type { Decision, UpdateDecision } from './decide.ts';
import { checkDrift } from './drift.ts';
import { beginFetch, completeFetch, recordFailedFetch } from './fetch-image.ts';
import { knownAnnotations, type Memory, type Observation } from './observe.ts';
import { failed, rest, type TickOutcome } from './outcome.ts';
import { repairState } from './repair-state.ts';
import { beginRetry } from './retry/begin-retry.ts';
import { beginRollback, finishRollback, rebootToPrevious } from './rollback.ts';
import { runNextStep, undoLastStep } from './run-step.ts';
import { join, setInitialAnnotations, startUp, validateAtStart } from './start-up.ts';
import { recover, startUpdate } from './start-update.ts';
import * as actions from './update-actions.ts';

/** Everything that an action may use. */
type ActionInput = {
  readonly context: DaemonContext;
  readonly memory: Memory;
  readonly snapshot: Observation;
  readonly machineConfiguration: MachineConfiguration | undefined;
};

export async function execute(
  decision: Exclude<Decision, { readonly kind: 'inspect' }>,
  input: ActionInput,
): Promise<TickOutcome> {
  const { context, memory, snapshot } = input;
  switch (decision.kind) {
    case 'idle':
      return idle(decision, input);
    case 'wait':
      return wait(decision, input);
    case 'report-timeout':
      return actions.reportTimeout(context, decision);
    case 'start-up':
      return await startUp(context, memory, snapshot);
    case 'set-initial-annotations':
      return await setInitialAnnotations(context, snapshot);
    case 'join':
      return await join(context, snapshot);
    case 'validate':
      return await validateAtStart(context, memory, snapshot);
    case 'check-drift':
      return await checkDrift(context, memory, snapshot);
    case 'start-update':
      return await startUpdate(context, memory, snapshot, input.machineConfiguration);
    case 'recover':
      return await recover(context, memory, snapshot);
    case 'repair':
      return await repairState(context, memory, { snapshot, decision });
    case 'fail':
      return failed(decision.failure);
    case 'begin-retry':
      return await beginRetry(context, memory, { snapshot, decision });
    case 'close-journal':
    case 'abandon':
    case 'finish-rollback': {
      const outcome = await executeUpdate(decision, activeUpdate(input));
      memory.configs.forgetUpdate();
      return outcome;
    }
    default:
      return await executeUpdate(decision, activeUpdate(input));
  }
}

export function activeUpdate({ context, memory, snapshot }: Omit<ActionInput, 'machineConfiguration'>) {
  const { journal } = snapshot.disk;
  assert(journal !== undefined, 'an update is in progress');
  return { context, memory, snapshot, journal };
}

async function executeUpdate(decision: UpdateDecision, update: actions.ActiveUpdate): Promise<TickOutcome> {
  switch (decision.kind) {
    case 'begin-fetch':
      return await beginFetch(update, decision);
    case 'complete-fetch':
      return await completeFetch(update, decision);
    case 'record-failed-fetch':
      return await recordFailedFetch(update, decision);
    case 'request-drain':
      return await actions.requestDrain(update, decision);
    case 'withdraw-drain':
      return await actions.withdrawDrain(update, decision);
    case 'complete-drain':
      return await actions.completeDrain(update, decision.index);
    case 'begin-apply':
      return await actions.beginApply(update);
    case 'run-step':
      return await runNextStep(update, decision.index);
    case 'announce-reboot':
      return await actions.announceReboot(update, decision.index);
    case 'reboot':
      return await actions.reboot(update, decision);
    case 'complete-reboot':
      return await actions.completeReboot(update, decision.index);
    case 'restage-os':
      return await actions.restageOs(update, decision);
    case 'repeat-os-step':
      return await actions.repeatOsStep(update, decision);
    case 'begin-verification':
      return await actions.beginVerification(update);
    case 'complete-verification':
      return await actions.completeVerification(update);
    case 'request-uncordon':
      return await actions.requestUncordon(update);
    case 'report-done':
      return await actions.reportDone(update);
    case 'close-journal':
      return await actions.closeUpdate(update);
    case 'abandon':
      return await actions.abandon(update);
    case 'begin-rollback':
      return await beginRollback(update);
    case 'undo-step':
      return await undoLastStep(update, decision.index);
    case 'reboot-to-previous':
      return await rebootToPrevious(update);
    case 'finish-rollback':
      return await finishRollback(update);
    default:
      return unreachable(decision);
  }
}

function idle(
  { isUpToDate }: Extract<Decision, { readonly kind: 'idle' }>,
  { memory, snapshot }: ActionInput,
): TickOutcome {
  if (!isUpToDate) return rest();
  const isFirst = !memory.isStartReported;
  memory.isStartReported = true;
  const config = snapshot.config?.name ?? knownAnnotations(snapshot)?.current.config ?? '';
  const started: readonly ProgressEvent[] = isFirst ? [{ kind: 'started', config }] : [];
  return rest([...started, { kind: 'up-to-date' }]);
}

function wait(
  decision: Extract<Decision, { readonly kind: 'wait' }>,
  { context, memory, snapshot }: ActionInput,
): TickOutcome {
  const next = decision.delayMs === undefined ? done : underWay(decision.delayMs, `for the ${decision.for}`);
  const { journal } = snapshot.disk;
  const drain = `${journal?.to.config} ${journal?.askedMs}`;
  if (decision.for === 'drain' && memory.awaitedDrain !== drain) {
    memory.awaitedDrain = drain;
    context.log.line(
      'A previously requested drain has not yet completed. Waiting for machine-config-controller to finish draining node.',
    );
  }
  if (decision.for === 'fetch') memory.fetcher.wakeAtEnd();
  const isReported = decision.for === 'drain' || decision.for === 'uncordon';
  return rest(isReported ? [{ kind: 'drain-progressed' }] : [], next);
}
