/**
 * The update under way, on the disk: which way it goes, which of its steps have begun and which have ended.
 *
 *     preparing ──drained──> applying ──all done──┬─────────────────────────────> completing ──in service──> (closed)
 *         │                     │                 └─rebooted─> verifying ─valid─────┘
 *         │ another target      │ a step failed, or another target
 *         v                     v
 *     (closed)              undoing ──all undone──> (closed)
 *
 * It is written, atomically and durably, before a step begins and after it ends. Where there is no journal, the disk holds
 * what `currentconfig` says.
 */
import { Failure } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import type { Host } from '../host/index.ts';
import type { Plan } from '../plan/index.ts';
import type { FailureEvent } from '../report/index.ts';
import { JOURNAL } from './state-paths.ts';

/** What has happened to a step. `undone` is also said of one that never did anything. */
export type StepState = 'waiting' | 'begun' | 'done' | 'undone';
export type JournalPhase = 'preparing' | 'applying' | 'undoing' | 'verifying' | 'completing';

export type JournalFailure = {
  readonly error: string;
  readonly phase?: 'files' | 'os';
  readonly event?: FailureEvent;
};

export type Journal = {
  readonly version: 1;
  readonly phase: JournalPhase;
  /** What the cluster called the target when it began: config, and image of image mode or ''. */
  readonly to: { readonly config: string; readonly image: string };
  /** Of the config that it began from. */
  readonly from: { readonly config: string; readonly image: string };
  /** Whether the disk held a config when it began. */
  readonly hadConfig: boolean;
  /** The force file was there; it counts until the update has succeeded. */
  readonly isForced: boolean;
  /** The node joins: it asks to be put into service, and nothing is changed. */
  readonly isJoining: boolean;
  readonly plan: Omit<Plan, 'log'>;
  /** One for each step of the plan. */
  readonly states: readonly StepState[];
  /** The boot in which the last entry was made. What was staged in another one may be lost. */
  readonly bootId: string;
  /** The boot in which the OS step first began. In a later one what it staged may run. Older daemons did not write it. */
  readonly osBootId?: string;
  /** How often the OS was staged and booted without being there, on the way that the update goes now. */
  readonly lostBoots: number;
  /** Failed tries to pull the OS. */
  readonly pullTries: number;
  /** Password hashes from before the step that changes them. The journal is as secret as they are. */
  readonly hashes?: { readonly [user: string]: string };
  /** When the drain controller was last asked. Another clock may have said so. */
  readonly askedMs?: number;
  /** The first thing that went wrong. What goes wrong while it is undone does not hide it. */
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

/** A journal is replaced as a whole, so one that cannot be read was changed by somebody else. */
export function parseJournal(text: string): Journal {
  const value = parseJson(text);
  if (!isJournal(value)) {
    throw new Failure(
      'stalled',
      'JournalDamaged',
      `${JOURNAL} cannot be read; where the disk holds what currentconfig says, remove it`,
    );
  }
  return value;
}

export function withStep(journal: Journal, index: number, state: StepState): Journal {
  return { ...journal, states: journal.states.map((before, at) => (at === index ? state : before)) };
}

/** The first step that has not ended; undefined where all have. */
export function nextStep({ states }: Journal): number | undefined {
  const index = states.findIndex((state) => state !== 'done');
  return index < 0 ? undefined : index;
}

/** The last step of which something may be on the disk; undefined where nothing is left. */
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
    isPlace(value.from) &&
    isPlace(value.to) &&
    typeof value.bootId === 'string'
  );
}

const STATES: readonly unknown[] = ['waiting', 'begun', 'done', 'undone'];
const PHASES: readonly unknown[] = ['preparing', 'applying', 'undoing', 'verifying', 'completing'];

function isPlace(value: unknown): boolean {
  return isObject(value) && typeof value.config === 'string' && typeof value.image === 'string';
}
