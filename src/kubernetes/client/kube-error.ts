/**
 * A refusal of the server: the error of a response with a Status.
 */

import { Failure, type FailureKind } from '../../base/errors.ts';
import { isObject, own, parseJson } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import type { StatusCause, StatusDetails } from '../types/index.ts';

export class KubeError extends Failure {
  /** The HTTP status code. */
  readonly code: number;
  readonly details: StatusDetails;
  /** From the server's `Retry-After`. */
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

/** Longer texts are truncated: an HTML page of a proxy does not belong into a condition. */
const MAX_TEXT_CHARS = 1024;
/** Further causes are dropped. */
const MAX_CAUSES = 100;

/** Whether the object does not exist. A resource that is not served does not count. */
export function isNotFound(error: unknown, name: string): error is KubeError {
  return error instanceof KubeError && error.code === 404 && error.details.name === name;
}

/** The object has changed since it was read, or was recreated. */
export function isConflict(error: unknown): error is KubeError {
  return error instanceof KubeError && error.code === 409 && error.reason !== 'AlreadyExists';
}

export function isAlreadyExists(error: unknown): error is KubeError {
  return error instanceof KubeError && error.reason === 'AlreadyExists';
}

/** The requested version has expired. */
export function isExpired(error: unknown): error is KubeError {
  return error instanceof KubeError && error.code === 410;
}

/** The refusal in a response, or in an `ERROR` event of a watch. */
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

/** The refusal of a Status object. */
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
  // A truncated body is not JSON: it is shown as text.
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
  // TypeScript does not infer the type of a computed key.
  return (typeof text === 'string' ? { [key]: text } : {}) as { readonly [P in K]?: string };
}

/** `Retry-After` may also be a date, which is ignored: clocks differ. */
function secondsAsMs(seconds: string | number | undefined): number | undefined {
  if (typeof seconds === 'string' && !/^\d{1,9}$/.test(seconds.trim())) return undefined;
  const value = Number(seconds ?? 0);
  return Number.isFinite(value) && value > 0 ? value * 1000 : undefined;
}

/** An expired list can be repeated from its start, so that is transient too. */
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
