/**
 * How a door of an object says no: the parts of a Status.
 */
import type { Problem } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';

export type Refusal = {
  readonly kind: 'refused';
  readonly code: number;
  /** Absent where the server has no word for it, as with its own failures. */
  readonly reason?: string;
  readonly message: string;
  readonly details?: JsonObject;
  /** After how long it makes sense to try again; also a header of the answer. */
  readonly retryAfterSeconds?: number;
};

export function badRequest(message: string): Refusal {
  return { kind: 'refused', code: 400, reason: 'BadRequest', message };
}

/** A failure of the server's own, as far as it can tell. */
export function serverFailure(message: string): Refusal {
  return { kind: 'refused', code: 500, message };
}

/** `resource` may be a door: `pods/binding`. */
export function conflict(resource: string, name: string, why: string): Refusal {
  return {
    kind: 'refused',
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${resource} "${name}": ${why}`,
    details: { name, kind: resource },
  };
}

/** Problems with what was asked for, which become one Status with all causes, as those of objects do. */
export type Faulty = { readonly kind: 'invalid'; readonly problems: readonly Problem[] };
