/**
 * The journal of the update in progress, on the disk: its phase, and which of its steps have begun and which are done.
 *
 *     preparing ──drained──> applying ──all done──┬─────────────────────────────> completing ──uncordoned──> (closed)
 *         │                     │                 └─rebooted─> verifying ─valid─────┘
 *         │ another config      │ a step failed, or another config
 *         v                     v
 *     (closed)              undoing ──all undone──> (closed)
 *
 * It is written, atomically and durably, before a step begins and after it is done. Without a journal, the disk matches
 * `currentconfig`.
 */
import { Failure } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import type { Host } from '../host/index.ts';
import type { Plan } from '../plan/index.ts';
import type { FailedPhase, FailureEvent } from '../report/index.ts';
import { JOURNAL } from './state-paths.ts';

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
  /** There was a force file; it stays in effect until the update has succeeded. */
  readonly isForced: boolean;
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
  const bytes = await files.read(JOURNAL, MAX_JOURNAL_BYTES);
  return bytes === undefined ? undefined : parseJournal(new TextDecoder().decode(bytes));
}

export async function writeJournal({ files }: Pick<Host, 'files'>, journal: Journal): Promise<void> {
  await files.write(JOURNAL, { bytes: new TextEncoder().encode(formatJournal(journal)), mode: 0o600 });
}

export async function removeJournal({ files }: Pick<Host, 'files'>): Promise<void> {
  await files.remove(JOURNAL);
}

export function formatJournal(journal: Journal): string {
  return `${JSON.stringify(journal, undefined, 1)}\n`;
}

/** Journals are replaced atomically, so an unreadable one was changed by something else. */
export function parseJournal(text: string): Journal {
  const value = parseJson(text);
  if (!isJournal(value)) {
    throw new Failure(
      'stalled',
      'JournalDamaged',
      `${JOURNAL} cannot be read; if the disk matches currentconfig, remove it`,
    );
  }
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

export function stateOfKind(journal: Journal, kind: 'drain' | 'store-config' | 'reboot' | 'os'): StepState {
  const index = indexOfKind(journal, kind);
  return index === undefined ? 'waiting' : (journal.states[index] ?? 'waiting');
}

export function indexOfKind(
  { plan }: Journal,
  kind: 'drain' | 'store-config' | 'reboot' | 'os',
): number | undefined {
  const index = plan.steps.findIndex((step) =>
    kind === 'reboot' ? step.kind === 'post-action' && step.action.type === 'Reboot' : step.kind === kind,
  );
  return index < 0 ? undefined : index;
}

function isJournal(value: unknown): value is Journal {
  if (!isObject(value) || value.version !== 1) return false;
  const { plan, states } = value;
  if (!isObject(plan) || !Array.isArray(plan.steps) || !Array.isArray(states)) return false;
  return (
    plan.steps.length === states.length &&
    states.every((state) => STATES.includes(state)) &&
    PHASES.includes(value.phase) &&
    isConfigName(value.from) &&
    isConfigName(value.to) &&
    typeof value.bootId === 'string'
  );
}

const STATES: readonly unknown[] = ['waiting', 'begun', 'done', 'undone'];
const PHASES: readonly unknown[] = ['preparing', 'applying', 'undoing', 'verifying', 'completing'];

function isConfigName(value: unknown): boolean {
  return isObject(value) && typeof value.config === 'string' && typeof value.image === 'string';
}
