/**
 * A request that comes over the wire, in its turn: a seat first, then its body, then the answer, and the seat back when
 * the answer has gone out.
 */

import { badRequest } from '../../status/index.ts';
import { answerStatus, plainText } from '../response.ts';
import type { FlowControl } from './flow-control.ts';
import { RETRY_AFTER_SECONDS } from './flow-limits.ts';
import type { Flow } from './flow-schema.ts';
import type { Arriving, Request, Response } from './http.ts';
import { tooLarge } from './transport-responses.ts';

type Turn = {
  readonly flowControl: FlowControl;
  readonly flow: Flow;
  readonly arriving: Arriving;
};

export async function inTurn(
  { flowControl, flow, arriving }: Turn,
  answer: () => Promise<Response>,
): Promise<Response> {
  if (flow.kind === 'exempt') return answer();
  const { level, user, isStream } = flow;
  const leave = isStream ? flowControl.stream(user) : nothing;
  if (leave === undefined) return tooManyRequests(arriving);
  arriving.whenOver(leave);
  const { bodyBytes: bytes, signal } = arriving;
  const seat = await flowControl.seat({ level, user, bytes, signal });
  if (seat === undefined) return tooManyRequests(arriving);
  arriving.whenOver(seat.release);
  const response = await answer();
  if (response.body instanceof Uint8Array) seat.widen(response.body.length);
  // What goes on has its place among the streams now.
  else if (isStream) seat.release();
  return response;
}

/** The request with its body, once that has come; what is none is answered here. */
export async function withBody(
  arriving: Arriving,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  const body = await arriving.readBody();
  if (body === 'tooLarge') return tooLarge(headOf(arriving));
  // Nobody hears this.
  if (body === 'gone')
    return answerStatus(badRequest('unexpected EOF').status, { request: headOf(arriving) });
  return answer({ ...headOf(arriving), body });
}

/** The request as if it had no body. */
export function headOf(arriving: Arriving): Request {
  const { bodyBytes: _, readBody: __, whenOver: ___, ...head } = arriving;
  return { ...head, body: NOTHING };
}

/** As kube-apiserver says it, which clients obey. */
function tooManyRequests(arriving: Arriving): Response {
  const text = 'Too many requests, please try again later.\n';
  const { headers, ...rest } = plainText(429, text, headOf(arriving));
  return { ...rest, headers: [...headers, ['retry-after', String(RETRY_AFTER_SECONDS)]] };
}

const NOTHING = new Uint8Array();

function nothing(): void {}
