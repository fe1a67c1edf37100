/**
 * The error of a request: a Status of type Failure, as in apimachinery's `api/errors`. Messages equal those of
 * kube-apiserver, which clients compare.
 *
 * Pure code (`patch`, `resources`, `admission`) returns a StatusError, the request path throws it, and one place in
 * `apiserver` writes it to the response.
 */

import type { Problem } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';
import type { Status, StatusCause, StatusDetails, StatusReason } from '../../kubernetes/types/index.ts';

type FailureStatus = Status & { readonly code: number; readonly message: string };

export class StatusError extends Error {
  /** Discriminates it from results in unions. */
  readonly kind = 'error';
  readonly status: FailureStatus;
  /** The response body is the bare message instead of the Status. */
  readonly isPlainText: boolean;

  constructor(status: FailureStatus, { isPlainText = false, cause }: StatusErrorOptions = {}) {
    super(status.message, cause === undefined ? {} : { cause });
    this.name = 'StatusError';
    this.status = status;
    this.isPlainText = isPlainText;
  }
}

type StatusErrorOptions = {
  readonly isPlainText?: boolean;
  /** Details that are not sent to the client. */
  readonly cause?: string;
};

type Failure = {
  readonly code: number;
  /** Absent for `metav1.StatusReasonUnknown`. */
  readonly reason?: StatusReason;
  readonly message: string;
  readonly details?: StatusDetails;
};

export function statusError(failure: Failure, options: StatusErrorOptions = {}): StatusError {
  const { code, reason, message, details } = failure;
  const status: FailureStatus = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  };
  return new StatusError(status, options);
}

/** `plural` may include a subresource: `pods/binding`. */
type GroupResource = { readonly group: string; readonly plural: string };

export function notFound(resource: GroupResource, name: string): StatusError {
  const message = `${qualified(resource.plural, resource.group)} ${quoted(name)} not found`;
  return statusError({ code: 404, reason: 'NotFound', message, details: detailsOf(resource, name) });
}

export function alreadyExists(resource: GroupResource, name: string): StatusError {
  const message = `${qualified(resource.plural, resource.group)} ${quoted(name)} already exists`;
  return statusError({ code: 409, reason: 'AlreadyExists', message, details: detailsOf(resource, name) });
}

export function conflict(resource: GroupResource, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(resource.plural, resource.group)} ${quoted(name)}: ${why}`;
  return statusError({ code: 409, reason: 'Conflict', message, details: detailsOf(resource, name) });
}

export const STALE =
  'the object has been modified; please apply your changes to the latest version and try again';

export function applyConflict(message: string, causes: readonly StatusCause[]): StatusError {
  return statusError({ code: 409, reason: 'Conflict', message, details: { causes } });
}

export function forbidden(resource: GroupResource, name: string, why: string): StatusError {
  const named = name === '' ? '' : ` ${quoted(name)}`;
  const message = `${qualified(resource.plural, resource.group)}${named} is forbidden: ${why}`;
  return statusError({ code: 403, reason: 'Forbidden', message, details: detailsOf(resource, name) });
}

export function badRequest(message: string): StatusError {
  return statusError({ code: 400, reason: 'BadRequest', message });
}

export function requestEntityTooLarge(why: string): StatusError {
  const message = `Request entity too large: ${why}`;
  return statusError({ code: 413, reason: 'RequestEntityTooLarge', message });
}

/** kube-apiserver does not send `cause` to the client. */
export function unprocessable(cause: string): StatusError {
  const message = 'the server rejected our request due to an error in our request';
  return statusError({ code: 422, reason: 'Invalid', message, details: {} }, { cause });
}

/** An error that kube-apiserver does not classify: 500 without a reason. */
export function unknownError(message: string): StatusError {
  return statusError({ code: 500, message });
}

/** Errors before the resource is known are plain text. */
export function plainTextError(message: string): StatusError {
  return new StatusError(unknownError(message).status, { isPlainText: true });
}

export function unauthorized(): StatusError {
  return statusError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
}

/** A path without a resource, within a served group. */
export function noSuchResource(): StatusError {
  const message = 'the server could not find the requested resource';
  return statusError({ code: 404, reason: 'NotFound', message, details: {} });
}

export function methodNotAllowed(): StatusError {
  const message = 'the server does not allow this method on the requested resource';
  return statusError({ code: 405, reason: 'MethodNotAllowed', message, details: {} });
}

/** Equal messages appear once in the text, but each of them among the causes. */
export function invalid(
  { group, kind }: { readonly group: string; readonly kind: string },
  name: string,
  problems: readonly Problem[],
): StatusError {
  const reported = withinLimits(problems);
  const causes: StatusCause[] = reported.map(({ path, message, reason = 'FieldValueInvalid' }) => ({
    reason,
    message,
    field: fieldText(path),
  }));
  const texts = [...new Set(reported.map(({ path, message }) => `${fieldText(path)}: ${message}`))];
  if (reported.length < problems.length) texts.push(`and ${problems.length - reported.length} more`);
  const why = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const details = {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(kind === '' ? {} : { kind }),
    causes,
  };
  const message = `${qualified(kind, group)} ${quoted(name)} is invalid: ${why}`;
  return statusError({ code: 422, reason: 'Invalid', message, details });
}

/** A response must not be many times larger than its request: a body can hold hundreds of thousands of problems. */
const MAX_CAUSES = 1_000;
const MAX_CAUSES_LENGTH = 1024 * 1024;

function withinLimits(problems: readonly Problem[]): readonly Problem[] {
  let length = 0;
  const end = problems.findIndex(({ path, message }, index) => {
    if (index >= MAX_CAUSES || length > MAX_CAUSES_LENGTH) return true;
    length += path.length + message.length;
    return false;
  });
  return end < 0 ? problems : problems.slice(0, end);
}

/** Go prints a nil `field.Path` so. */
function fieldText(path: string): string {
  return path === '' ? '<nil>' : path;
}

function qualified(name: string, group: string): string {
  return group === '' ? name : `${name}.${group}`;
}

function detailsOf({ group, plural }: GroupResource, name: string): StatusDetails {
  return { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: plural };
}
