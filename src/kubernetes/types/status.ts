/**
 * How the server answers where it does not answer with an object: Status, and what every list carries.
 */

/** The answer to a request that failed, or that has nothing to show. */
export type Status = {
  readonly apiVersion: 'v1';
  readonly kind: 'Status';
  readonly metadata: ListMeta;
  readonly status?: 'Success' | 'Failure';
  /** What happened, in a sentence. */
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  /** The HTTP status of the answer. */
  readonly code?: number;
};

/** Why a request failed, in the one word that clients compare. */
export type StatusReason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'Invalid'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServiceUnavailable'
  | 'ServerTimeout'
  | 'Timeout'
  | 'StoreReadError';

export type StatusDetails = {
  readonly name?: string;
  readonly group?: string;
  /** The resource in the plural, in spite of its name; only validation writes the kind here. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
};

/** One thing that was wrong with the request. */
export type StatusCause = {
  /** `FieldValueInvalid` and the like, or `DisruptionBudget` where an eviction was refused. */
  readonly reason?: string;
  readonly message?: string;
  /** Where it was wrong: `spec.containers[0].name`. */
  readonly field?: string;
};

export type ListMeta = {
  /** From where a watch goes on. */
  readonly resourceVersion?: string;
  /** How the next page is asked for; absent on the last one. */
  readonly continue?: string;
  readonly remainingItemCount?: number;
  readonly selfLink?: string;
};
