/**
 * The journal of the update in progress, on the disk: its phase, and which of its steps have begun and which are done.
 *
 *     preparing ──fetched, drained──> applying ──all done──┬─────────────────────────────> completing ──uncordoned──> (closed)
 *         │                              │                 └─rebooted─> verifying ─valid─────┘
 *         │ another config               │ a step failed, or another config
 *         v                              v
 *     (closed)                       undoing ──all undone──> (closed)
 *
 * It is written, atomically and durably, before a step begins and after it is done. Without a journal, the disk matches
 * `currentconfig`.
 */
import { isObject, parseJson } from '../../base/json.ts';
import type { Host } from '../host/index.ts';
import type { Plan } from '../plan/index.ts';
import type { FailedPhase, FailureEvent } from '../report/index.ts';
import { damagedState, JOURNAL, JOURNAL_REBUILT } from './state-paths.ts';

/** `undone`: also of a step that never began. */
export type StepState = 'waiting' | 'begun' | 'done' | 'undone';
export type JournalPhase = 'preparing' | 'applying' | 'undoing' | 'verifying' | 'completing';

export type JournalFailure = {
  readonly error: string;
  readonly phase?: FailedPhase;
  readonly event?: FailureEvent;
};

export type Journal = {
  readonly version: 1;
  readonly phase: JournalPhase;
  /** The target: config, and image of image mode or ''. */
  readonly to: { readonly config: string; readonly image: string };
  /** The config before the update. */
  readonly from: { readonly config: string; readonly image: string };
  /** Whether the disk held a config before the update. */
  readonly hadConfig: boolean;
  /** Everything is written anew; a force file stays in effect until the update has succeeded. */
  readonly isForced: boolean;
  /** The request of an administrator that it was forced by (`retry/decide-retry.ts`). */
  readonly retry?: string;
  /** The node joins: it requests to be uncordoned, and nothing is changed. */
  readonly isJoining: boolean;
  readonly plan: Omit<Plan, 'log'>;
  /** One for each step of the plan. */
  readonly states: readonly StepState[];
  /** The boot of the last write. What was staged in another boot may be lost. */
  readonly bootId: string;
  /** The boot in which the OS step first began. In a later one what it staged may run. Absent in journals of older daemons. */
  readonly osBootId?: string;
  /** How often the machine booted without the staged OS, counted anew for the rollback. */
  readonly lostBoots: number;
  /** Failed pulls of the OS image. */
  readonly pullTries: number;
  /** Password hashes before the step that changes them. They make the journal a secret. */
  readonly hashes?: { readonly [user: string]: string };
  /** When the drain or the uncordon was requested. It may come from another clock. */
  readonly askedMs?: number;
  /** The first failure; failures of the rollback do not replace it. */
  readonly failure?: JournalFailure;
};

const MAX_JOURNAL_BYTES = 16 * 1024 ** 2;

export async function readJournal({ files }: Pick<Host, 'files'>): Promise<Journal | undefined> {
  const bytes =
    (await files.read(JOURNAL, MAX_JOURNAL_BYTES)) ?? (await files.read(JOURNAL_REBUILT, MAX_JOURNAL_BYTES));
  return bytes === undefined ? undefined : parseJournal(new TextDecoder().decode(bytes));
}

export async function writeJournal({ files }: Pick<Host, 'files'>, journal: Journal): Promise<void> {
  await files.write(JOURNAL, { bytes: new TextEncoder().encode(formatJournal(journal)), mode: 0o600 });
}

export async function removeJournal({ files }: Pick<Host, 'files'>): Promise<void> {
  await files.remove(JOURNAL_REBUILT);
  await files.remove(JOURNAL);
}

/** In place of a damaged one, which `setAside` moves out of the way: there is one or the other at any time. */
export async function rebuildJournal(
  { files }: Pick<Host, 'files'>,
  journal: Journal,
  setAside: () => Promise<void>,
): Promise<void> {
  const bytes = new TextEncoder().encode(formatJournal(journal));
  await files.write(JOURNAL_REBUILT, { bytes, mode: 0o600 });
  await setAside();
  await files.move(JOURNAL_REBUILT, JOURNAL);
}

export function formatJournal(journal: Journal): string {
  return `${JSON.stringify(journal, undefined, 1)}\n`;
}

