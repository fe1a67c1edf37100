/** An error response of a kubelet as the Status that kube-apiserver makes of it. */

import { quoted } from '../../../base/text/index.ts';
import type { StatusReason } from '../../../kubernetes/types/index.ts';
import { badRequest, type StatusError, statusError } from '../../status/index.ts';
import type { ContainerLog } from './kubelet.ts';

/** Longer bodies are cut. */
const MAX_TEXT_BYTES = 50_000;

export async function kubeletError({ status, body }: ContainerLog, pod: string): Promise<StatusError> {
  const text = await readStart(body);
  if (status === 400) return badRequest(text);
  if (status === 500) {
    const message = `Internal error occurred: ${text}`;
    return statusError({
      code: 500,
      reason: 'InternalError',
      message,
      details: { causes: [{ message: text }] },
    });
  }
  const { reason, message } = statusTextOf(status, text);
  return statusError({
    code: status,
    reason,
    // client-go prints the verb first, which is empty here.
    message: `${message} ( pods/log ${pod})`,
    details: { name: pod, kind: 'pods/log' },
  });
}

type StatusText = { readonly reason: StatusReason; readonly message: string };

function statusTextOf(status: number, text: string): StatusText {
  switch (status) {
    case 401:
      return {
        reason: 'Unauthorized',
        message: 'the server has asked for the client to provide credentials',
      };
    case 403:
      return { reason: 'Forbidden', message: text };
    case 404:
      return { reason: 'NotFound', message: 'the server could not find the requested resource' };
    case 422:
      return { reason: 'Invalid', message: 'the server rejected our request due to an error in our request' };
    case 503:
      return {
        reason: 'ServiceUnavailable',
        message: 'the server is currently unable to handle the request',
      };
    default:
      return {
        reason: 'InternalError',
        message: `an error on the server (${quoted(text)}) has prevented the request from succeeding`,
      };
  }
}

async function readStart(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let left = MAX_TEXT_BYTES;
  for await (const chunk of body) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true });
    left -= chunk.length;
    if (left <= 0) break;
  }
  return text;
}
