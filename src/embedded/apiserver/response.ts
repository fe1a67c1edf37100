/**
 * Answers as bytes: objects, lists, Tables and refusals.
 */

import { canonicalJson, type Json, type JsonObject } from '../../base/json.ts';
import { formatYaml } from '../../base/yaml/index.ts';
import type { Status } from '../../kubernetes/types/index.ts';
import { encodeProtobuf } from '../protobuf/index.ts';
import type { Request, Response } from './http/http.ts';
import type { Form } from './negotiation.ts';

const encoder = new TextEncoder();

type AnswerOptions = {
  readonly request: Request;
  readonly form?: Form;
  readonly warnings?: readonly string[];
  readonly headers?: readonly (readonly [string, string])[];
};

export function answerJson(
  status: number,
  value: Json | JsonObject | Status,
  options: AnswerOptions,
): Response {
  if (options.form?.encoding === 'protobuf') {
    // Whatever is answered is JSON, which its types do not always say.
    const bytes = encodeProtobuf(value as JsonObject);
    if (bytes !== undefined) return answerBytes(status, bytes, PROTOBUF, options);
  }
  if (options.form?.encoding === 'yaml') {
    // The server writes YAML with the keys of every object in their order.
    const sorted: Json = JSON.parse(canonicalJson(value as Json));
    return answerText(status, formatYaml(sorted), 'application/yaml', options);
  }
  const indent = wantsIndent(options.request) ? 2 : undefined;
  const ending = indent === undefined ? '\n' : '';
  return answerText(
    status,
    `${JSON.stringify(value, undefined, indent)}${ending}`,
    'application/json',
    options,
  );
}

/** A text that is JSON already, or no JSON at all. */
function answerText(status: number, text: string, contentType: string, options: AnswerOptions): Response {
  return answerBytes(status, encoder.encode(text), contentType, options);
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Bytes that are JSON already. */
export function answerBytes(
  status: number,
  body: Uint8Array,
  contentType: string,
  { warnings = [], headers = [] }: AnswerOptions,
): Response {
  return {
    status,
    headers: [
      ['content-type', contentType],
      ['cache-control', 'no-cache, private'],
      ...warningHeaders(warnings),
      ...headers,
    ],
    body,
  };
}

export function answerStatus(status: Status, options: AnswerOptions): Response {
  const seconds = status.details?.retryAfterSeconds;
  const headers = options.headers ?? [];
  return answerJson(status.code ?? 200, status, {
    ...options,
    headers: seconds === undefined ? headers : [...headers, ['retry-after', String(seconds)]],
  });
}

export function plainText(status: number, text: string, request: Request): Response {
  const headers: AnswerOptions['headers'] = [['x-content-type-options', 'nosniff']];
  return answerText(status, text, 'text/plain; charset=utf-8', { request, headers });
}

/** People read what these programs show. */
const READERS = ['curl', 'Wget', 'Mozilla/'];

export function wantsIndent({ headers, query }: Request): boolean {
  // Hardly anybody asks, and nobody without the word or an escape in it.
  const mayAsk = query.includes('pretty') || query.includes('%');
  const asked = mayAsk ? new URLSearchParams(query).get('pretty') : null;
  if (asked !== null) return !['false', '0'].includes(asked.toLowerCase());
  const agent = headers['user-agent'] ?? '';
  return READERS.some((reader) => agent.startsWith(reader));
}

/** Together, as the server has it; what is beyond is left out. */
const MAX_WARNINGS_LENGTH = 4096;
const MAX_WARNING_LENGTH = 256;

export function warningHeaders(warnings: readonly string[]): readonly (readonly [string, string])[] {
  const texts = [...new Set(warnings)].map((text) =>
    // Header values hold printable characters alone.
    [...text].map((one) => (/^[\x20-\x7e]$/.test(one) ? one : ' ')).join(''),
  );
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  const cut = total > MAX_WARNINGS_LENGTH ? texts.map((text) => text.slice(0, MAX_WARNING_LENGTH)) : texts;
  const headers: [string, string][] = [];
  let length = 0;
  for (const text of cut) {
    length += text.length;
    if (length > MAX_WARNINGS_LENGTH) break;
    headers.push(['warning', `299 - "${text.replace(/[\\"]/g, '\\$&')}"`]);
  }
  return headers;
}
