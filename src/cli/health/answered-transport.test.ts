import { describe, expect, it } from 'vitest';
import type { Transport } from '../../kubernetes/client/index.ts';
import { observeAnswers } from './answered-transport.ts';

const request = { method: 'GET', path: '/api', query: '', headers: {} } as const;

function answering(...statuses: readonly number[]): Transport {
  const left = [...statuses];
  return {
    send: async () => ({ status: left.shift() ?? 0, headers: {}, body: (async function* () {})() }),
  };
}

describe('observeAnswers', () => {
  it.each([
    [200, true],
    [404, true],
    [401, false],
    [403, false],
    [503, false],
  ])('takes status %i for an answer: %s', async (status, expected) => {
    const { transport, hasAnswered } = observeAnswers(answering(status));
    expect(hasAnswered()).toBe(false);
    expect((await transport.send(request)).status).toBe(status);
    expect(hasAnswered()).toBe(expected);
  });

  it('does not forget an answer', async () => {
    const { transport, hasAnswered } = observeAnswers(answering(200, 503));
    await transport.send(request);
    await transport.send(request);
    expect(hasAnswered()).toBe(true);
  });

  it('passes on that there is no answer', async () => {
    const { transport, hasAnswered } = observeAnswers({ send: () => Promise.reject(new Error('lost')) });
    await expect(transport.send(request)).rejects.toThrow('lost');
    expect(hasAnswered()).toBe(false);
  });
});
