/**
 * Responses of the transport: before a request reaches the API server, or when that fails. Without a parsed request,
 * the response is raw text.
 */

import { methodNotAllowed, statusError } from '../../status/index.ts';
import { statusResponse } from '../response.ts';
import { MAX_BODY_BYTES, type Request, type Response } from './http.ts';

export function tooLarge(request: Request): Response {
  const { status } = statusError({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${MAX_BODY_BYTES}`,
  });
  return statusResponse(status, { request });
}

/** An internal error: the client sees no details, the log does. */
export function failed(request: Request): Response {
  const message = 'the request failed; see the log of the server';
  const { status } = statusError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
  return statusResponse(status, { request });
}

/** For unknown methods. The connection is closed: what follows cannot be parsed. */
export function badMethodResponse(): string {
  const body = `${JSON.stringify(methodNotAllowed().status)}\n`;
  const head = [
    'HTTP/1.1 405 Method Not Allowed',
    'Cache-Control: no-cache, private',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** For plain HTTP on the TLS port. */
export const PLAIN_HTTP_RESPONSE =
  'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/** For garbage and slow requests, with Go's messages. */
export function garbageResponse(code: string | undefined): string {
  const line = GARBAGE_LINES[code ?? ''] ?? '400 Bad Request';
  const head = Object.entries(PLAIN_HEADERS).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${line}\r\n${head.join('\r\n')}\r\n\r\n${line}`;
}

export const PLAIN_HEADERS = { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' };

/** Splits a line such as `400 Bad Request: what is wrong`. */
export function lineOf(line: string): { readonly code: number; readonly reason: string } {
  const [code = '', ...reason] = line.split(' ');
  return { code: Number(code), reason: reason.join(' ') };
}

/** By the code of Node's error. */
const GARBAGE_LINES: { readonly [code: string]: string } = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
