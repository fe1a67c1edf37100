/** Expected Statuses of errors, in full: clients read every field. */
import { expect } from 'vitest';
import type { Answer } from './http-client.ts';
import { listOf } from './loose.ts';

export type Failure = {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: object;
};

/** Asserts the status line and the whole body. */
export function expectFailure(answer: Answer, { code, reason, message, details }: Failure): void {
  expect(answer.json).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  });
  expect(answer.status).toBe(code);
}

/** A resource and its group, as messages name them: `widgets.example.com`, or `pods` in the group without a name. */
export type Resource = { readonly resource: string; readonly group?: string };

export function notFound({ resource, group }: Resource, name: string): Failure {
  return {
    code: 404,
    reason: 'NotFound',
    message: `${qualified(resource, group)} "${name}" not found`,
    details: { name, ...groupOf(group), kind: resource },
  };
}

export function alreadyExists({ resource, group }: Resource, name: string): Failure {
  return {
    code: 409,
    reason: 'AlreadyExists',
    message: `${qualified(resource, group)} "${name}" already exists`,
    details: { name, ...groupOf(group), kind: resource },
  };
}

export function stale({ resource, group }: Resource, name: string): Failure {
  return conflict({ resource, ...groupOf(group) }, name, STALE);
}

export function conflict({ resource, group }: Resource, name: string, why: string): Failure {
  return {
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${qualified(resource, group)} "${name}": ${why}`,
    details: { name, ...groupOf(group), kind: resource },
  };
}

export function badRequest(message: string): Failure {
  return { code: 400, reason: 'BadRequest', message };
}

export type Cause = { readonly reason: string; readonly message: string; readonly field: string };

/** A single cause is the message; several are joined in brackets. */
export function invalid(
  { kind, group, name }: { readonly kind: string; readonly group?: string; readonly name: string },
  ...causes: readonly Cause[]
): Failure {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  return {
    code: 422,
    reason: 'Invalid',
    message: `${qualified(kind, group)} "${name}" is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`,
    details: { ...(name === '' ? {} : { name }), ...groupOf(group), kind, causes },
  };
}

/** Asserts that an object is invalid, and gives each cause as a line: `field Reason: message`. */
export function causesOf(
  answer: Answer,
  kind: { readonly kind: string; readonly group?: string; readonly name: string },
): readonly string[] {
  const causes = listOf(answer.json.details?.causes).map(({ reason, message, field }) => ({
    reason: String(reason),
    message: String(message),
    field: String(field),
  }));
  expectFailure(answer, invalid(kind, ...causes));
  return causes.map(({ reason, message, field }) => `${field} ${reason}: ${message}`);
}

export function forbidden({ resource, group }: Resource, name: string, why: string): Failure {
  return {
    code: 403,
    reason: 'Forbidden',
    message: `${qualified(resource, group)}${name === '' ? '' : ` "${name}"`} is forbidden: ${why}`,
    details: { ...(name === '' ? {} : { name }), ...groupOf(group), kind: resource },
  };
}

const STALE = 'the object has been modified; please apply your changes to the latest version and try again';

function qualified(resource: string, group: string | undefined): string {
  return group === undefined ? resource : `${resource}.${group}`;
}

function groupOf(group: string | undefined): { readonly group?: string } {
  return group === undefined ? {} : { group };
}
