/**
 * What is answered before a request has come to the server proper, or when it has failed there.
 */
import { answerStatus } from './answer.ts';
import { MAX_BODY_BYTES, type Request, type Response } from './http.ts';
import { refusal } from './refusal.ts';

export function tooLarge(request: Request): Response {
  const { status } = refusal({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${MAX_BODY_BYTES}`,
  });
  return answerStatus(status, { request });
}

/** A mistake of ours: the client learns that it was none of its own, and the log learns the rest. */
export function failed(request: Request): Response {
  const message = 'the request failed, and the log of the server says why';
  const { status } = refusal({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
  return answerStatus(status, { request });
}

/** For what is no HTTP, or comes too slowly: as Go words it. */
export function garbageAnswer(code: string | undefined): string {
  const line = GARBAGE_LINES[code ?? ''] ?? '400 Bad Request';
  const head = 'Content-Type: text/plain; charset=utf-8\r\nConnection: close';
  return `HTTP/1.1 ${line}\r\n${head}\r\n\r\n${line}`;
}

/** By the code of Node's error. */
const GARBAGE_LINES: { readonly [code: string]: string } = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
