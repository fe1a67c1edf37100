/**
 * Flow control of one request from the network: take a seat, read the body, serve, and release the seat when the
 * response is sent.
 */

import { badRequest } from '../../status/index.ts';
import { plainTextResponse, statusResponse } from '../response.ts';
import type { FlowControl } from './flow-control.ts';
import { RETRY_AFTER_SECONDS } from './flow-limits.ts';
import type { Flow } from './flow-schema.ts';
import type { PendingRequest, Request, Response } from './http.ts';
import { tooLarge } from './transport-responses.ts';

type Turn = {
  readonly flowControl: FlowControl;
  readonly flow: Flow;
  readonly pending: PendingRequest;
};

export async function withSeat(
  { flowControl, flow, pending }: Turn,
  answer: () => Promise<Response>,
): Promise<Response> {
  if (flow.kind === 'exempt') return answer();
  const { level, user, isStream } = flow;
  const leave = isStream ? flowControl.stream(user) : nothing;
  if (leave === undefined) return tooManyRequests(pending);
  pending.onComplete(leave);
  const { bodyBytes: bytes, signal } = pending;
  const seat = await flowControl.seat({ level, user, bytes, signal });
  if (seat === undefined) return tooManyRequests(pending);
  pending.onComplete(seat.release);
  const response = await answer();
  if (response.body instanceof Uint8Array) seat.widen(response.body.length);
  // Streams are counted separately.
  else if (isStream) seat.release();
  return response;
}

/** Reads the body; oversized and interrupted ones are answered here. */
export async function withBody(
  pending: PendingRequest,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  const body = await pending.readBody();
  if (body === 'tooLarge') return tooLarge(headOf(pending));
  // The client is gone.
  if (body === 'gone')
    return statusResponse(badRequest('unexpected EOF').status, { request: headOf(pending) });
  return answer({ ...headOf(pending), body });
}

/** The request without its body. */
export function headOf(pending: PendingRequest): Request {
  const { bodyBytes: _, readBody: __, onComplete: ___, ...head } = pending;
  return { ...head, body: NOTHING };
}

/** As in kube-apiserver; clients retry by this header. */
function tooManyRequests(pending: PendingRequest): Response {
  const text = 'Too many requests, please try again later.\n';
  const { headers, ...rest } = plainTextResponse(429, text, headOf(pending));
  return { ...rest, headers: [...headers, ['retry-after', String(RETRY_AFTER_SECONDS)]] };
}

const NOTHING = new Uint8Array();

function nothing(): void {}
