import { describe, expect, it } from 'vitest';
import { kubeletError } from './kubelet-error.ts';

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

describe('kubeletError', () => {
  it.each([
    [400, 'BadRequest', 'container "c" in pod "p" is waiting to start: ContainerCreating'],
    [
      500,
      'InternalError',
      'Internal error occurred: container "c" in pod "p" is waiting to start: ContainerCreating',
    ],
    [404, 'NotFound', 'the server could not find the requested resource ( pods/log p)'],
    [422, 'Invalid', 'the server rejected our request due to an error in our request ( pods/log p)'],
    [403, 'Forbidden', 'container "c" in pod "p" is waiting to start: ContainerCreating ( pods/log p)'],
    [401, 'Unauthorized', 'the server has asked for the client to provide credentials ( pods/log p)'],
    [503, 'ServiceUnavailable', 'the server is currently unable to handle the request ( pods/log p)'],
    [
      502,
      'InternalError',
      'an error on the server ("container \\"c\\" in pod \\"p\\" is waiting to start: ContainerCreating") has prevented the request from succeeding ( pods/log p)',
    ],
  ])('maps %d to %s', async (code, reason, message) => {
    const body = pieces('container "c" in pod "p" is waiting', ' to start: ContainerCreating');
    const { status } = await kubeletError({ status: code, contentType: 'text/plain', body }, 'p');
    expect([status.code, status.reason, status.message]).toEqual([code, reason, message]);
  });

  it('limits the size of the message', async () => {
    const endless = (async function* () {
      for (;;) yield new Uint8Array(1024).fill(0x61);
    })();
    const { status } = await kubeletError({ status: 400, contentType: 'text/plain', body: endless }, 'p');
    expect(status.message).toHaveLength(50_000);
  });
});
