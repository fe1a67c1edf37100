/**
 * The result of a patch, ours and kube-apiserver's, in one format.
 */
import { canonicalJson, compareBytes, isObject, own } from '../../src/base/json.ts';
import type { Patched } from '../../src/embedded/patch/index.ts';
import type { StatusCause } from '../../src/kubernetes/types/index.ts';
import type { PatchAnswer, PatchAnswers } from './patch-questions.ts';

/** The result if the library crashed. */
const CRASH = 'crash';

export function ourAnswer(outcome: Patched<unknown>): string {
  if (outcome.kind === 'ok')
    return accepted(
      outcome.value,
      outcome.warnings.map(({ message }) => message),
    );
  const { code, reason = '', message, details } = outcome.status;
  return refused({
    code,
    reason,
    message,
    causes: details?.causes ?? [],
    detail: String(outcome.cause ?? message),
  });
}

export function theirAnswer({ panic, ok, object, strictErrors = [], refusal, detail }: PatchAnswer): string {
  if (panic !== undefined) return CRASH;
  if (ok || refusal === undefined) return accepted(object, strictErrors);
  const { code, reason, message, causes = [] } = refusal;
  return refused({ code, reason, message, causes, detail: detail ?? message });
}

/** Where the library is nondeterministic one of its results suffices, and where it crashes any. */
export function isAmong(ours: string, theirs: PatchAnswers): boolean {
  const answers = theirs.map(theirAnswer);
  return answers.includes(ours) || answers.includes(CRASH);
}

function accepted(object: unknown, warnings: readonly string[]): string {
  return canonicalJson({ object, warnings });
}

type Refused = {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly StatusCause[];
  readonly detail: string;
};

function refused({ code, reason, message, causes, detail }: Refused): string {
  const sorted = causes.map((cause) => canonicalJson(cause)).sort(compareBytes);
  return canonicalJson({ code, reason, message: settled(message), detail: settled(detail), causes: sorted });
}

/** The order of several errors is random. */
function settled(message: string): string {
  const [first = '', ...lines] = message.split('\n');
  return first.endsWith('errors:') ? [first, ...lines.sort(compareBytes)].join('\n') : message;
}

/** The server writes the present time; histories are in the past, so that all later times are that one. */
export function retimed(answer: PatchAnswer, now: string): PatchAnswer {
  const entries = entriesOf(answer.object);
  if (!isObject(answer.object) || !isObject(answer.object.metadata) || entries.length === 0) return answer;
  const managedFields = entries.map((entry) =>
    typeof entry.time === 'string' && entry.time > now ? { ...entry, time: now } : entry,
  );
  const metadata = { ...answer.object.metadata, managedFields };
  // The result of the oracle is JSON, and still is.
  return { ...answer, object: { ...answer.object, metadata } as NonNullable<PatchAnswer['object']> };
}

function entriesOf(object: unknown): readonly { readonly [key: string]: unknown }[] {
  const metadata = isObject(object) ? own(object, 'metadata') : undefined;
  const entries = isObject(metadata) ? own(metadata, 'managedFields') : undefined;
  return Array.isArray(entries) ? entries.filter(isObject) : [];
}
