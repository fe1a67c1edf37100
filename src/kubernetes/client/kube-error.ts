/**
 * A refusal of the server, in its own words.
 */

import { Failure, type FailureKind } from '../../base/errors.ts';
import { isObject, own, parseJson } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import type { StatusCause, StatusDetails } from '../types/index.ts';

export class KubeError extends Failure {
  /** The status of the answer. */
  readonly code: number;
  readonly details: StatusDetails;
  /** When the server said to come again. */
  readonly retryAfterMs: number | undefined;

  constructor({ code, reason, message, details, retryAfterMs }: Refused) {
    super(kindOf(code, reason), reason, message);
    this.name = 'KubeError';
    this.code = code;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }
}

type Refused = {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details: StatusDetails;
  readonly retryAfterMs: number | undefined;
};

/** Longer texts are cut: what a proxy says in a page of HTML belongs in no condition. */
const MAX_TEXT_CHARS = 1024;
/** More causes than anybody reads. */
const MAX_CAUSES = 100;

/** Whether there is no such object. That the resource itself is not served is another matter. */
export function isNotFound(error: unknown, name: string): error is KubeError {
  return error instanceof KubeError && error.code === 404 && error.details.name === name;
}

/** The object was changed in between, or is another one by now. */
export function isConflict(error: unknown): error is KubeError {
  return error instanceof KubeError && error.code === 409 && error.reason !== 'AlreadyExists';
}

export function isAlreadyExists(error: unknown): error is KubeError {
  return error instanceof KubeError && error.reason === 'AlreadyExists';
}

/** The version that was asked for is forgotten. */
export function isExpired(error: unknown): error is KubeError {
  return error instanceof KubeError && error.code === 410;
}

/** The refusal that an answer, or an `ERROR` line of a watch, carries. */
export function refusedBy(
  answer: {
    readonly code: number;
    readonly body: string;
    readonly retryAfter: string | undefined;
  },
  doing: string,
): KubeError {
  const status = parsedStatus(answer.body);
  if (status !== undefined) return statusError(status, answer);
  const text = answer.body.trim().slice(0, MAX_TEXT_CHARS);
  return new KubeError({
    code: answer.code,
    reason: reasonOf(answer.code),
    message: `${doing}: the server answered ${answer.code}${text === '' ? '' : `: ${text}`}`,
    details: {},
    retryAfterMs: secondsAsMs(answer.retryAfter),
  });
}

type Fields = { readonly [key: string]: unknown };

/** The refusal that a Status object is. */
export function statusError(
  status: Fields,
  { code, retryAfter }: { readonly code?: number; readonly retryAfter?: string | undefined } = {},
): KubeError {
  const stated = own(status, 'code');
  const known = code ?? (typeof stated === 'number' ? stated : 500);
  const details = detailsOf(own(status, 'details'));
  return new KubeError({
    code: known,
    reason: stringAt(status, 'reason') || reasonOf(known),
    message: (stringAt(status, 'message') || `the server answered ${known}`).slice(0, MAX_TEXT_CHARS * 8),
    details,
    retryAfterMs: secondsAsMs(retryAfter) ?? secondsAsMs(details.retryAfterSeconds),
  });
}

function parsedStatus(text: string): Fields | undefined {
  if (!text.startsWith('{')) return undefined;
  // A body that is cut short is shown as the text that it is.
  const value = parseJson(text);
  return isObject(value) && own(value, 'kind') === 'Status' ? value : undefined;
}

function detailsOf(value: unknown): StatusDetails {
  if (!isObject(value)) return {};
  const causes = own(value, 'causes');
  const seconds = own(value, 'retryAfterSeconds');
  return {
    ...textField(value, 'name'),
    ...textField(value, 'group'),
    ...textField(value, 'kind'),
    ...textField(value, 'uid'),
    ...(typeof seconds === 'number' ? { retryAfterSeconds: seconds } : {}),
    ...(Array.isArray(causes) ? { causes: causes.slice(0, MAX_CAUSES).filter(isObject).map(causeOf) } : {}),
  };
}

function causeOf(value: Fields): StatusCause {
  return { ...textField(value, 'reason'), ...textField(value, 'message'), ...textField(value, 'field') };
}

function textField<K extends string>(value: Fields, key: K): { readonly [P in K]?: string } {
  const text = own(value, key);
  // The key is the one that was asked for, which TypeScript does not see through a computed name.
  return (typeof text === 'string' ? { [key]: text } : {}) as { readonly [P in K]?: string };
}

/** `Retry-After` may also be a date, which says nothing to a clock that is not the server's. */
function secondsAsMs(seconds: string | number | undefined): number | undefined {
  if (typeof seconds === 'string' && !/^\d{1,9}$/.test(seconds.trim())) return undefined;
  const value = Number(seconds ?? 0);
  return Number.isFinite(value) && value > 0 ? value * 1000 : undefined;
}

/** A list that has expired is worth asking for again, from its start; so that is transient too. */
function kindOf(code: number, reason: string): FailureKind {
  if (code === 409) return reason === 'AlreadyExists' ? 'stalled' : 'transient';
  return code === 408 || code === 410 || code === 429 || code >= 500 ? 'transient' : 'stalled';
}

const REASONS: ReadonlyMap<number, string> = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [408, 'Timeout'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [413, 'RequestEntityTooLarge'],
  [415, 'UnsupportedMediaType'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
  [504, 'Timeout'],
]);

function reasonOf(code: number): string {
  return REASONS.get(code) ?? 'Unknown';
}
