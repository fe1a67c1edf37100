/**
 * The kinds of errors.
 *
 * Invalid *input* is a value: pure code returns `Problem[]`, each with a path, and never throws for it.
 * Failed *I/O* (a file that cannot be read, a server that does not answer) is thrown as a `Failure`.
 * A *bug* is a failed `assert`, which nothing handles: better to stop than to go on with a broken node.
 */

/** One error of an input, and where it is. */
export type Problem = {
  /** The field, as Kubernetes writes it: `spec.config.storage.files[3].mode`; `''` for the whole object. */
  readonly path: string;
  /** The error and, where it is not obvious, what to do. One line unless the text quotes a report. */
  readonly message: string;
  /** The message without the value, for logs, conditions and other places that more people can read. */
  readonly discreet?: string;
  /** The `reason` of a Status cause; `Invalid` where it is absent. */
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

/** A value, or why there is none. Warnings come with the value and never instead of it. */
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

/** Moves a problem below a parent path: `within('spec.config', {path: 'storage.files[0]'})`. */
export function within(parent: string, problem: Problem): Problem {
  return { ...problem, path: joinPath(parent, problem.path) };
}

/** Joins two field paths; an index (`[3]`) attaches without a dot. */
export function joinPath(parent: string, child: string): string {
  if (parent === '' || child === '') return parent + child;
  return child.startsWith('[') ? parent + child : `${parent}.${child}`;
}

/** One line for users: `spec.fips: Invalid value: …`. */
export function formatProblem(problem: Problem): string {
  return problem.path === '' ? problem.message : `${problem.path}: ${problem.message}`;
}

/**
 * How to react to a failure. `transient`: retry later. `stalled`: retrying is useless until something
 * changes. `cancelled`: the process is shutting down. `usage`: the command line is wrong.
 */
export type FailureKind = 'transient' | 'stalled' | 'cancelled' | 'usage';

/** Failed I/O. Code branches on `kind` and `reason` (CamelCase), never on the text. */
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

/** Our own code is wrong. The process ends with it: going on could break a node. */
export class Bug extends Error {
  constructor(what: string) {
    super(`internal error: ${what}`);
    this.name = 'Bug';
  }
}

/** States an invariant. A false one is a bug, never the user's mistake. */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Bug(what);
}

/** For the end of an exhaustive `switch`: the compiler proves that it is never reached. */
export function unreachable(value: never): never {
  throw new Bug(`unexpected ${JSON.stringify(value)}`);
}

/** An error as a field of a log line. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
