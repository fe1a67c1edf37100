/**
 * Error responses of registries, with the messages of container tools: `manifest unknown`,
 * `unauthorized: access to the requested resource is not authorized`.
 */

import { Failure } from '../base/errors.ts';
import { isObject, parseJson } from '../base/json.ts';
import { listAt, optionalStringAt, stringAt } from '../base/json-fields.ts';
import { readBytes } from './read-bytes.ts';
import type { RegistryTransportResponse } from './transport.ts';

type ErrorResponse = {
  readonly status: number;
  /** As in the specification: `MANIFEST_UNKNOWN`; empty where the registry sends none. */
  readonly code: string;
  /** For the message. */
  readonly text: string;
};

/** The limit of an error response. */
const MAX_REFUSAL_BYTES = 64 * 1024;
/** The limit of a quoted body that is not a list of errors. */
const MAX_QUOTED_LENGTH = 50;
const MAX_MESSAGE_LENGTH = 1_000;

export async function readErrorResponse({ status, body }: RegistryTransportResponse): Promise<ErrorResponse> {
  const bytes = await readBytes(body, MAX_REFUSAL_BYTES).catch(() => undefined);
  const text = new TextDecoder().decode(bytes ?? new Uint8Array());
  const first = firstError(text);
  if (first !== undefined) return { status, code: first.code, text: errorText(first) };
  const quoted = text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}...` : text;
  return { status, code: '', text: `StatusCode: ${status}, ${JSON.stringify(quoted)}` };
}

/** `doing` is the operation: `reading manifest v1 in quay.io/a/b`. */
export function responseFailure(doing: string, { status, code, text }: ErrorResponse): Failure {
  const kind = isTransientStatus(status) ? 'transient' : 'stalled';
  return new Failure(kind, reasonOf(status, code), `${doing}: ${text}`);
}

/** Whether a retry may succeed. */
export function isTransientStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** The standard messages, which repeat their codes. */
const DEFAULT_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['BLOB_UNKNOWN', 'blob unknown to registry'],
  ['BLOB_UPLOAD_INVALID', 'blob upload invalid'],
  ['BLOB_UPLOAD_UNKNOWN', 'blob upload unknown to registry'],
  ['DENIED', 'requested access to the resource is denied'],
  ['DIGEST_INVALID', 'provided digest did not match uploaded content'],
  ['MANIFEST_BLOB_UNKNOWN', 'blob unknown to registry'],
  ['MANIFEST_INVALID', 'manifest invalid'],
  ['MANIFEST_UNKNOWN', 'manifest unknown'],
  ['NAME_INVALID', 'invalid repository name'],
  ['NAME_UNKNOWN', 'repository name not known to registry'],
  ['RANGE_INVALID', 'invalid content range'],
  ['SIZE_INVALID', 'provided length did not match content length'],
  ['TAG_INVALID', 'manifest tag did not match URI'],
  ['TOOMANYREQUESTS', 'too many requests'],
  ['UNAUTHORIZED', 'authentication required'],
  ['UNAVAILABLE', 'service unavailable'],
  ['UNKNOWN', 'unknown error'],
  ['UNSUPPORTED', 'The operation is unsupported.'],
]);

type FirstError = { readonly code: string; readonly message: string };

function errorText({ code, message }: FirstError): string {
  const text = code.toLowerCase().replaceAll('_', ' ');
  if (message === '') return text;
  return message === DEFAULT_MESSAGES.get(code) ? message : `${text}: ${message}`;
}

function firstError(text: string): FirstError | undefined {
  const document = parseJson(text);
  const [first] = listAt(document, 'errors');
  if (!isObject(first)) return tokenError(document);
  const code = stringAt(first, 'code');
  return /^[A-Z][A-Z0-9_]{0,63}$/.test(code)
    ? { code, message: oneLine(stringAt(first, 'message')) }
    : undefined;
}

/** Token services send one field: `{"details": "incorrect username or password"}`. */
function tokenError(document: unknown): FirstError | undefined {
  const details = optionalStringAt(document, 'details');
  return details === undefined ? undefined : { code: 'UNAUTHORIZED', message: oneLine(details) };
}

/** Without control characters. */
function oneLine(message: string): string {
  return message
    .slice(0, MAX_MESSAGE_LENGTH)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** `MANIFEST_UNKNOWN` → `ManifestUnknown`. */
function reasonOf(status: number, code: string): string {
  if (code === 'TOOMANYREQUESTS' || status === 429) return 'TooManyRequests';
  if (code === '') return status === 401 ? 'Unauthorized' : status === 404 ? 'NotFound' : 'Refused';
  return code
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('');
}
