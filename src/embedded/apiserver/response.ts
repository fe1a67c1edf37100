/** Responses: objects, lists, Tables and Statuses as bytes. */

import { canonicalJson, type Json, type JsonObject } from '../../base/json.ts';
import { formatYaml } from '../../base/yaml/index.ts';
import type { Status } from '../../kubernetes/types/index.ts';
import { encodeProtobuf } from '../protobuf/index.ts';
import type { Request, Response } from './http/http.ts';
import type { ResponseFormat } from './negotiation.ts';

const encoder = new TextEncoder();

type ResponseOptions = {
  readonly request: Request;
  readonly format?: ResponseFormat;
  readonly warnings?: readonly string[];
  readonly headers?: readonly (readonly [string, string])[];
};

export function jsonResponse(
  status: number,
  value: Json | JsonObject | Status,
  options: ResponseOptions,
): Response {
  if (options.format?.encoding === 'protobuf') {
    // All responses are JSON, which their types do not always show.
    const bytes = encodeProtobuf(value as JsonObject);
    if (bytes !== undefined) return bytesResponse(status, bytes, PROTOBUF, options);
  }
  if (options.format?.encoding === 'yaml') {
    // kube-apiserver sorts the keys of YAML.
    const sorted: Json = JSON.parse(canonicalJson(value as Json));
    return textResponse(status, formatYaml(sorted), 'application/yaml', options);
  }
  const indent = wantsIndent(options.request) ? 2 : undefined;
  const ending = indent === undefined ? '\n' : '';
  return textResponse(
    status,
    `${JSON.stringify(value, undefined, indent)}${ending}`,
    'application/json',
    options,
  );
}

function textResponse(status: number, text: string, contentType: string, options: ResponseOptions): Response {
  return bytesResponse(status, encoder.encode(text), contentType, options);
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

export function bytesResponse(
  status: number,
  body: Uint8Array,
  contentType: string,
  { warnings = [], headers = [] }: ResponseOptions,
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

export function statusResponse(status: Status, options: ResponseOptions): Response {
  const seconds = status.details?.retryAfterSeconds;
  const headers = options.headers ?? [];
  return jsonResponse(status.code ?? 200, status, {
    ...options,
    headers: seconds === undefined ? headers : [...headers, ['retry-after', String(seconds)]],
  });
}

export function plainTextResponse(status: number, text: string, request: Request): Response {
  const headers: ResponseOptions['headers'] = [['x-content-type-options', 'nosniff']];
  return textResponse(status, text, 'text/plain; charset=utf-8', { request, headers });
}

/** User agents that get indented JSON by default. */
const HUMAN_AGENTS = ['curl', 'Wget', 'Mozilla/'];

export function wantsIndent({ headers, query }: Request): boolean {
  // Parsing the query is avoided for the common case.
  const mayContain = query.includes('pretty') || query.includes('%');
  const pretty = mayContain ? new URLSearchParams(query).get('pretty') : null;
  if (pretty !== null) return !['false', '0'].includes(pretty.toLowerCase());
  const agent = headers['user-agent'] ?? '';
  return HUMAN_AGENTS.some((reader) => agent.startsWith(reader));
}

/** In total, as in kube-apiserver; further warnings are dropped. */
const MAX_WARNINGS_LENGTH = 4096;
const MAX_WARNING_LENGTH = 256;

export function warningHeaders(warnings: readonly string[]): readonly (readonly [string, string])[] {
  const texts = [...new Set(warnings)].map((text) =>
    // Header values must be printable ASCII.
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
