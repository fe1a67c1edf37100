/**
 * What a registry says no with, in the words that containers' tools show: `manifest unknown`,
 * `unauthorized: access to the requested resource is not authorized`.
 */

import { Failure } from '../base/errors.ts';
import { isObject, parseJson } from '../base/json.ts';
import { listAt, optionalStringAt, stringAt } from '../base/json-fields.ts';
import { readBytes } from './read-bytes.ts';
import type { RegistryTransportResponse } from './transport.ts';

type Refusal = {
  readonly status: number;
  /** As the specification has them: `MANIFEST_UNKNOWN`; empty where the registry gives none. */
  readonly code: string;
  /** What a person is shown. */
  readonly text: string;
};

/** Of a refusal no more is read. */
const MAX_REFUSAL_BYTES = 64 * 1024;
/** Of what is no list of errors so much is quoted. */
const MAX_QUOTED_LENGTH = 50;
const MAX_MESSAGE_LENGTH = 1_000;

export async function readRefusal({ status, body }: RegistryTransportResponse): Promise<Refusal> {
  const bytes = await readBytes(body, MAX_REFUSAL_BYTES).catch(() => undefined);
  const text = new TextDecoder().decode(bytes ?? new Uint8Array());
  const first = firstError(text);
  if (first !== undefined) return { status, code: first.code, text: errorText(first) };
  const quoted = text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}...` : text;
  return { status, code: '', text: `StatusCode: ${status}, ${JSON.stringify(quoted)}` };
}

/** `doing` is what was tried: `reading manifest v1 in quay.io/a/b`. */
export function refusedFailure(doing: string, { status, code, text }: Refusal): Failure {
  const kind = isTransientStatus(status) ? 'transient' : 'stalled';
  return new Failure(kind, reasonOf(status, code), `${doing}: ${text}`);
}

/** Whether it may be different the next time. */
export function isTransientStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** The messages that say no more than their codes do. */
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
  const words = code.toLowerCase().replaceAll('_', ' ');
  if (message === '') return words;
  return message === DEFAULT_MESSAGES.get(code) ? message : `${words}: ${message}`;
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

/** Services that give tokens say it in a line: `{"details": "incorrect username or password"}`. */
function tokenError(document: unknown): FirstError | undefined {
  const details = optionalStringAt(document, 'details');
  return details === undefined ? undefined : { code: 'UNAUTHORIZED', message: oneLine(details) };
}

/** Nothing that a terminal or a log would take for more than words. */
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
