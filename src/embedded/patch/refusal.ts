/**
 * Why a patch is refused, in two voices: what went wrong, and the Status in which kube-apiserver says so.
 *
 * The two differ where the server keeps the reason to itself. A failed `test` of a JSON patch, for one, reads
 * "the server rejected our request due to an error in our request" on the wire.
 */
import type { Problem } from '../../base/errors.ts';

/** A problem (its message says what went wrong) and the Status that goes with it. */
type Refusal = Problem & { readonly status: RefusalStatus };

type RefusalStatus = {
  readonly code: 400 | 409 | 413 | 422 | 500;
  /** `metav1.Status.reason`; empty where the server gives none. */
  readonly reason: 'BadRequest' | 'Conflict' | 'RequestEntityTooLarge' | 'Invalid' | '';
  readonly message: string;
  readonly causes: readonly StatusCause[];
};

/** One entry of `status.details.causes`. */
export type StatusCause = { readonly reason: string; readonly message: string; readonly field: string };

/** An `Outcome` with one problem, which knows its Status. */
export type Patched<T> =
  | { readonly kind: 'ok'; readonly value: T; readonly warnings: readonly Problem[] }
  | Refused;

export type Refused = { readonly kind: 'invalid'; readonly problems: readonly [Refusal] };

export function patched<T>(value: T, warnings: readonly Problem[] = []): Patched<T> {
  return { kind: 'ok', value, warnings };
}

export function badRequest(message: string): Refused {
  return refused({ code: 400, reason: 'BadRequest', message, causes: [] });
}

export function tooLarge(message: string): Refused {
  const told = `Request entity too large: ${message}`;
  return refused({ code: 413, reason: 'RequestEntityTooLarge', message: told, causes: [] });
}

/** The server does not pass the message on. */
export function unprocessable(message: string): Refused {
  const told = 'the server rejected our request due to an error in our request';
  return refused({ code: 422, reason: 'Invalid', message: told, causes: [] }, message);
}

/** What the server answers where it did not think of the case: 500, no reason, the bare text. */
export function unforeseen(message: string): Refused {
  return refused({ code: 500, reason: '', message, causes: [] });
}

export function conflict(message: string, causes: readonly StatusCause[]): Refused {
  return refused({ code: 409, reason: 'Conflict', message, causes });
}

function refused(status: RefusalStatus, message = status.message): Refused {
  return { kind: 'invalid', problems: [{ path: '', message, status }] };
}
