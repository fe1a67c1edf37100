/**
 * What is answered before a request has come to the server proper, or when it has failed there. Where there is no
 * request to answer, the answer is a text that goes over the wire as it is.
 */

import { methodNotAllowed, statusError } from '../../status/index.ts';
import { answerStatus } from '../response.ts';
import { MAX_BODY_BYTES, type Request, type Response } from './http.ts';

export function tooLarge(request: Request): Response {
  const { status } = statusError({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${MAX_BODY_BYTES}`,
  });
  return answerStatus(status, { request });
}

/** A mistake of ours: the client learns that it was none of its own, and the log learns the rest. */
export function failed(request: Request): Response {
  const message = 'the request failed, and the log of the server says why';
  const { status } = statusError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
  return answerStatus(status, { request });
}

/** For a method that nobody has heard of. The connection ends with it: what follows cannot be told from a body. */
export function oddMethodAnswer(): string {
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

/** For who speaks HTTP where TLS is spoken. */
export const PLAIN_HTTP_ANSWER =
  'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/** For what is no HTTP, or comes too slowly: as Go words it. */
export function garbageAnswer(code: string | undefined): string {
  const line = GARBAGE_LINES[code ?? ''] ?? '400 Bad Request';
  const head = Object.entries(PLAIN_HEADERS).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${line}\r\n${head.join('\r\n')}\r\n\r\n${line}`;
}

export const PLAIN_HEADERS = { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' };

/** A line such as `400 Bad Request: what is wrong` in its two parts. */
export function lineOf(line: string): { readonly code: number; readonly reason: string } {
  const [code = '', ...words] = line.split(' ');
  return { code: Number(code), reason: words.join(' ') };
}

/** By the code of Node's error. */
const GARBAGE_LINES: { readonly [code: string]: string } = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
