/**
 * How things go wrong.
 *
 * Wrong *input* is a value: pure code returns `Problem[]`, each with a path, and never throws for it.
 * A wrong *world* (a file that cannot be read, a server that does not answer) is thrown as a `Failure`.
 * Wrong *code* is a failed `assert`, which nothing catches: better to stop than to go on with a broken node.
 */

/** One thing that is wrong with an input, and where. */
export type Problem = {
  /** The field, as Kubernetes writes it: `spec.config.storage.files[3].mode`; `''` for the whole object. */
  readonly path: string;
  /** What is wrong and, where it is not plain, what to do. One line unless the text quotes a report. */
  readonly message: string;
  /** The message without the value, for logs, conditions and whatever else others read along. */
  readonly discreet?: string;
  /** Why, in the API's words; what a Status cause carries. `Invalid` where nothing is said. */
  readonly reason?: ProblemReason;
};

/** The reasons of `metav1.StatusCause` that our validation can give. */
export type ProblemReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueDuplicate'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotFound';

/** A value, or what kept us from having it. Warnings come with the value and never instead of it. */
export type Outcome<T> =
  | { readonly kind: 'ok'; readonly value: T; readonly warnings: readonly Problem[] }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

export const ok = <T>(value: T, warnings: readonly Problem[] = []): Outcome<T> => ({
  kind: 'ok',
  value,
  warnings,
});

export const invalid = <T = never>(problems: readonly Problem[]): Outcome<T> => ({
  kind: 'invalid',
  problems,
});

/** Puts a problem below a parent path: `within('spec.config', {path: 'storage.files[0]'})`. */
export function within(parent: string, problem: Problem): Problem {
  return { ...problem, path: joinPath(parent, problem.path) };
}

/** Joins two field paths; an index (`[3]`) attaches without a dot. */
export function joinPath(parent: string, child: string): string {
  if (parent === '' || child === '') return parent + child;
  return child.startsWith('[') ? parent + child : `${parent}.${child}`;
}

/** The one line that people read: `spec.fips: Invalid value: …`. */
export function formatProblem(problem: Problem): string {
  return problem.path === '' ? problem.message : `${problem.path}: ${problem.message}`;
}

/**
 * What a failure asks of whom. `transient`: try again later. `stalled`: useless until someone changes
 * something. `cancelled`: we are shutting down. `usage`: the command line is wrong.
 */
export type FailureKind = 'transient' | 'stalled' | 'cancelled' | 'usage';

/** A wrong world. Code branches on `kind` and `reason` (CamelCase), never on the text. */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly reason: string;

  constructor(kind: FailureKind, reason: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Failure';
    this.kind = kind;
    this.reason = reason;
  }
}

/** States what must be true here. A false one is a bug of ours, never the user's mistake. */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`bug: ${what}`);
}

/** For the end of an exhaustive `switch`: the compiler proves that it is never reached. */
export function unreachable(value: never): never {
  throw new Error(`bug: unexpected ${JSON.stringify(value)}`);
}