/** Journals are replaced atomically, so an unreadable one was changed by something else; see `repair-state.ts`. */
export function parseJournal(text: string): Journal {
  const value = parseJson(text);
  if (value === undefined) throw damagedState(JOURNAL, 'it is not JSON');
  if (!isJournal(value)) throw damagedState(JOURNAL, 'it is no journal of an update');
  return value;
}

export function withStep(journal: Journal, index: number, state: StepState): Journal {
  return { ...journal, states: journal.states.map((before, at) => (at === index ? state : before)) };
}

/** The first step that is not done; undefined where all are. */
export function nextStep({ states }: Journal): number | undefined {
  const index = states.findIndex((state) => state !== 'done');
  return index < 0 ? undefined : index;
}

/** The last step that may have changed the disk; undefined where none is left. */
export function lastStepToUndo({ states }: Journal): number | undefined {
  const index = states.findLastIndex((state) => state === 'begun' || state === 'done');
  return index < 0 ? undefined : index;
}

type FoundKind = 'fetch' | 'drain' | 'store-config' | 'reboot' | 'os';

export function stateOfKind(journal: Journal, kind: FoundKind): StepState {
  const index = indexOfKind(journal, kind);
  return index === undefined ? 'waiting' : (journal.states[index] ?? 'waiting');
}

export function indexOfKind({ plan }: Journal, kind: FoundKind): number | undefined {
  const index = plan.steps.findIndex((step) =>
    kind === 'reboot' ? step.kind === 'post-action' && step.action.type === 'Reboot' : step.kind === kind,
  );
  return index < 0 ? undefined : index;
}

/** The image that the update downloads before it drains the node. */
export function fetchedImage({ plan }: Pick<Journal, 'plan'>): string | undefined {
  return plan.steps.find((step) => step.kind === 'fetch')?.image;
}

/** Which config is stored at this point of an update. A step that has begun is repeated or undone, and then it is stored again. */
export function storedDuring(journal: Journal): 'from' | 'to' | 'none' {
  const hasStep = journal.plan.steps.some(({ kind }) => kind === 'store-config');
  if (!hasStep || stateOfKind(journal, 'store-config') === 'done') return 'to';
  return journal.hadConfig ? 'from' : 'none';
}

function isJournal(value: unknown): value is Journal {
  if (!isObject(value) || value.version !== 1) return false;
  const { plan, states } = value;
  if (!isObject(plan) || !Array.isArray(plan.steps) || !Array.isArray(states)) return false;
  return (
    plan.steps.length === states.length &&
    plan.steps.every(isStep) &&
    isObject(plan.change) &&
    areTexts(plan.change.changedFiles) &&
    areTexts(plan.change.changedUnits) &&
    states.every((state) => STATES.includes(state)) &&
    PHASES.includes(value.phase) &&
    isConfigName(value.from) &&
    isConfigName(value.to) &&
    typeof value.bootId === 'string' &&
    ['hadConfig', 'isForced', 'isJoining'].every((key) => typeof value[key] === 'boolean') &&
    ['lostBoots', 'pullTries'].every((key) => typeof value[key] === 'number') &&
    (value.retry === undefined || typeof value.retry === 'string') &&
    (value.failure === undefined || (isObject(value.failure) && typeof value.failure.error === 'string')) &&
    (value.hashes === undefined || (isObject(value.hashes) && areTexts(Object.values(value.hashes))))
  );
}

function isStep(value: unknown): boolean {
  if (!isObject(value)) return false;
  switch (value.kind) {
    case 'drain':
    case 'ssh-keys':
    case 'passwords':
    case 'store-config':
      return true;
    case 'fetch':
      return typeof value.image === 'string';
    case 'files':
      return areTexts(value.units);
    case 'os':
      return areTexts(value.reasons);
    case 'post-action':
      return isPostAction(value.action);
    default:
      return false;
  }
}

function isPostAction(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (value.type === 'Reload' || value.type === 'Restart') return typeof value.service === 'string';
  return PLAIN_ACTIONS.includes(value.type);
}

const PLAIN_ACTIONS: readonly unknown[] = ['Reboot', 'Drain', 'DaemonReload', 'None', 'Special'];

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

const STATES: readonly unknown[] = ['waiting', 'begun', 'done', 'undone'];
const PHASES: readonly unknown[] = ['preparing', 'applying', 'undoing', 'verifying', 'completing'];

function isConfigName(value: unknown): boolean {
  return isObject(value) && typeof value.config === 'string' && typeof value.image === 'string';
}
