/**
 * A request that is not done, and the Status that says so.
 *
 * Refusals are thrown: they end the way of a request wherever it has got to, and one place turns them into answers.
 * Their texts are those of kube-apiserver, which clients and people know.
 */

import type { Problem } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';
import type { Status, StatusCause, StatusDetails, StatusReason } from '../../kubernetes/types/index.ts';

export class Refusal extends Error {
  readonly status: Status & { readonly code: number };
  /** The text alone is the answer. */
  readonly isPlain: boolean;

  constructor(status: Status & { readonly code: number }, { isPlain = false } = {}) {
    super(status.message ?? '');
    this.name = 'Refusal';
    this.status = status;
    this.isPlain = isPlain;
  }
}

/** The names by which messages call what a request is about. */
type Named = { readonly group: string; readonly plural: string; readonly kind: string };

type Failure = {
  readonly code: number;
  readonly reason?: StatusReason;
  readonly message: string;
  readonly details?: StatusDetails;
};

export function refusal({ code, reason, message, details }: Failure): Refusal {
  return new Refusal({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  });
}

export function notFound(resource: Named, name: string): Refusal {
  const message = `${qualified(resource.plural, resource.group)} ${quoted(name)} not found`;
  return refusal({ code: 404, reason: 'NotFound', message, details: about(resource, name) });
}

export function alreadyExists(resource: Named, name: string): Refusal {
  const message = `${qualified(resource.plural, resource.group)} ${quoted(name)} already exists`;
  return refusal({ code: 409, reason: 'AlreadyExists', message, details: about(resource, name) });
}

export function conflict(resource: Named, name: string, why: string): Refusal {
  const message = `Operation cannot be fulfilled on ${qualified(resource.plural, resource.group)} ${quoted(name)}: ${why}`;
  return refusal({ code: 409, reason: 'Conflict', message, details: about(resource, name) });
}

export const STALE =
  'the object has been modified; please apply your changes to the latest version and try again';

export function forbidden(resource: Named, name: string, why: string): Refusal {
  const named = name === '' ? '' : ` ${quoted(name)}`;
  const message = `${qualified(resource.plural, resource.group)}${named} is forbidden: ${why}`;
  return refusal({ code: 403, reason: 'Forbidden', message, details: about(resource, name) });
}

export function badRequest(message: string): Refusal {
  return refusal({ code: 400, reason: 'BadRequest', message });
}

/** A name on a path that no object can have, since it would mean another path. */
export function refuseBadName(name: string): void {
  const why = ['.', '..'].includes(name)
    ? `may not be '${name}'`
    : name.includes('%')
      ? "may not contain '%'"
      : undefined;
  if (why !== undefined) throw badRequest(`Name parameter invalid: ${quoted(name)}: ${why}`);
}

/** What the server did not think of: no reason, the bare text. */
export function unforeseen(message: string): Refusal {
  return refusal({ code: 500, message });
}

/** A failure before anybody knows what is asked for: a bare text, and no Status. */
export function plainFailure(message: string): Refusal {
  return new Refusal(unforeseen(message).status, { isPlain: true });
}

export function unauthorized(): Refusal {
  return refusal({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
}

/** The path leads nowhere within a group that is there. */
export function noSuchResource(): Refusal {
  const message = 'the server could not find the requested resource';
  return refusal({ code: 404, reason: 'NotFound', message, details: {} });
}

export function methodNotAllowed(): Refusal {
  const message = 'the server does not allow this method on the requested resource';
  return refusal({ code: 405, reason: 'MethodNotAllowed', message, details: {} });
}

/** Every problem at once. A text that comes twice is said once, but stays twice among the causes. */
export function invalid(
  { group, kind }: { readonly group: string; readonly kind: string },
  name: string,
  problems: readonly Problem[],
): Refusal {
  const told = readable(problems);
  const causes: StatusCause[] = told.map(({ path, message, reason = 'FieldValueInvalid' }) => ({
    reason,
    message,
    field: fieldText(path),
  }));
  const texts = [...new Set(told.map(({ path, message }) => `${fieldText(path)}: ${message}`))];
  if (told.length < problems.length) texts.push(`and ${problems.length - told.length} more`);
  const why = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const details = {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(kind === '' ? {} : { kind }),
    causes,
  };
  const message = `${qualified(kind, group)} ${quoted(name)} is invalid: ${why}`;
  return refusal({ code: 422, reason: 'Invalid', message, details });
}

/** An answer must not be many times larger than what was asked: a body can hold hundreds of thousands of problems. */
const MAX_CAUSES = 1_000;
const MAX_CAUSES_LENGTH = 1024 * 1024;

function readable(problems: readonly Problem[]): readonly Problem[] {
  let length = 0;
  const end = problems.findIndex(({ path, message }, index) => {
    if (index >= MAX_CAUSES || length > MAX_CAUSES_LENGTH) return true;
    length += path.length + message.length;
    return false;
  });
  return end < 0 ? problems : problems.slice(0, end);
}

/** Go prints a path that leads nowhere so. */
function fieldText(path: string): string {
  return path === '' ? '<nil>' : path;
}

function qualified(name: string, group: string): string {
  return group === '' ? name : `${name}.${group}`;
}

function about({ group, plural }: Named, name: string): StatusDetails {
  return { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: plural };
}
